import {
  type NativeEngine,
  type NativeAction,
  type NativeSampleRequest,
  contextTokens,
  longestContext,
  vocabularyOf,
} from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import type { PerceptionSample, Question, QuestionKind } from '@gyre/tasks';
import { type Share, wilson } from '../metrics/statistics.js';

export interface PageResult extends Share {
  kind: QuestionKind;
  /** Width x height in px. */
  size: string;
  language: 'en' | 'zh';
  n: number;
}

const atOnce = 64;

/**
 * Asks every question greedily. Correct answers click inside a box or type exactly the text. Questions too long for the
 * model count as wrong.
 */
export async function evaluatePages(
  engine: Pick<NativeEngine, 'sample'>,
  samples: AsyncIterable<readonly PerceptionSample[]>,
  options: { signal?: AbortSignal | undefined; onPages?: (pages: number) => void } = {},
): Promise<PageResult[]> {
  const counts = new Map<
    string,
    { kind: QuestionKind; size: string; language: 'en' | 'zh'; n: number; right: number }
  >();
  let pages = 0;
  for await (const chunk of samples) {
    if (options.signal?.aborted) break;
    const questions = chunk.flatMap((sample, i) =>
      // Caches the encoded screen under this name.
      sample.questions.map((question) => ({
        sample,
        question,
        hash: `page ${pages + i} of ${sample.size.width}x${sample.size.height}`,
      })),
    );
    for (let from = 0; from < questions.length; from += atOnce) {
      const some = questions.slice(from, from + atOnce);
      const answers = await answersOf(engine, some);
      for (const [i, { sample, question }] of some.entries()) {
        const size = `${sample.size.width}x${sample.size.height}`;
        const language = /\p{Script=Han}/u.test(question.instruction.replaceAll(/"[^"]*"/g, '')) ? 'zh' : 'en';
        const name = `${question.kind} ${size} ${language}`;
        const count = counts.get(name) ?? { kind: question.kind, size, language, n: 0, right: 0 };
        count.n++;
        if (isRight(question, answers[i], sample)) count.right++;
        counts.set(name, count);
      }
    }
    pages += chunk.length;
    options.onPages?.(pages);
  }
  return [...counts.values()].map(({ right, ...count }) => ({ ...count, ...wilson(right, count.n) }));
}

async function answersOf(
  engine: Pick<NativeEngine, 'sample'>,
  questions: readonly { sample: PerceptionSample; question: Question; hash: string }[],
): Promise<(NativeAction | undefined)[]> {
  const answers = new Array<NativeAction | undefined>(questions.length);
  const places: number[] = [];
  const requests: NativeSampleRequest[] = [];
  for (const [i, { sample, question, hash }] of questions.entries()) {
    const { size, pixels, before } = sample;
    const tokens = contextTokens(vocabularyOf(size), question.instruction, []);
    if (tokens.length > longestContext) continue;
    const earlier = before ? [{ hash: `${hash} before`, pixels: before, size }] : [];
    places.push(i);
    requests.push({ input: { screenshots: [...earlier, { hash, pixels, size }], tokens }, temperature: 0, seed: 0 });
  }
  for (const [k, { tokens }] of (await engine.sample(requests)).entries()) {
    const i = places[k] ?? 0;
    const size = questions[i]?.sample.size;
    if (!size) continue;
    try {
      answers[i] = vocabularyOf(size).decode(tokens).action;
    } catch (error) {
      // The answer was truncated.
      if (!(error instanceof GyreError && error.code === 'bad_input')) throw error;
    }
  }
  return answers;
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
