import type { Split } from '@gyre/protocol';
import type { Random } from './random.js';
import { drawOwned } from './split.js';

/** Draws a combination of choices that the split owns. `name` separates families. */
export function drawLayout<Layout extends Record<string, unknown>>(
  random: Random,
  split: Split,
  name: string,
  layouts: { readonly [Name in keyof Layout]: readonly Layout[Name][] },
): Layout {
  return drawOwned(
    split,
    () =>
      Object.fromEntries(Object.entries<readonly unknown[]>(layouts).map(([key, list]) => [key, random.pick(list)])),
    (layout) => `${name}/${Object.values(layout).join('/')}`,
  ) as Layout;
}
