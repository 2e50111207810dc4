import { type Action, GyreError, type Size, type Split, type Task } from '@gyre/protocol';
import { type Session, type Verifier, browserOf } from '@gyre/sandbox';
import { appScreen } from '../apps/appFamily.js';
import { apps } from '../apps/families.js';
import type { TaskInstance } from '../family/family.js';
import { nearNames } from '../family/nearNames.js';
import { startTask } from '../family/run.js';
import { type Candidate, type Change, type PlaceName, Start } from './candidate.js';
import { applyChanges } from './changes.js';
import { pageRun } from './pageRun.js';
import { appConditions, pageConditions } from './prompts.js';

/** A task that a policy can try. */
export interface Trial {
  readonly task: Task;
  /** Sets a session up for it. */
  setUp(session: Session): Promise<Verifier<Action>>;
}

/** Where tasks are made for. */
export interface Place {
  readonly name: PlaceName;
  /** What an app holds at the start. */
  readonly start?: Start;
  /** In px. */
  readonly screen: Size;
  /** What a model is told of it before it composes tasks, and what conditions there are. */
  readonly told: string;
  readonly conditions: string;
  /** Shows its start, for looking around. Throws `infra` where it does not open. */
  show(session: Session): Promise<void>;
  /** A task made of a candidate, or why there can be none. */
  trial(candidate: Candidate): Trial | { readonly unfit: string };
}

/** The most turns of a task by the steps that a person would take: some go astray. */
export const budgetOf = ({ steps }: Pick<Candidate, 'steps'>): number => 2 * steps.length + 6;

/** An answer that nobody gives, so that an app which is only looked at is not done at once. */
const none = '\u0000';

/** The apps that tasks can be made for. */
export const appNames: readonly string[] = Object.keys(apps);

type AppName = Extract<PlaceName, { app: string }>;

function openApp({ app, split, seed, size }: AppName, start?: Start) {
  const opener = Object.hasOwn(apps, app) ? apps[app] : undefined;
  if (opener) return opener(split, seed, size, start);
  throw new GyreError('bad_input', `there is no app "${app}"`, {
    field: 'app',
    fix: `use ${nearNames(app, appNames)[0] ?? `one of ${appNames.join(', ')}`}`,
  });
}

/** The task of a candidate for an app of gyre's that holds `start`; `number` is its seed. */
export function appTask(
  place: AppName,
  candidate: Omit<Candidate, 'functions'>,
  start: Start | undefined,
  number: number,
): TaskInstance | { readonly unfit: string } {
  const { condition, instruction } = candidate;
  if (condition.kind === 'shown') return { unfit: 'an app is judged by its store, not by what it shows' };
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

/** The lists that changes add to: where in them an app puts what is new is its own affair. */
const addedTo = (changes: readonly Change[]): string[] =>
  changes.flatMap(({ path }) => (path.endsWith('/-') ? [path.slice(0, -2)] : []));

/** An app of gyre's with the data of a seed, or with `given`. Throws `bad_input` where there is none of that name, or none of that size. */
export function appPlace(app: string, split: Split, seed: number, size: Size = appScreen, given?: Start): Place {
  const name = { app, split, seed, size };
  const { language, store, page } = openApp(name, given);
  const start = Start.parse(store);
  const spoken = language === 'en' ? 'English' : 'Chinese';
  return {
    name,
    start,
    screen: size,
    told: `The app "${app}" speaks ${spoken}: write instructions in ${spoken}. Its state at the start:\n${JSON.stringify(store)}`,
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

/** A scripted solution that only says the answer proves nothing. */
const knowsWithoutLooking = () =>
  Promise.reject(
    new GyreError(
      'bad_input',
      'the scripted solution does not look for the answer of a question that a model made up',
      {
        field: 'policy',
        fix: 'let a model try it',
      },
    ),
  );

/** A page of somebody's. Sessions for it must be of a free clock, and reach it. Throws `bad_input` for what is no address. */
export function pagePlace(url: string, size: Size): Place {
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new GyreError('bad_input', `"${url}" is no address of a page`, {
      field: 'url',
      fix: 'give one such as https://example.org',
    });
  }
  const show = async (session: Session) => {
    await session.screen.act({ type: 'navigate', url });
    if (!(await browserOf(session).evaluate<string>('location.href')).startsWith('chrome-error:')) return;
    throw new GyreError('infra', `${url} does not open`, {
      part: 'network',
      field: 'url',
      fix: 'see whether a server is there',
    });
  };
  return {
    name: { url, size },
    screen: size,
    told: `The page is ${url}. Write instructions in its language.`,
    conditions: pageConditions,
    show,
    trial: (candidate) => {
      const { condition, instruction } = candidate;
      if (condition.kind === 'changes') return { unfit: 'nobody sees into the state of a page' };
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
