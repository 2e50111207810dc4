const world = globalThis as { gyreFreeKeys?: boolean };

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
