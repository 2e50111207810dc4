import type { Size, Split } from '@gyre/protocol';
import type { BrowserPool, BrowserSession } from '@gyre/sandbox';
import { appFamilies } from '../apps/families.js';
import type { TaskFamily, TaskInstance } from '../family/family.js';
import { Random } from '../family/random.js';
import { startTask } from '../family/run.js';
import { perceptionPages } from '../perception/perceive.js';
import { widgetFamilies } from '../widgets/families.js';
import type { Word } from './word.js';
import { wordsOf } from './words.js';

/** A screenshot with the words that its page shows. */
export interface MeasuredScreen {
  readonly png: Uint8Array;
  /** In px. */
  readonly size: Size;
  readonly words: readonly Word[];
}

/** Screens of one page: as it opens, and, unless nothing can be done there, after the oracle's first turn. */
export type MeasuredPage = readonly [first: MeasuredScreen, later?: MeasuredScreen];

/** Kinds of pages, with the size of their screens in px. */
export const pageKinds = {
  widgets: { width: 160, height: 160 },
  'apps en': { width: 640, height: 480 },
  'apps zh': { width: 640, height: 480 },
  perception: { width: 320, height: 240 },
} as const satisfies Readonly<Record<string, Size>>;
export type PageKind = keyof typeof pageKinds;

export interface MeasuredPagesOptions {
  readonly kind: PageKind;
  readonly count: number;
  readonly seed: number;
  readonly split: Split;
}

/** Yields pages of tasks, or of perception data, with their words. Deterministic given the installed fonts. */
export async function* measuredPages(pool: BrowserPool, options: MeasuredPagesOptions): AsyncGenerator<MeasuredPage> {
  const { kind, count, seed, split } = options;
  const size = pageKinds[kind];
  const session = await pool.lease({ size });
  try {
    if (kind === 'perception') {
      for (const html of await perceptionPages(session, { seed, count, size, split })) {
        await session.browser.open({ html, seed });
        yield [await measured(session)];
      }
      return;
    }
    for (const task of drawnTasks(options)) yield await playedPage(session, task);
  } finally {
    await session.release();
  }
}

/** Draws tasks of every family in turn, in one language. */
function drawnTasks({ kind, count, seed, split }: MeasuredPagesOptions): TaskInstance[] {
  const families: readonly TaskFamily[] = Object.values(kind === 'widgets' ? widgetFamilies : appFamilies);
  const order = new Random(`reading/${seed}`).shuffle(families);
  const tasks: TaskInstance[] = [];
  for (let round = 0; tasks.length < count; round++) {
    const drawn = order.map((family) => family.create(split, seed + round, pageKinds[kind]));
    tasks.push(...drawn.filter(({ task }) => /\p{Script=Han}/u.test(task.instruction) === (kind === 'apps zh')));
  }
  return tasks.slice(0, count);
}

async function playedPage(session: BrowserSession, task: TaskInstance): Promise<MeasuredPage> {
  const verifier = await startTask(session, task);
  const first = await measured(session);
  const { actions } = await verifier.oracle();
  if (actions.every(({ type }) => type === 'finished')) return [first];
  for (const action of actions) await session.screen.act(action);
  // A dialog hides the page from scripts.
  return session.browser.page.asks === undefined ? [first, await measured(session)] : [first];
}

async function measured(session: BrowserSession): Promise<MeasuredScreen> {
  const { png, size } = await session.screen.observe();
  return { png, size, words: await wordsOf(session) };
}
