import type { Size, Split } from '@gyre/protocol';
import type { PageSource } from '@gyre/sandbox';
import type { TaskFamily, TaskInstance } from '../family/family.js';
import { pageScript } from '../family/pageScript.js';
import { Random } from '../family/random.js';
import { checkScreen, sizeSuffix } from '../family/screenSize.js';
import { pageSeed } from '../family/split.js';
import { fillWording } from '../family/wording.js';
import { drawLayout } from '../family/layout.js';
import type { AppArgument, AppKind, AppLayout } from './app.js';
import { type AppLook, appHtml, drawLook } from './look/appLook.js';
import { type AppWords, type WordTable, drawWords } from './data/appWords.js';
import { factsOf } from './data/facts.js';
import type { Language } from './data/lexicon.js';
import { Pen } from './data/pen.js';

/*
 * Families of web apps, one for each template of each app: `APP.TEMPLATE`. A template is an entry in an app's list:
 * 1. `en` and `zh` are instructions. `{name}` becomes a quoted text of `texts`, `[name]` an unquoted one. Of three or
 * more wordings the last is never in train.
 * 2. `make` returns `texts` and either the change to the store (`goal`) or the `answer`. It may first change the store
 * to suit the task. If it returns undefined, another store is drawn.
 * 3. The app's oracle undoes any difference between the store and the goal. Questions say in `look` where the answer
 * is.
 */

export interface App<Of extends AppKind> {
  /** First part of its families' names. Its page is `apps/NAME/NAME.page.tsx`. */
  readonly name: string;
  readonly words: WordTable<Of['word']>;
  /** Looks by name. The root's classes name the drawn ones: `list-cards`. */
  readonly layouts: Readonly<Record<string, readonly string[]>>;
  readonly styles: string;
  readonly draw: (pen: Pen, words: AppWords<Of['word']>) => Of['store'];
  readonly templates: readonly Template<Of>[];
}

export interface Draft<Of extends AppKind> {
  readonly pen: Pen;
  readonly random: Random;
  readonly store: Of['store'];
  readonly words: AppWords<Of['word']>;
  readonly language: Language;
}

export interface TaskContent<Of extends AppKind> {
  readonly texts: Readonly<Record<string, string | number>>;
  /** Changes a copy of the store into the goal. */
  readonly goal?: (store: Of['store']) => void;
  readonly answer?: string | number;
  readonly look?: unknown;
}

export interface Template<Of extends AppKind> {
  readonly name: string;
  readonly description: string;
  readonly difficulty: 1 | 2 | 3 | 4 | 5;
  /** Maximum turns of the oracle. */
  readonly steps: number;
  /** For evaluation only. */
  readonly heldOut?: boolean;
  /** Share of the commonest answer, if above 0.05. */
  readonly chance?: number;
  readonly en: readonly string[];
  readonly zh: readonly string[];
  readonly make: (draft: Draft<Of>) => TaskContent<Of> | undefined;
}

/** Smallest and default screen, in px. */
export const appScreen: Size = { width: 640, height: 480 };

const commonLayouts = {
  bar: ['accent', 'card', 'plain'],
  side: ['left', 'right'],
  rows: ['lined', 'boxed', 'zebra'],
  buttons: ['solid', 'soft', 'outline'],
} as const;

/** Returns the families of an app, one per template. */
export function appFamiliesOf<Of extends AppKind>(app: App<Of>): Record<string, TaskFamily> {
  return Object.fromEntries(
    app.templates.map((template) => {
      const name = `${app.name}.${template.name}`;
      const family: TaskFamily = {
        name,
        description: template.description,
        smallest: appScreen,
        ...(template.heldOut && { heldOut: true }),
        ...(template.chance !== undefined && { chance: template.chance }),
        create: (split, seed, size = appScreen) => createTask(app, template, name, split, seed, size),
      };
      return [name, family];
    }),
  );
}

