/** A box in px; `right` and `bottom` are exclusive. */
export interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A part of an icon that is too small to be a region: a dot, a bar. */
export interface Speck extends Bounds {
  readonly painted: number;
  readonly colour: number;
  /** Specks of one icon lie on one ground. */
  readonly ground: number;
}

const maxGap = 5;
const maxSide = 40;
const minLength = 6;
/** More are the texture of a picture. */
const maxSpecks = 400;

/** Joins specks that lie close on one ground to icons, such as three dots or three bars. */
export function joinSpecks(specks: readonly Speck[]): Speck[] {
  if (specks.length > maxSpecks) return [];
  const groups: Speck[][] = [];
  const rest = new Set(specks);
  for (const speck of specks) {
    if (!rest.delete(speck)) continue;
    const group = [speck];
    for (const member of group) {
      for (const neighbour of rest) {
        if (!close(member, neighbour)) continue;
        rest.delete(neighbour);
        group.push(neighbour);
      }
    }
    groups.push(group);
  }
  return groups.map(joined).filter((icon) => {
    const width = icon.right - icon.left;
    const height = icon.bottom - icon.top;
    return Math.max(width, height) >= minLength && Math.max(width, height) <= maxSide && Math.min(width, height) >= 2;
  });
}

function close(a: Speck, b: Speck): boolean {
  const across = Math.max(a.left, b.left) - Math.min(a.right, b.right);
  const down = Math.max(a.top, b.top) - Math.min(a.bottom, b.bottom);
  return a.ground === b.ground && across <= maxGap && down <= maxGap;
}

function joined(group: readonly Speck[]): Speck {
  return group.reduce((a, b) => ({
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
    painted: a.painted + b.painted,
    colour: a.colour,
    ground: a.ground,
  }));
}
