import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';

/** A line of the file that SWE-bench's harness and leaderboard take. */
export interface Prediction {
  readonly instance_id: string;
  readonly model_name_or_path: string;
  readonly model_patch: string;
}

/** Predictions and logs, in the folders of SWE-bench's `run_evaluation`. */
export class SwebenchResults {
  /** By instance: a later attempt replaces an earlier one. */
  readonly #predictions = new Map<string, Prediction>();
  #written: Promise<void> = Promise.resolve();

  constructor(
    readonly folder: string,
    readonly run: string,
  ) {}

  get predictions(): readonly Prediction[] {
    return [...this.#predictions.values()];
  }

  /** Adds a prediction, and rewrites `predictions.jsonl`. */
  async add(prediction: Prediction): Promise<void> {
    this.#predictions.set(prediction.instance_id, prediction);
    const written = this.#written.then(() =>
      writeFileAtomic(
        join(this.folder, 'predictions.jsonl'),
        this.predictions.map((each) => `${JSON.stringify(each)}\n`).join(''),
      ),
    );
    this.#written = written.catch(() => undefined);
    await written;
  }

  /** Writes files of an instance's log folder, such as `test_output.txt`. */
  async log(prediction: Prediction, files: Readonly<Record<string, string>>): Promise<void> {
    const { instance_id: id, model_name_or_path: model } = prediction;
    const folder = join(this.folder, 'logs', 'run_evaluation', this.run, model.replaceAll('/', '__'), id);
    await mkdir(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  }
}
