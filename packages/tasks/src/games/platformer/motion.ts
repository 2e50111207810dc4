import { type World, heroSize, isSolid, slimeAt, slimeSize, tile } from './world.js';

export interface StatePlatformer {
  /** Game frames since the start; the slimes' places follow from it. */
  readonly frame: number;
  /** Of the middle of the hero's feet, in units from the left and from below. */
  readonly x: number;
  readonly y: number;
  /** Units a frame, upwards. */
  readonly rise: number;
  readonly inAir: boolean;
  readonly looks: 1 | -1;
  /** Game frames that it still runs for. */
  readonly run: number;
  /** The farthest that it has come, in units. */
  readonly farthest: number;
  /** Where it comes back to. */
  readonly rest: { readonly x: number; readonly y: number };
  readonly lives: number;
  /** Numbers of the coins and slimes that are gone. */
  readonly taken: readonly number[];
  readonly beaten: readonly number[];
}

/** `wait` is what the scripted solution does where it lets time pass. */
export const keysOfPlatformer = ['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown', 'wait'] as const;
export type KeyPlatformer = (typeof keysOfPlatformer)[number];

const startLives = 3;

/** Units that the hero runs in a game frame. */
export const speed = 48;

/** Game frames that it runs after a press, and that it may run in a jump: longer than any. */
const burst = 12;
const jumpRun = 120;

/** Units a frame: at the start of a jump and of a bounce, what is lost each frame, and the fastest fall. */
const jump = 84;
const bounce = 56;
const gravity = 6;
const fastest = 96;

const middleOf = (column: number): number => column * tile + tile / 2;

/** Where the hero must be to have reached the flag. */
export const goalOf = ({ flag }: World): number => flag * tile + tile / 4;

export function begin({ ground }: World): StatePlatformer {
  const place = { x: middleOf(1), y: (ground[1] ?? 0) * tile };
  return {
    ...{ frame: 0, ...place, rise: 0, inAir: false, looks: 1, run: 0, farthest: place.x, rest: place },
    ...{ lives: startLives, taken: [], beaten: [] },
  };
}

/** The state after a key; the same where it changes nothing. */
export function press(state: StatePlatformer, key: KeyPlatformer): StatePlatformer {
  if (key === 'wait') return state;
  if (key === 'ArrowUp') return state.inAir ? state : { ...state, rise: jump, inAir: true, run: jumpRun };
  if (key === 'ArrowDown') return state.run === 0 ? state : { ...state, run: 0 };
  const looks = key === 'ArrowRight' ? 1 : -1;
  const run = Math.max(burst, state.inAir ? state.run : 0);
  return state.looks === looks && state.run === run ? state : { ...state, looks, run };
}

/** The state a game frame later. */
export function pass(state: StatePlatformer, level: World): StatePlatformer {
  const at = walked({ ...state, frame: state.frame + 1 }, level);
  const met = meet(at.inAir ? flown(at, level) : at, level);
  return met.y < -tile ? loseLife(met) : gather(met, level);
}

/** The hero after a frame of running: walls stop it, and where the ground ends it falls. */
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

/** Whether there is something under the feet. */
function isHeld(level: World, x: number, y: number): boolean {
  const row = Math.floor((y - 1) / tile);
  return (
    isSolid(level, Math.floor((x - heroSize.half) / tile), row) ||
    isSolid(level, Math.floor((x + heroSize.half) / tile), row)
  );
}

/** The hero after a frame in the air. */
function flown(state: StatePlatformer, level: World): StatePlatformer {
  const rise = Math.max(-fastest, state.rise - gravity);
  const y = state.y + rise;
  if (rise < 0 && isHeld(level, state.x, y)) {
    const top = (Math.floor((y - 1) / tile) + 1) * tile;
    // Only what the feet have come down to holds them.
    if (top <= state.y) return { ...state, y: top, rise: 0, inAir: false, run: 0 };
  }
  if (rise > 0 && isHeld(level, state.x, y + heroSize.height)) return { ...state, rise: 0 };
  return { ...state, y, rise };
}

/** What comes of meeting slimes. */
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

/** Coins that are touched, the farthest place, and where it would come back to. */
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
