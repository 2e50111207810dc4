import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentAction, Frame } from '@gyre/protocol';

/** One task's folder, as OSWorld's `lib_run_single.py` writes it and its `show_result.py` and monitor read it. */
export class ResultFolder {
  readonly #folder: string;
  readonly #counted: boolean;
  #steps = 0;

  private constructor(folder: string, counted: boolean) {
    this.#folder = folder;
    this.#counted = counted;
  }

  /**
   * Replaces what an attempt before has left.
   *
   * @param counted whether to write `results.json`, which WindowsAgentArena-V2's `count.py` reads
   */
  static async create(folder: string, counted = false): Promise<ResultFolder> {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    return new ResultFolder(folder, counted);
  }

  async step(actions: readonly AgentAction[], { png }: Frame, done: boolean): Promise<void> {
    const time = timestamp(new Date());
    const [number, file] = [++this.#steps, `step_${this.#steps}_${time}.png`];
    await writeFile(join(this.#folder, file), png);
    const line = {
      ...{ step_num: number, action_timestamp: time, action: JSON.stringify(actions), response: '' },
      ...{ reward: 0, done, info: {}, screenshot_file: file },
    };
    await appendFile(join(this.#folder, 'traj.jsonl'), `${JSON.stringify(line)}\n`);
  }

  /** Without a score there is no `result.txt`, and OSWorld's scripts leave the task out. */
  async score(score: number): Promise<void> {
    await writeFile(join(this.#folder, 'result.txt'), `${score}\n`);
    if (!this.#counted) return;
    await writeFile(join(this.#folder, 'results.json'), JSON.stringify([{ step: this.#steps, score }]));
  }

  async error(message: string): Promise<void> {
    await appendFile(join(this.#folder, 'traj.jsonl'), `${JSON.stringify({ Error: message })}\n`);
  }
}

/** Formats as Python's `%Y%m%d@%H%M%S%f`, in UTC. */
function timestamp(date: Date): string {
  const [day = '', time = ''] = date.toISOString().split('T');
  return `${day.replaceAll('-', '')}@${time.replace(/[:.Z]/g, '')}000`;
}