function createTask<Of extends AppKind>(
  app: App<Of>,
  template: Template<Of>,
  family: string,
  split: Split,
  seed: number,
  size: Size,
): TaskInstance {
  checkScreen(family, size, appScreen);
  const ofSize = sizeSuffix(size, appScreen);
  const id = `${family}/${split}/${seed}${ofSize}`;
  const random = new Random(id);
  const { language, layout, look, words } = drawSetting(app, random, split, size);
  const { store, goal, content } = drawTask(app, template, new Pen(random, split, language), words);
  const wordings = language === 'en' ? template.en : template.zh;
  const wording = random.pick(split === 'train' && wordings.length > 2 ? wordings.slice(0, -1) : wordings);
  const argument: AppArgument<Of> = {
    store,
    goal,
    ...(content.answer !== undefined && { answer: String(content.answer) }),
    ...(content.look !== undefined && { look: content.look }),
    words,
    layout,
    language,
  };
  return {
    task: {
      id,
      family,
      split,
      seed,
      instruction: fillWording(wording, content.texts, language === 'en' ? ['"', '"'] : ['“', '”']),
      surfaces: ['screen'],
      screen: size,
      stepBudget: Math.ceil(1.5 * template.steps) + 3,
      difficulty: template.difficulty,
    },
    page: {
      html: appHtml(app.name, layout, look, app.styles),
      script: pageScript(`apps/${app.name}/${app.name}`),
      argument,
      seed: pageSeed(`${family}${ofSize}`, split, seed),
    },
  };
}

export interface OpenApp {
  readonly language: Language;
  readonly store: object;
  readonly page: (goal: object, judgement?: Pick<AppArgument<AppKind>, 'answer' | 'anyOrder'>) => PageSource;
}

/** Opens an app in the look of a seed, with the seed's data or `store`. Throws `bad_input` where `checkScreen` does. */
export type AppOpener = (split: Split, seed: number, size?: Size, store?: object) => OpenApp;

export function openerOf<Of extends AppKind>(app: App<Of>): AppOpener {
  return (split, seed, size = appScreen, initial) => {
    checkScreen(app.name, size, appScreen);
    const name = `${app.name}.open${sizeSuffix(size, appScreen)}`;
    const random = new Random(`${name}/${split}/${seed}`);
    const { language, layout, look, words } = drawSetting(app, random, split, size);
    const store: Of['store'] = initial ?? app.draw(new Pen(random, split, language), words);
    return {
      language,
      store,
      page: (goal, question) => ({
        html: appHtml(app.name, layout, look, app.styles),
        script: pageScript(`apps/${app.name}/${app.name}`),
        argument: { store, goal, ...question, words, layout, language },
        seed: pageSeed(name, split, seed),
      }),
    };
  };
}

function drawSetting<Of extends AppKind>(app: App<Of>, random: Random, split: Split, size: Size) {
  const language: Language = random.chance(0.6) ? 'en' : 'zh';
  const layout: AppLayout = drawLayout(random, split, app.name, { ...commonLayouts, ...app.layouts });
  const look: AppLook = drawLook(random, split, language, size);
  const words = drawWords(random, split, language, app.words);
  return { language, layout, look, words };
}

function drawTask<Of extends AppKind>(
  app: App<Of>,
  template: Template<Of>,
  first: Pen,
  words: AppWords<Of['word']>,
): { store: Of['store']; goal: Of['store']; content: TaskContent<Of> } {
  for (let attempt = 0; attempt < 300; attempt++) {
    const pen = new Pen(first.random, first.split, first.language);
    const store = app.draw(pen, words);
    const content = template.make({ pen, random: pen.random, store, words, language: pen.language });
    if (!content) continue;
    const goal = structuredClone(store);
    content.goal?.(goal);
    if (content.answer !== undefined || !sameFacts(store, goal)) return { store, goal, content };
  }
  throw new Error(`${app.name}.${template.name} does not match any store`);
}

function sameFacts(a: unknown, b: unknown): boolean {
  const [first, second] = [factsOf(a), factsOf(b)];
  return first.size === second.size && [...first].every(([path, value]) => second.get(path) === value);
}
