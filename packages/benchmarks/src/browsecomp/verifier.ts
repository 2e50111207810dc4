import { GyreError, type Task, type Verdict } from '@gyre/protocol';
import type { Verifier } from '@gyre/sandbox';
import { type JudgeOptions, judgement } from '@gyre/tasks';
import { fill, type Grade, gradeEn, gradeZh } from './grading.js';
import type { BrowseCompQuestion, BrowseCompResults, Language } from './results.js';

/** As simple-evals' sampler. */
const maxTokens = 2_048;

/** As the official programs send them. */
const systems = { en: 'You are a helpful assistant.', zh: 'you are a helpful assistant!' } as const;

export interface BrowseCompGrader {
  readonly language: Language;
  /** The official grader's prompt. */
  readonly template: string;
  readonly judge: JudgeOptions;
}

/**
 * Asks the model that grades. A server that fails throws `infra`; a reply without a verdict is read as the official
 * programs read it.
 */
async function grade(
  { question, answer }: Pick<BrowseCompQuestion, 'question' | 'answer'>,
  response: string,
  { language, template, judge }: BrowseCompGrader,
): Promise<Grade & { readonly text: string }> {
  const content = fill(template, { question, response, correct_answer: answer });
  const messages = [{ role: 'system', content: systems[language] } as const, { role: 'user', content } as const];
  const read = language === 'zh' ? gradeZh : gradeEn;
  const { verdict, text } = await judgement({ ...judge, maxTokens }, messages, read, 'a grade');
  return { ...verdict, text };
}

/** Grades the answer of `finished` when the verdict is asked for. An agent that gave none is incorrect, without a grader. */
export function browseCompVerifier(
  { task, index, question }: { readonly task: Task; readonly index: number; readonly question: BrowseCompQuestion },
  grader: BrowseCompGrader,
  results: BrowseCompResults,
): Verifier {
  let response: string | undefined;
  let verdict: Promise<Verdict> | undefined;
  const graded = async (): Promise<Verdict> => {
    const none = { correct: 'no', answer: '', confidence: '', text: '' } as const;
    const isAnswered = response !== undefined && response.trim() !== '';
    const { text, ...result } = isAnswered ? await grade(question, response!, grader) : none;
    await results.add({ index, question, response: response ?? '', grade: result });
    const success = result.correct === 'yes';
    // The lake keeps no reference answer.
    const evidence = { index, ...result, ...(isAnswered && { grader: grader.judge.model, judgement: text }) };
    return { success, score: success ? 1 : 0, source: 'judge', evidence };
  };
  return {
    task,
    step(finished) {
      response = finished?.answer ?? response;
      return Promise.resolve({ reward: 0, done: finished !== undefined });
    },
    async verdict() {
      verdict ??= graded();
      try {
        return await verdict;
      } catch (error) {
        verdict = undefined;
        throw error;
      }
    },
    oracle: () =>
      Promise.reject(
        new GyreError('bad_input', 'a question of BrowseComp has no scripted solution', {
          field: '--policy',
          fix: 'use a model',
        }),
      ),
  };
}
