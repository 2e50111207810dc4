import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { GyreError } from '@gyre/protocol';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { Bridge } from '../bridge/bridge.js';
import type { OfficialCode } from '../bridge/officialCode.js';
import { Pool } from '../bridge/pool.js';

const helloMs = 120_000;

/** One call per screenshot, and two more, each tried three times. */
const judgeMs = 30 * 60_000;

/** As in Online-Mind2Web's `script/eval.sh`. */
const threshold = 3;

const Hello = z.object({ versions: z.record(z.string(), z.string()) });

/** A line that `run.py` writes. */
const JudgeRecord = z.looseObject({
  task_id: z.string(),
  predicted_label: z.literal([0, 1]),
  key_points: z.string(),
  image_judge_record: z.array(z.looseObject({ Score: z.int().min(0).max(5) })),
  evaluation_details: z.looseObject({ response: z.string().nullable() }),
});
type JudgeRecord = z.infer<typeof JudgeRecord>;
const Judged = z.object({ name: z.string(), record: JudgeRecord });

/** The server of the judge's model. */
export interface JudgeModel {
  /** OpenAI-compatible, with `/v1`. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
}

export interface WebJudgeOptions {
  readonly code: Pick<OfficialCode, 'name' | 'program' | 'python'>;
  /** A clone of Online-Mind2Web. */
  readonly clone: string;
  readonly judge: JudgeModel;
  /** Folder of `run.py`'s result files. Default: none. */
  readonly judgements?: string | undefined;
  /** The most judgements at a time. */
  readonly parallel: number;
}

export interface Judgement {
  readonly success: boolean;
  readonly keyPoints: string;
  /** One per screenshot: 1 to 5, or 0 if the model gave none. */
  readonly scores: readonly number[];
  readonly response: string;
}

/** Online-Mind2Web's own judge: `auto_eval` of a clone's `src/run.py`, at an OpenAI-compatible server. */
export class WebJudge {
  readonly #bridges: Pool<Bridge>;
  readonly #options: WebJudgeOptions;
  readonly versions: Readonly<Record<string, string>>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(options: WebJudgeOptions, bridges: Pool<Bridge>, versions: Readonly<Record<string, string>>) {
    this.#options = options;
    this.#bridges = bridges;
    this.versions = versions;
  }

  /** Throws `bad_input` for a folder without the judge, or with one that does not read format v2. */
  static async open(options: WebJudgeOptions): Promise<WebJudge> {
    let versions: Readonly<Record<string, string>> = {};
    const bridges = new Pool(options.parallel, async () => {
      const { bridge, ...hello } = await startBridge(options);
      ({ versions } = hello);
      return bridge;
    });
    // Fails at once where something is missing.
    await bridges.release(await bridges.acquire());
    return new WebJudge(options, bridges, versions);
  }

  /**
   * Judges a task's folder.
   *
   * @throws GyreError `infra` if the official code throws, or the model gives no outcome, which that code counts as a
   * failure
   */
  async judge(trajectories: string, task: string): Promise<Judgement> {
    const { judge, judgements } = this.#options;
    const bridge = await this.#bridges.acquire();
    try {
      const terms = { trajectories: resolve(trajectories), task, model: judge.model, threshold };
      const { name, record } = await bridge.call('judge', terms, Judged, { timeoutMs: judgeMs });
      const { key_points: keyPoints, predicted_label, image_judge_record, evaluation_details } = record;
      const { response } = evaluation_details;
      if (response === null || response.trim() === '') {
        throw new GyreError('infra', `${judge.model} at ${judge.url} gave no outcome for ${task}`, {
          part: 'model_server',
          field: '--judge',
          fix: 'use a model whose thoughts fit into the 512 tokens that WebJudge asks for',
        });
      }
      if (judgements !== undefined) await this.#keep(join(judgements, name), record);
      const scores = image_judge_record.map(({ Score }) => Score);
      return { success: predicted_label === 1, keyPoints, scores, response };
    } finally {
      await this.#bridges.release(bridge);
    }
  }

  close(): Promise<void> {
    return this.#bridges.close();
  }

  /** Replaces the task's line. `run.py` skips tasks that have one. */
  #keep(file: string, record: JudgeRecord): Promise<void> {
    const write = this.#writing.then(async () => {
      const text = await readFile(file, 'utf8').catch(() => '');
      const lines = text.split('\n').filter((line) => line !== '' && taskOf(line) !== record.task_id);
      await mkdir(dirname(file), { recursive: true });
      await writeFileAtomic(file, [...lines, JSON.stringify(record), ''].join('\n'));
    });
    this.#writing = write.catch(() => undefined);
    return write;
  }
}

async function startBridge({ code, clone, judge }: WebJudgeOptions) {
  const bridge = new Bridge({
    ...{ name: code.name, program: code.python, args: [code.program] },
    // The official code insists on a key.
    env: { OPENAI_BASE_URL: judge.url, OPENAI_API_KEY: judge.apiKey ?? 'none' },
  });
  try {
    const { versions } = await bridge.call('hello', { clone: resolve(clone) }, Hello, { timeoutMs: helloMs });
    return { bridge, versions };
  } catch (error) {
    await bridge.close(0);
    if (!(error instanceof GyreError) || error.code !== 'bad_input') throw error;
    throw new GyreError('bad_input', error.message, {
      field: '--online-mind2web',
      fix: 'use a clone of https://github.com/OSU-NLP-Group/Online-Mind2Web',
    });
  }
}

/** Returns undefined for a line that is no record. */
function taskOf(line: string): string | undefined {
  try {
    return z.looseObject({ task_id: z.string() }).parse(JSON.parse(line)).task_id;
  } catch {
    return undefined;
  }
}
