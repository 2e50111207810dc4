import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { GyreError, type Split, type Task } from '@gyre/protocol';
import { BrowserPool, type Machines, SessionEnvironment } from '@gyre/sandbox';
import type { AnyFamily, AnyInstance, JudgeOptions, TaskFamily } from '@gyre/tasks';
import { z } from 'zod';
import type { Benchmark } from '../benchmark.js';
import { Bridge } from '../bridge/bridge.js';
import { commitOf } from '../bridge/clone.js';
import { OfficialCode } from '../bridge/officialCode.js';
import { decrypt } from './cipher.js';
import { fill } from './grading.js';
import { BrowseCompResults, type BrowseCompQuestion } from './results.js';
import { browseCompVerifier } from './verifier.js';

const name = 'browsecomp';

const screen = { width: 1280, height: 720 };

/** BrowseComp has no limit. */
const stepBudget = 100;

const readMs = 120_000;

const Hello = z.object({
  language: z.enum(['en', 'zh']),
  clone: z.string(),
  encrypted: z.boolean(),
  query: z.string(),
  grader: z.string(),
  questions: z
    .array(z.object({ topic: z.string(), question: z.string(), answer: z.string(), canary: z.string() }))
    .min(1),
  versions: z.record(z.string(), z.string()),
});
type Hello = z.infer<typeof Hello>;

export interface BrowseCompOptions {
  readonly code?: OfficialCode;
  /** The official file of questions: English .csv, Chinese .xlsx, or .json as BrowseComp-ZH's program decrypts it. */
  readonly file: string;
  /** A clone of simple-evals, for the English questions. The Chinese file has to be in its own clone. */
  readonly simpleEvals?: string | undefined;
  /** The model that grades answers. */
  readonly judge: JudgeOptions;
  /** Folder for result files. Default: none. */
  readonly results?: string | undefined;
  /** Names the agent in the results. */
  readonly player?: string | undefined;
}

export const browseCompCode = () =>
  new OfficialCode({
    name,
    requirements: new URL('./requirements.txt', import.meta.url),
    program: new URL('./bridge.py', import.meta.url),
  });

/** Reads questions, still encrypted, and official prompts. */
export async function readBrowseComp({
  code = browseCompCode(),
  file,
  simpleEvals,
}: Pick<BrowseCompOptions, 'code' | 'file' | 'simpleEvals'>): Promise<Hello> {
  const bridge = new Bridge({ name, program: code.python, args: [code.program] });
  try {
    const terms = { file: resolve(file), simpleEvals: simpleEvals === undefined ? null : resolve(simpleEvals) };
    return await bridge.call('hello', terms, Hello, { timeoutMs: readMs });
  } finally {
    await bridge.close();
  }
}

/** Returns the questions in clear text. Throws `bad_input` for a question that does not decrypt. */
export function decrypted({
  language,
  encrypted,
  questions,
}: Pick<Hello, 'language' | 'encrypted' | 'questions'>): BrowseCompQuestion[] {
  if (!encrypted) return questions;
  return questions.map(({ topic, question, answer, canary }) => ({
    question: decrypt(question, canary),
    answer: decrypt(answer, canary),
    // The English topics are in clear text.
    topic: language === 'zh' ? decrypt(topic, canary) : topic,
    canary,
  }));
}

/**
 * Opens BrowseComp or BrowseComp-ZH. Agents have a browser with access to the whole web, and `Search` and `LinkReader`
 * where a search service is given. A model grades the answer of `finished` by the official prompt.
 *
 * @throws GyreError `missing` before `gyre bench prepare browsecomp`, `bad_input` for files that do not fit
 */
export async function openBrowseComp(options: BrowseCompOptions): Promise<Benchmark> {
  const { file, judge, results: folder, player = 'gyre' } = options;
  const read = await readBrowseComp(options);
  const { language, clone, grader: template } = read;
  const questions = decrypted(read);
  const results = new BrowseCompResults({ language, folder, player });
  const grader = { language, template, judge };
  let pool: Promise<BrowserPool> | undefined;
  const lease: Machines['lease'] = async ({ size }) => {
    pool ??= BrowserPool.launch({ clock: 'free', network: 'any' });
    return (await pool).lease({ size });
  };
  const families = [familyOf()];
  const hash = createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
    .slice(0, 12);
  const source = language === 'zh' ? 'BrowseComp-ZH' : 'simple-evals';
  const landmark = language === 'zh' ? 'prompt.py' : 'browsecomp_eval.py';
  return {
    name: language === 'zh' ? 'browsecomp-zh' : name,
    revision: `grader of ${source} ${await commitOf(clone, landmark)}, asked of ${judge.model}, questions ${hash}`,
    suite: Object.fromEntries(families.map((family) => [family.name, family])),
    total: language === 'zh' ? 289 : 1_266,
    leftOut: [],
    notes: () => results.lines(),
    close: async () => (await pool?.catch(() => undefined))?.close(),
  };

  function familyOf(): AnyFamily {
    const family: TaskFamily<BrowseCompInstance> = {
      name: `${name}.${language}`,
      description: `Questions of ${language === 'zh' ? 'BrowseComp-ZH' : 'BrowseComp'}, whose answers are on the web.`,
      heldOut: true,
      unscripted: true,
      seeds: questions.map((_, index) => index),
      create(_split: Split, seed: number): BrowseCompInstance {
        const question = questions[seed];
        if (!question) throw noQuestion(seed, questions.length);
        const task: Task = {
          ...{ id: `${name}.${language}/test/${seed}`, family: `${name}.${language}`, split: 'test', seed },
          ...{ instruction: instructionOf(read, question.question), surfaces: ['screen'], screen, stepBudget },
        };
        return { task, index: seed, question };
      },
      open(instance, machines) {
        const setUp = () => Promise.resolve(browseCompVerifier(instance, grader, results));
        return new SessionEnvironment({ task: instance.task, machines: { lease, sdk: machines.sdk }, setUp });
      },
    };
    return family;
  }
}

interface BrowseCompInstance extends AnyInstance {
  readonly index: number;
  readonly question: BrowseCompQuestion;
}

/**
 * Returns the question and the format of the answer. BrowseComp-ZH's system prompt begins with a paragraph that forbids
 * looking things up, since it was written for models without a browser: only the paragraphs after it are used.
 */
function instructionOf({ language, query }: Pick<Hello, 'language' | 'query'>, question: string): string {
  if (language === 'en')
    return `${fill(query, { Question: question })}\n\nGive the whole response as the answer of \`finished\`.`;
  const format = query
    .trim()
    .split(/\n\s*\n/)
    .slice(1)
    .join('\n\n');
  return `${question}\n\n${format}\n\n请把完整的回复作为 \`finished\` 的答案给出。`;
}

const noQuestion = (seed: number, count: number) =>
  new GyreError('bad_input', `BrowseComp has no question ${seed}`, { field: 'seed', fix: `use 0 to ${count - 1}` });
