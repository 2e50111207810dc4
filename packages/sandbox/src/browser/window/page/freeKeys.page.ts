const world = globalThis as { gyreFreeKeys?: boolean };

/** Watches whether the page handles the next ctrl o. */
export function heedKeys(): void {
  world.gyreFreeKeys = false;
  addEventListener('keydown', function listen({ key, defaultPrevented }) {
    if (key !== 'o') return;
    removeEventListener('keydown', listen);
    world.gyreFreeKeys = !defaultPrevented;
  });
}

export function areKeysFree(): boolean {
  return world.gyreFreeKeys === true;
}
