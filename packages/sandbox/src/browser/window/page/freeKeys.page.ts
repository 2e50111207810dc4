const world = globalThis as { gyreFreeKeys?: boolean };

/** Begins to listen whether the page takes the next ctrl o. */
export function heedKeys(): void {
  world.gyreFreeKeys = false;
  addEventListener('keydown', function listen({ key, defaultPrevented }) {
    if (key !== 'o') return;
    removeEventListener('keydown', listen);
    world.gyreFreeKeys = !defaultPrevented;
  });
}

/** Tells whether the page has left it alone. */
export function areKeysFree(): boolean {
  return world.gyreFreeKeys === true;
}
