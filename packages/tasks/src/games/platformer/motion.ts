import { type World, heroSize, isSolid, slimeAt, slimeSize, tile } from './world.js';

export interface StatePlatformer {
  /** Determines the slimes' positions. */
  readonly frame: number;
  /** Centre of the feet, in units. */
  readonly x: number;
  readonly y: number;
  /** Units per frame, upwards. */
  readonly rise: number;
  readonly inAir: boolean;
  readonly looks: 1 | -1;
  readonly run: number;
  readonly farthest: number;
  readonly rest: { readonly x: number; readonly y: number };
  readonly lives: number;
  /** Indices of coins and slimes that are gone. */
  readonly taken: readonly number[];
  readonly beaten: readonly number[];
}

/** The scripted solution's `wait` lets time pass. */
export const keysOfPlatformer = ['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown', 'wait'] as const;
export type KeyPlatformer = (typeof keysOfPlatformer)[number];

const startLives = 3;

/** Units per frame. */
export const speed = 48;

/** Frames of running per press, and in a jump, where it outlasts the jump. */
const burst = 12;
const jumpRun = 120;

/** Units per frame: jump, bounce, gravity and fastest fall. */
const jump = 84;
const bounce = 56;
const gravity = 6;
const fastest = 96;

const middleOf = (column: number): number => column * tile + tile / 2;

export const goalOf = ({ flag }: World): number => flag * tile + tile / 4;

export function begin({ ground }: World): StatePlatformer {
  const place = { x: middleOf(1), y: (ground[1] ?? 0) * tile };
  return {
    ...{ frame: 0, ...place, rise: 0, inAir: false, looks: 1, run: 0, farthest: place.x, rest: place },
    ...{ lives: startLives, taken: [], beaten: [] },
  };
}

/** Returns the same object if nothing changes. */
export function press(state: StatePlatformer, key: KeyPlatformer): StatePlatformer {
  if (key === 'wait') return state;
  if (key === 'ArrowUp') return state.inAir ? state : { ...state, rise: jump, inAir: true, run: jumpRun };
  if (key === 'ArrowDown') return state.run === 0 ? state : { ...state, run: 0 };
  const looks = key === 'ArrowRight' ? 1 : -1;
  const run = Math.max(burst, state.inAir ? state.run : 0);
  return state.looks === looks && state.run === run ? state : { ...state, looks, run };
}

/** Advances by a frame. */
export function pass(state: StatePlatformer, level: World): StatePlatformer {
  const walkedState = walked({ ...state, frame: state.frame + 1 }, level);
  const met = meet(walkedState.inAir ? flown(walkedState, level) : walkedState, level);
  return met.y < -tile ? loseLife(met) : gather(met, level);
}

/** Walls stop the hero; beyond an edge it falls. */
function walked(state: StatePlatformer, level: World): StatePlatformer {
  let { x, run, inAir } = state;
  if (run > 0) {
    run--;
    x += state.looks * speed;
    const column = Math.floor((x + state.looks * heroSize.half) / tile);
    for (let height = 0; height < heroSize.height + tile; height += tile) {
      const row = Math.floor((state.y + Math.min(height, heroSize.height)) / tile);
      if (!isSolid(level, column, row)) continue;
      x = state.looks > 0 ? column * tile - heroSize.half - 1 : (column + 1) * tile + heroSize.half;
      break;
    }
  }
  if (!inAir && !isHeld(level, x, state.y)) inAir = true;
  return { ...state, x, run, inAir };
}

function isHeld(level: World, x: number, y: number): boolean {
  const row = Math.floor((y - 1) / tile);
  return (
    isSolid(level, Math.floor((x - heroSize.half) / tile), row) ||
    isSolid(level, Math.floor((x + heroSize.half) / tile), row)
  );
}

function flown(state: StatePlatformer, level: World): StatePlatformer {
  const rise = Math.max(-fastest, state.rise - gravity);
  const y = state.y + rise;
  if (rise < 0 && isHeld(level, state.x, y)) {
    const top = (Math.floor((y - 1) / tile) + 1) * tile;
    // Only surfaces reached from above support the feet.
    if (top <= state.y) return { ...state, y: top, rise: 0, inAir: false, run: 0 };
  }
  if (rise > 0 && isHeld(level, state.x, y + heroSize.height)) return { ...state, rise: 0 };
  return { ...state, y, rise };
}

function meet(state: StatePlatformer, { slimes }: World): StatePlatformer {
  for (const [number, slime] of slimes.entries()) {
    const away = Math.abs(slimeAt(slime, state.frame).x - state.x);
    const above = state.y - slime.row * tile;
    if (state.beaten.includes(number) || away >= heroSize.half + slimeSize.half) continue;
    if (above >= slimeSize.height || above <= -heroSize.height) continue;
    if (state.rise >= 0 || above < slimeSize.height / 3) return loseLife(state);
    return { ...state, rise: bounce, beaten: [...state.beaten, number] };
  }
  return state;
}

function loseLife(state: StatePlatformer): StatePlatformer {
  return { ...state, ...state.rest, rise: 0, inAir: false, run: 0, looks: 1, lives: state.lives - 1 };
}

/** Takes coins and updates the respawn point. */
function gather(state: StatePlatformer, { coins, rests }: World): StatePlatformer {
  const column = Math.floor(state.x / tile);
  const got = coins.flatMap((coin, number) => {
    if (Math.abs(coin.column - column) > 1 || state.taken.includes(number)) return [];
    const [across, up] = [middleOf(coin.column) - state.x, middleOf(coin.row) - (state.y + heroSize.height / 2)];
    return Math.abs(across) < tile * 0.55 && Math.abs(up) < tile * 0.7 ? [number] : [];
  });
  const isRest = !state.inAir && middleOf(column) > state.rest.x && rests.includes(column);
  return {
    ...state,
    farthest: Math.max(state.farthest, state.x),
    ...(isRest && { rest: { x: middleOf(column), y: state.y } }),
    ...(got.length > 0 && { taken: [...state.taken, ...got] }),
  };
}
