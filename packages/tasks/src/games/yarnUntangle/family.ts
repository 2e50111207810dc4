import type { Random } from '../../family/random.js';
import type { Spot } from '../game.js';
import { gameFamily } from '../gameFamily.js';
import { movesToWin } from '../solving/movesToWin.js';
import type { Plane } from '../rules/sides.js';
import { type YarnLevel, crossings, spotsOf, yarnUntangle } from './rules.js';
import { type Thread, touch, touchOf } from './touch.js';

/** By difficulty: holes, pins, moved pins, minimum crossings and moves. */
const plans = [
  { columns: 6, rows: 4, pins: 5, moved: 3, crossings: 1, moves: 2 },
  { columns: 7, rows: 4, pins: 7, moved: 5, crossings: 3, moves: 3 },
  { columns: 8, rows: 5, pins: 9, moved: 8, crossings: 8, moves: 5 },
  { columns: 8, rows: 5, pins: 12, moved: 11, crossings: 16, moves: 8 },
  { columns: 9, rows: 6, pins: 16, moved: 16, crossings: 30, moves: 12 },
] as const;

const maxMoves = 60;

const nameOf = ({ untangled, threads }: Pick<YarnLevel, 'untangled' | 'threads'>) =>
  JSON.stringify([untangled, threads]);

export const yarnUntangleFamily = gameFamily({
  game: yarnUntangle,
  description: 'Move pins until no two threads of yarn cross.',
  level(random, difficulty, isOwned) {
    const plan = plans[difficulty - 1] ?? plans[0];
    const { columns, rows } = plan;
    for (;;) {
      const untangled = random.shuffle([...Array(columns * rows).keys()]).slice(0, plan.pins);
      const threads = threadsBetween(random, { columns, rows }, untangled);
      if (!isWhole(threads, untangled.length) || !isOwned(nameOf({ untangled, threads }))) continue;
      for (let tries = 0; tries < 20; tries++) {
        const pins = tangled(random, { columns, rows }, untangled, plan.moved);
        // Hard to see at the start; allowed in play.
        if (runsOverPin(threads, spotsOf({ columns }, pins))) continue;
        if (crossings({ columns, threads }, pins) < plan.crossings) continue;
        const level = { difficulty, columns, rows, threads, pins, untangled };
        if ((movesToWin(yarnUntangle, level, maxMoves) ?? 0) >= plan.moves) return level;
      }
    }
  },
  nameOf,
  wordings: {
    en: [
      'drag the pins until no threads cross',
      'untangle the yarn by moving its pins: no two threads may cross',
      'move the pins to other holes so that the threads lie free',
      'sort out this tangle by dragging pins',
    ],
    zh: ['拖动图钉，让毛线不再交叉', '解开毛线，任何两根都不能相交', '移动图钉，把线团理顺'],
  },
  maxMoves,
});

/** Short ones first, at most four per pin. */
function threadsBetween(random: Random, { columns }: Plane, holes: readonly number[]): Thread[] {
  const spots = spotsOf({ columns }, holes);
  const pairs: { thread: Thread; length: number }[] = [];
  for (const [first, a] of spots.entries()) {
    for (let second = 0; second < first; second++) {
      const b = spots[second]!;
      pairs.push({ thread: [second, first], length: Math.hypot(a.x - b.x, a.y - b.y) + random.next() });
    }
  }
  const threads: Thread[] = [];
  const degree = (pin: number) => threads.filter((thread) => thread.includes(pin)).length;
  for (const { thread } of pairs.sort((a, b) => a.length - b.length)) {
    if (threads.length >= 1.6 * holes.length || degree(thread[0]) >= 4 || degree(thread[1]) >= 4) continue;
    // Also checks pins without threads.
    if (!runsOverPin([thread], spots) && !threads.some((other) => touchOf(thread, other, spots))) threads.push(thread);
  }
  return threads;
}

/** Only pins of other threads count. */
const runsOverPin = (threads: readonly Thread[], spots: readonly Spot[]): boolean =>
  threads.some((thread) => {
    const [a, b] = [spots[thread[0]]!, spots[thread[1]]!];
    return spots.some((spot, pin) => !thread.includes(pin) && touch(a, b, spot, spot));
  });

function isWhole(threads: readonly Thread[], pins: number): boolean {
  const seen = new Set([0]);
  for (const pin of seen) {
    const threadsOfPin = threads.filter((thread) => thread.includes(pin));
    if (threadsOfPin.length < 2) return false;
    for (const thread of threadsOfPin) for (const other of thread) seen.add(other);
  }
  return seen.size === pins;
}

function tangled(random: Random, { columns, rows }: Plane, untangled: readonly number[], moved: number): number[] {
  const pins = [...untangled];
  const leaving = random.shuffle([...pins.keys()]).slice(0, moved);
  const staying = new Set(pins.filter((_, pin) => !leaving.includes(pin)));
  const holes = random.shuffle([...Array(columns * rows).keys()].filter((hole) => !staying.has(hole)));
  for (const [index, pin] of leaving.entries()) pins[pin] = holes[index]!;
  return pins;
}
