import { type Action, GyreError, type Size, type Split, type Task } from '@gyre/protocol';
import { type Session, type Verifier, browserOf } from '@gyre/sandbox';
import { appScreen } from '../apps/appFamily.js';
import { apps } from '../apps/families.js';
import type { TaskInstance } from '../family/family.js';
import { suggestNames } from '../family/suggestNames.js';
import { startTask } from '../family/run.js';
import { type Candidate, type Change, type PlaceName, Start } from './candidate.js';
import { applyChanges } from './changes.js';
import { pageRun } from './pageRun.js';
import { appConditions, pageConditions } from './prompts.js';

export interface Trial {
  readonly task: Task;
  setUp(session: Session): Promise<Verifier<Action>>;
}

export interface Place {
  readonly name: PlaceName;
  readonly start?: Start;
  /** In px. */
  readonly screen: Size;
  /** Describes the place and possible conditions to the model. */
  readonly description: string;
  readonly conditions: string;
  /** Throws `infra` if the place does not open. */
  show(session: Session): Promise<void>;
  trial(candidate: Candidate): Trial | { readonly unfit: string };
}

/** Doubles a person's steps and adds slack. */
export const budgetOf = ({ steps }: Pick<Candidate, 'steps'>): number => 2 * steps.length + 6;

/** An impossible answer, so that an explored app is never done. */
const none = '\u0000';

export const appNames: readonly string[] = Object.keys(apps);

type AppName = Extract<PlaceName, { app: string }>;

function openApp({ app, split, seed, size }: AppName, start?: Start) {
  const opener = Object.hasOwn(apps, app) ? apps[app] : undefined;
  if (opener) return opener(split, seed, size, start);
  throw new GyreError('bad_input', `unknown app "${app}"`, {
    field: 'app',
    fix: `use ${suggestNames(app, appNames)[0] ?? `one of ${appNames.join(', ')}`}`,
  });
}

/** Builds a task; `number` is its seed. */
export function appTask(
  place: AppName,
  candidate: Omit<Candidate, 'functions'>,
  start: Start | undefined,
  number: number,
): TaskInstance | { readonly unfit: string } {
  const { condition, instruction } = candidate;
  if (condition.kind === 'shown') return { unfit: 'conditions on apps test the store, not the screen' };
  const { store, page } = openApp(place, start);
  const goal = condition.kind === 'changes' ? applyChanges(store, condition.changes) : { store };
  if ('unfit' in goal) return goal;
  const family = `synth.${place.app}`;
  return {
    task: {
      id: `${family}/${place.split}/${number}`,
      family,
      split: place.split,
      seed: number,
      instruction,
      surfaces: ['screen'],
      screen: place.size,
      stepBudget: budgetOf(candidate),
    },
    page: page(
      goal.store,
      condition.kind === 'answer' ? { answer: condition.answer } : { anyOrder: addedTo(condition.changes) },
    ),
  };
}

/** Lists where the app decides the position of new items. */
const addedTo = (changes: readonly Change[]): string[] =>
  changes.flatMap(({ path }) => (path.endsWith('/-') ? [path.slice(0, -2)] : []));

/** Throws `bad_input` for an unknown app or size. */
export function appPlace(app: string, split: Split, seed: number, size: Size = appScreen, initialStore?: Start): Place {
  const name = { app, split, seed, size };
  const { language, store, page } = openApp(name, initialStore);
  const start = Start.parse(store);
  const spoken = language === 'en' ? 'English' : 'Chinese';
  return {
    name,
    start,
    screen: size,
    description: `The app "${app}" speaks ${spoken}: write instructions in ${spoken}. Its state at the start:\n${JSON.stringify(store)}`,
    conditions: appConditions,
    show: (session) => browserOf(session).open(page(store, { answer: none })),
    trial: (candidate) => {
      const instance = appTask(name, candidate, start, 0);
      if ('unfit' in instance) return instance;
      const setUp = async (session: Session) => {
        const verifier = await startTask(session, instance);
        return candidate.condition.kind === 'answer' ? { ...verifier, oracle: knowsWithoutLooking } : verifier;
      };
      return { task: instance.task, setUp };
    },
  };
}

/** Rejects: a solution that only says the answer proves nothing. */
const knowsWithoutLooking = () =>
  Promise.reject(
    new GyreError('bad_input', 'the scripted solution cannot answer a synthesised question', {
      field: 'policy',
      fix: 'use a model as the policy',
    }),
  );

/** Sessions need real time and network access. Throws `bad_input` for an invalid address. */
export function pagePlace(url: string, size: Size): Place {
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new GyreError('bad_input', `"${url}" is not the URL of a page`, {
      field: 'url',
      fix: 'use a URL such as https://example.org',
    });
  }
  const show = async (session: Session) => {
    await session.screen.act({ type: 'navigate', url });
    if (!(await browserOf(session).evaluate<string>('location.href')).startsWith('chrome-error:')) return;
    throw new GyreError('infra', `cannot open ${url}`, {
      part: 'network',
      field: 'url',
      fix: 'check that a server is running there',
    });
  };
  return {
    name: { url, size },
    screen: size,
    description: `The page is ${url}. Write instructions in its language.`,
    conditions: pageConditions,
    show,
    trial: (candidate) => {
      const { condition, instruction } = candidate;
      if (condition.kind === 'changes') return { unfit: 'the state of a web page cannot be read' };
      const task: Task = {
        id: 'synth.page/train/0',
        family: 'synth.page',
        split: 'train',
        seed: 0,
        instruction,
        surfaces: ['screen'],
        screen: size,
        stepBudget: budgetOf(candidate),
      };
      const setUp = async (session: Session) => {
        await show(session);
        return pageRun(session, task, condition);
      };
      return { task, setUp };
    },
  };
}
