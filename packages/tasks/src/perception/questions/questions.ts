import { drawLetters } from '../../family/split.js';
import { words as wordList } from '../../family/screen/words.js';
import type { Element } from '../../family/screen/element.js';
import type { Phrase } from '../words/phrase.js';
import { byColour, byIcon, byLabel, byRole, byShape } from './looks.js';
import { byPosition, byRelation } from './places.js';
import { type QuestionAnswer, describeAt, describeScreen, read, state } from './sayings.js';
import type { Target } from './target.js';
import type { Question, QuestionKind } from '../sample.js';
import { type View, hasText, fitting, isUnambiguousKind } from './view.js';
import { wordsZh } from '../words/wordsZh.js';

/** `Asked` identifies a question regardless of its wording, to avoid duplicates. */
interface Asked extends Question {
  readonly gist: string;
}
type Draw = (view: View) => Asked | undefined;

const kinds: Readonly<Record<QuestionKind, { readonly weight: number; readonly max: number; readonly draw: Draw }>> = {
  label: { weight: 14, max: 3, draw: pointing('label', byLabel) },
  colour: { weight: 14, max: 3, draw: pointing('colour', byColour) },
  shape: { weight: 12, max: 3, draw: pointing('shape', byShape) },
  icon: { weight: 8, max: 2, draw: pointing('icon', byIcon) },
  role: { weight: 8, max: 2, draw: pointing('role', byRole) },
  position: { weight: 10, max: 2, draw: pointing('position', byPosition) },
  relation: { weight: 12, max: 2, draw: pointing('relation', byRelation) },
  state: { weight: 6, max: 2, draw: saying('state', state) },
  read: { weight: 9, max: 2, draw: saying('read', read) },
  describe: { weight: 6, max: 1, draw: saying('describe', describeAt) },
  dense: { weight: 2, max: 1, draw: saying('dense', describeScreen) },
  type: { weight: 8, max: 1, draw: typing },
  transition: { weight: 0, max: 1, draw: saying('transition', transition) },
};
const lots = (Object.keys(kinds) as QuestionKind[]).flatMap((kind) =>
  Array.from({ length: kinds[kind].weight }, () => kind),
);

/** Draws 8 to 12 questions with one right answer each; fewer on sparse screens. */
export function drawQuestions(view: View): Question[] {
  if (view.elements.length === 0) return [];
  const target = view.random.between(8, 12);
  const drawn = new Map<string, Question>();
  const counts = new Map<QuestionKind, number>();
  const ask = (kind: QuestionKind) => {
    if ((counts.get(kind) ?? 0) >= kinds[kind].max) return;
    const drawnQuestion = kinds[kind].draw(view);
    if (!drawnQuestion || drawn.has(drawnQuestion.gist)) return;
    const { gist, ...question } = drawnQuestion;
    drawn.set(gist, question);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  };
  if (view.change) ask('transition');
  for (let attempt = 0; attempt < 90 && drawn.size < target; attempt++) ask(view.random.pick(lots));
  return [...drawn.values()];
}

const drawLanguage = (view: View): keyof Phrase => (view.language === 'zh' && view.random.chance(0.5) ? 'zh' : 'en');

const verbs: readonly string[] = [
  'click',
  'click',
  'click',
  'press',
  'tap',
  'click on',
  'find',
  'point at',
  'choose',
  'go to',
];
const verbsZh: readonly string[] = ['点击', '点击', '点击', '请点击', '按', '找到', '选择', '点'];

function pointing(kind: QuestionKind, draw: (view: View) => Target | undefined): Draw {
  return (view) => {
    const target = draw(view);
    if (!target || target.boxes.length === 0) return undefined;
    const language = drawLanguage(view);
    const { random } = view;
    const name = target.phrase[language];
    const where = random.chance(0.12) && !name.startsWith('any') && !name.startsWith('任意');
    const instruction =
      language === 'zh'
        ? where
          ? `${name}在哪里?`
          : `${random.pick(verbsZh)}${name}`
        : where
          ? `where is ${name}?`
          : `${random.pick(verbs)} ${name}`;
    return {
      kind,
      gist: target.phrase.en,
      instruction,
      ...(target.thought && { thought: target.thought[language] }),
      answer: { type: 'point', boxes: target.boxes },
    };
  };
}

function saying(kind: QuestionKind, draw: (view: View) => QuestionAnswer | undefined): Draw {
  return (view) => {
    const drawn = draw(view);
    if (!drawn) return undefined;
    const language = drawLanguage(view);
    return {
      kind,
      gist: drawn.gist ?? drawn.instruction.en,
      instruction: drawn.instruction[language],
      answer: { type: 'text', text: drawn.text[language], ...(drawn.box && { box: drawn.box }) },
    };
  };
}

function transition({ change, random }: View): QuestionAnswer | undefined {
  if (!change) return undefined;
  return {
    instruction: random.pick([
      { en: 'what changed?', zh: '有什么变化?' },
      { en: 'what happened?', zh: '出现了什么变化?' },
    ]),
    text: change.text,
  };
}

/** Types at once if a field is focused, else names the field to click. */
function typing(view: View): Asked | undefined {
  const { random, split } = view;
  const fields = view.elements.filter(({ kind, disabled }) => (kind === 'field' || kind === 'area') && !disabled);
  if (fields.length === 0) return undefined;
  const focused = fields.find((field) => field.focused);
  const field = focused && random.chance(0.7) ? focused : random.pick(fields);
  const zh = view.language === 'zh' && random.chance(0.5);
  const text = zh
    ? random.pick(wordsZh[split])
    : random.pick([
        () => drawLetters(random, split),
        () => drawLetters(random, split),
        () => random.pick(wordList[split]),
        () => String(random.between(0, 99999)),
        () => `${drawLetters(random, split)}@${drawLetters(random, split)}.com`,
        () => drawLetters(random, split).toUpperCase(),
        () => `${random.pick(wordList[split])} ${drawLetters(random, split)}`,
      ])();
  const language = drawLanguage(view);
  const place = placeOf(view, field);
  if (!place) return undefined;
  const unnamed = focused
    ? field === focused && random.chance(0.6)
    : fields.length === 1 && isUnambiguousKind(view, field.kind) && random.chance(0.5);
  const where = unnamed ? { en: '', zh: '' } : place;
  const instruction =
    language === 'zh'
      ? `${where.zh && `在${where.zh}里`}输入"${text}"`
      : `${random.pick(['type', 'write', 'enter'])} "${text}"${where.en && ` in ${where.en}`}`;
  return {
    kind: 'type',
    gist: 'type',
    instruction,
    answer: field.focused ? { type: 'type', text } : { type: 'point', boxes: [field.box] },
  };
}

function placeOf(view: View, field: Element): Phrase | undefined {
  const { kind, name } = field;
  const noun = kind === 'field' ? { en: 'field', zh: '输入框' } : { en: 'text area', zh: '文本框' };
  if (name !== undefined && fitting(view, (other) => hasText(other, name)).length === 1)
    return { en: `the ${noun.en} "${name}"`, zh: `${noun.zh}"${name}"` };
  const same = fitting(view, (other) => other.kind === kind);
  return same.length === 1 && isUnambiguousKind(view, kind) ? { en: `the ${noun.en}`, zh: noun.zh } : undefined;
}
