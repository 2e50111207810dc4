import type { ScreenReader } from '@gyre/agent';
import {
  type NativeEngine,
  type NativeAction,
  type NativeInput,
  contextTokens,
  longestContext,
  vocabularyOf,
} from '@gyre/engine';
import { GyreError, type TextLine } from '@gyre/protocol';
import type { PerceptionSample, Question, QuestionKind } from '@gyre/tasks';
import { type Share, wilson } from '../metrics/statistics.js';

export interface PageResult extends Share {
  kind: QuestionKind;
  /** Width x height in px. */
  size: string;
  language: 'en' | 'zh';
  n: number;
  /** Questions that the policy cannot be asked. */
  unasked: number;
}

interface PageOptions {
  /** Reads the screens for a policy with a reader, which sees one screen: it is not asked about transitions. */
  readonly reader?: ScreenReader | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onPages?: (pages: number) => void;
}

interface Asked {
  readonly sample: PerceptionSample;
  readonly question: Question;
  /** Names the encoded screen. */
  readonly hash: string;
  readonly lines: readonly TextLine[] | undefined;
}

const atOnce = 64;

/**
 * Asks every question greedily. Correct answers click inside a box or type exactly the text. Questions too long for the
 * model count as wrong.
 */
export async function evaluatePages(
  engine: Pick<NativeEngine, 'sample'>,
  samples: AsyncIterable<readonly PerceptionSample[]>,
  { reader, signal, onPages }: PageOptions = {},
): Promise<PageResult[]> {
  const counts = new Map<string, Omit<PageResult, keyof Share> & { right: number }>();
  const countOf = ({ sample, question }: Asked) => {
    const size = `${sample.size.width}x${sample.size.height}`;
    const language = /\p{Script=Han}/u.test(question.instruction.replaceAll(/"[^"]*"/g, '')) ? 'zh' : 'en';
    const name = `${question.kind} ${size} ${language}`;
    const count = counts.get(name) ?? { kind: question.kind, size, language, n: 0, unasked: 0, right: 0 };
    counts.set(name, count);
    return count;
  };
  let pages = 0;
  for await (const chunk of samples) {
    if (signal?.aborted) break;
    const readings = reader && (await Promise.all(chunk.map((sample) => reader.read(sample))));
    const questions = chunk.flatMap((sample, i): Asked[] => {
      const hash = `page ${pages + i} of ${sample.size.width}x${sample.size.height}`;
      return sample.questions.map((question) => ({ sample, question, hash, lines: readings?.[i]?.lines }));
    });
    const askable = questions.filter(({ question, lines }) => !lines || question.kind !== 'transition');
    for (const question of questions) if (!askable.includes(question)) countOf(question).unasked++;
    for (let from = 0; from < askable.length; from += atOnce) {
      const some = askable.slice(from, from + atOnce);
      const answers = await answersOf(engine, some);
      for (const [i, question] of some.entries()) {
        const count = countOf(question);
        count.n++;
        if (isRight(question.question, answers[i], question.sample)) count.right++;
      }
    }
    pages += chunk.length;
    onPages?.(pages);
  }
  return [...counts.values()].map(({ right, ...count }) => ({ ...count, ...wilson(right, count.n) }));
}

async function answersOf(
  engine: Pick<NativeEngine, 'sample'>,
  questions: readonly Asked[],
): Promise<(NativeAction | undefined)[]> {
  const inputs = questions.map(inputOf);
  const requests = inputs.flatMap((input) => (input ? [{ input, temperature: 0, seed: 0 }] : []));
  const sampled = (await engine.sample(requests)).values();
  return questions.map(({ sample, lines }, i) => {
    const answer = inputs[i] && sampled.next().value;
    if (!answer || lines) return answer?.turn?.action;
    try {
      return vocabularyOf(sample.size).decode(answer.tokens).action;
    } catch (error) {
      // The answer was truncated.
      if (error instanceof GyreError && error.code === 'bad_input') return undefined;
      throw error;
    }
  });
}

/** Returns undefined for a question that is too long. */
function inputOf({ sample, question: { instruction }, hash, lines }: Asked): NativeInput | undefined {
  const { size, pixels, before } = sample;
  if (lines) return { screenshots: [{ hash, pixels, size, lines }], tokens: [], scene: { instruction, past: [] } };
  const tokens = contextTokens(vocabularyOf(size), instruction, []);
  if (tokens.length > longestContext) return undefined;
  const earlier = before ? [{ hash: `${hash} before`, pixels: before, size }] : [];
  return { screenshots: [...earlier, { hash, pixels, size }], tokens };
}

function isRight({ answer }: Question, action: NativeAction | undefined, { size }: PerceptionSample): boolean {
  switch (answer.type) {
    case 'point': {
      if (action?.type !== 'click') return false;
      const [x, y] = [action.point.x * size.width, action.point.y * size.height];
      return answer.boxes.some((box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height);
    }
    case 'text':
      return action?.type === 'finished' && action.answer === answer.text;
    case 'type':
      return action?.type === 'type' && action.text === answer.text;
  }
}

export function pooled(results: readonly PageResult[]): Share & { n: number } {
  const n = results.reduce((sum, one) => sum + one.n, 0);
  const right = results.reduce((sum, one) => sum + Math.round(one.success * one.n), 0);
  return { n, ...wilson(right, n) };
}
