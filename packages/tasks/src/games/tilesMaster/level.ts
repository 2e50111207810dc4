import { type Tile, type TilesLevel, coversOf } from './tiles.js';
import type { Random } from '../../family/random.js';

interface TilesPlan {
  /** Size of the bottom layer. */
  readonly columns: number;
  readonly rows: number;
  /** A multiple of 3. */
  readonly tiles: number;
  readonly layers: number;
  readonly kinds: number;
  /** Largest tray of the underlying solution. */
  readonly tray: number;
}

const plans: readonly TilesPlan[] = [
  { columns: 4, rows: 2, tiles: 6, layers: 2, kinds: 2, tray: 4 },
  { columns: 5, rows: 3, tiles: 15, layers: 2, kinds: 4, tray: 5 },
  { columns: 6, rows: 4, tiles: 27, layers: 3, kinds: 6, tray: 5 },
  { columns: 7, rows: 4, tiles: 39, layers: 3, kinds: 9, tray: 6 },
  { columns: 8, rows: 4, tiles: 54, layers: 4, kinds: 12, tray: 6 },
];

const maxKinds = 12;

/** Assigns kinds along a taking order, so that the level is solvable. */
export function makeTilesLevel(random: Random, difficulty: number): TilesLevel {
  const plan = plans[difficulty - 1];
  if (!plan) throw new Error(`unknown difficulty ${difficulty}`);
  const spots = stack(random, plan);
  const order = takingOrder(random, spots);
  const kinds = kindsAlong(random, plan);
  const tiles = [...spots];
  for (const [turn, index] of order.entries()) {
    const spot = spots[index];
    if (spot) tiles[index] = { ...spot, kind: kinds[turn] ?? 0 };
  }
  return { difficulty, tiles };
}

/** Mirror-symmetric layers; every upper tile lies on another. */
function stack(random: Random, plan: TilesPlan): Tile[] {
  const { columns, rows, layers } = plan;
  const tiles: Tile[] = [];
  // Two thirds of the layer below.
  const shares = Array.from({ length: layers }, (_, layer) => 0.66 ** layer);
  const whole = shares.reduce((sum, share) => sum + share, 0);
  for (const [layer, share] of shares.entries()) {
    const isLast = layer === layers - 1;
    const layerSize = isLast ? plan.tiles - tiles.length : Math.round((plan.tiles * share) / whole);
    const inset = layer % 2;
    const isHeld = (spot: Tile) => layer === 0 || tiles.some((lower) => isOn(spot, lower));
    const candidates: Tile[] = [];
    for (let row = 0; row < rows - inset; row++) {
      for (let column = 0; column < columns - inset; column++) {
        candidates.push({ x: 2 * column + inset, y: 2 * row + inset, layer, kind: 0 });
      }
    }
    const chosen: Tile[] = [];
    for (const spot of random.shuffle(candidates.filter(isHeld))) {
      if (chosen.length >= layerSize) break;
      if (chosen.some(({ x, y }) => x === spot.x && y === spot.y)) continue;
      chosen.push(spot);
      const mirrored = { ...spot, x: 2 * (columns - 1) - spot.x };
      if (mirrored.x !== spot.x && chosen.length < layerSize && isHeld(mirrored)) chosen.push(mirrored);
    }
    tiles.push(...chosen.sort((a, b) => a.y - b.y || a.x - b.x));
  }
  return fillUp(random, plan, tiles);
}

const isOn = (upper: Tile, lower: Tile) =>
  lower.layer === upper.layer - 1 && Math.abs(upper.x - lower.x) < 2 && Math.abs(upper.y - lower.y) < 2;

/** Adds bottom tiles if upper layers lack room; drops surplus ones. */
function fillUp(random: Random, { columns, rows, tiles: count }: TilesPlan, tiles: readonly Tile[]): Tile[] {
  const stacked = tiles.slice(0, count);
  const bottom: Tile[] = [];
  for (let place = 0; place < columns * rows; place++) {
    bottom.push({ x: 2 * (place % columns), y: 2 * Math.floor(place / columns), layer: 0, kind: 0 });
  }
  for (const spot of random.shuffle(bottom)) {
    if (stacked.length >= count) break;
    if (!stacked.some(({ x, y, layer }) => layer === 0 && x === spot.x && y === spot.y)) stacked.push(spot);
  }
  return stacked.sort((a, b) => a.layer - b.layer || a.y - b.y || a.x - b.x);
}

function takingOrder(random: Random, tiles: readonly Tile[]): number[] {
  const on = coversOf(tiles);
  const remaining = new Set(tiles.keys());
  const order: number[] = [];
  while (remaining.size > 0) {
    const free = [...remaining].filter((index) => !on[index]?.some((upper) => remaining.has(upper)));
    const next = random.pick(free);
    remaining.delete(next);
    order.push(next);
  }
  return order;
}

/** In threes, within the plan's tray limit. */
function kindsAlong(random: Random, plan: TilesPlan): number[] {
  const names = random.shuffle(Array.from({ length: maxKinds }, (_, kind) => kind)).slice(0, plan.kinds);
  const kinds: number[] = [];
  const trayCounts = new Map<number, number>();
  let toOpen = plan.tiles / 3;
  let opened = 0;
  while (kinds.length < plan.tiles) {
    const inTray = [...trayCounts.values()].reduce((sum, count) => sum + count, 0);
    const open = [...trayCounts.keys()];
    // Leaves room to complete a kind in the tray.
    const mayOpen = toOpen > 0 && inTray + 1 < plan.tray && open.length < plan.kinds;
    const isNew = open.length === 0 || (mayOpen && random.chance(0.5));
    const kind = isNew ? nextName() : continued(open, inTray);
    const count = (trayCounts.get(kind) ?? 0) + 1;
    if (count === 3) trayCounts.delete(kind);
    else trayCounts.set(kind, count);
    kinds.push(kind);
  }
  return kinds;

  function nextName(): number {
    toOpen--;
    const unused = names.filter((name) => !trayCounts.has(name));
    const name = opened < names.length ? names[opened] : random.pick(unused);
    opened++;
    return name !== undefined && !trayCounts.has(name) ? name : random.pick(unused);
  }

  /** A full tray requires completing a pair. */
  function continued(open: readonly number[], inTray: number): number {
    const pairs = open.filter((kind) => trayCounts.get(kind) === 2);
    return inTray + 1 >= plan.tray && pairs.length > 0 ? random.pick(pairs) : random.pick(open);
  }
}
