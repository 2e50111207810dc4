import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { playerFolder } from '../bridge/clone.js';
import { encrypt } from './cipher.js';
import { calibrationError, type Grade } from './grading.js';

export type Language = 'en' | 'zh';

export interface BrowseCompQuestion {
  readonly topic: string;
  readonly question: string;
  readonly answer: string;
  /** The key of its encryption. */
  readonly canary: string;
}

export interface GradedAnswer {
  readonly index: number;
  readonly question: BrowseCompQuestion;
  readonly response: string;
  readonly grade: Grade;
}

export interface BrowseCompResultsOptions {
  readonly language: Language;
  /** Parent of the files. Default: writes none. */
  readonly folder?: string | undefined;
  readonly player: string;
}

/**
 * Graded answers, counted and written as the official programs do. All text in the files is encrypted with the canary of
 * its question; BrowseComp-ZH's statistics read none of it.
 */
export class BrowseCompResults {
  readonly #options: BrowseCompResultsOptions;
  /** By index: a later attempt replaces an earlier one. */
  readonly #graded = new Map<number, GradedAnswer>();
  #written: Promise<void> = Promise.resolve();

  constructor(options: BrowseCompResultsOptions) {
    this.#options = options;
  }

  /** Adds an answer, and rewrites the files. */
  async add(graded: GradedAnswer): Promise<void> {
    this.#graded.set(graded.index, graded);
    const written = this.#written.then(() => this.#write());
    this.#written = written.catch(() => undefined);
    await written;
  }

  /** Returns accuracy and calibration error of all graded answers. */
  lines(): string[] {
    const grades = this.#grades();
    if (grades.length === 0) return [];
    const count = (wanted: Grade['correct']) => grades.filter(({ correct }) => correct === wanted).length;
    const percent = (value: number) => `${value.toFixed(1)} %`;
    const accuracy = percent((100 * count('yes')) / grades.length);
    if (this.#options.language === 'en')
      return [
        `graded answers: ${grades.length}, accuracy ${accuracy}; simple-evals itself counts 0, since it compares ` +
          'match.group(0), "correct: yes", with "yes"',
      ];
    const unclear = count('none') === 0 ? '' : `, ${count('none')} without a verdict of the grader`;
    return [
      `graded answers: ${grades.length}, accuracy ${accuracy}, calibration error ${percent(calibrationError(grades))}${unclear}`,
    ];
  }

  #grades(): Grade[] {
    return [...this.#graded.values()].map(({ grade }) => grade);
  }

  async #write(): Promise<void> {
    const { folder, language, player } = this.#options;
    if (folder === undefined) return;
    const model = playerFolder(player);
    const directory = join(folder, 'output_data', model);
    await mkdir(directory, { recursive: true });
    const graded = [...this.#graded.values()].sort((a, b) => a.index - b.index);
    const lines = graded.map((each) => `${JSON.stringify(language === 'zh' ? rowZh(each) : rowEn(each))}\n`);
    await writeFileAtomic(join(directory, 'infer.jsonl'), lines.join(''));
    if (language === 'en')
      await writeFileAtomic(join(folder, `browsecomp_${model}.json`), JSON.stringify(metricsOf(graded), undefined, 2));
  }
}

/** Returns a row as BrowseComp-ZH's `run.py` writes it. */
function rowZh(graded: GradedAnswer) {
  const { topic, question, answer, canary } = graded.question;
  const sealed = (text: string) => encrypt(text, canary);
  return { Topic: sealed(topic), Question: sealed(question), Answer: sealed(answer), canary, ...evaluated(graded) };
}

/** Returns the same with the columns of the English file. */
function rowEn(graded: GradedAnswer) {
  const { topic, question, answer, canary } = graded.question;
  const sealed = (text: string) => encrypt(text, canary);
  return { problem: sealed(question), answer: sealed(answer), problem_topic: topic, canary, ...evaluated(graded) };
}

function evaluated({ question: { canary }, response, grade: { correct, answer, confidence } }: GradedAnswer) {
  return {
    eval_result: [
      {
        model_extracted_answer: encrypt(answer, canary),
        model_prediction: encrypt(response, canary),
        is_correct: correct === 'none' ? '' : correct,
        model_extracted_confidence: confidence,
      },
    ],
  };
}

/** Returns the metrics that `simple_evals.py` writes. */
function metricsOf(graded: readonly GradedAnswer[]) {
  const mean = graded.filter(({ grade }) => grade.correct === 'yes').length / graded.length;
  const deviation = Math.sqrt(mean * (1 - mean));
  return {
    ...{ is_correct: mean, 'is_correct:std': deviation, is_incorrect: 1 - mean, 'is_incorrect:std': deviation },
    ...{ score: mean, 'score:std': deviation },
  };
}
