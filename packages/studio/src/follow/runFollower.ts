import { join } from 'node:path';
import { type Lake, type LakeEvent, watchFolder } from '@gyre/lake';
import { independentVerdict } from '@gyre/protocol';
import { turnWords } from '../actionWords.js';
import { rowOf } from '../server/episodeTable.js';
import type { StudioEvent } from '../server/trainingWire.js';
import { journalFolders, readJournal, type RunJournal } from '../runs/runJournal.js';
import { runProgress } from '../runs/runProgress.js';
import { summaryOf } from '../runs/runReport.js';
import { updatePoint, type UpdatePoint } from '../runs/updateLine.js';
import { allUpdates } from '../runs/updates.js';
import { LineTail } from './lineTail.js';

const livenessMs = 3_000;

/** Follows one run: its updates, its stages, whether its process lives, and its episodes. */
export class RunFollower {
  readonly #run: string;
  readonly #directory: string;
  readonly #tell: (event: StudioEvent) => void;
  readonly #stops: (() => void)[] = [];

  readonly #tail: LineTail;
  #updates: UpdatePoint[] = [];
  #journal: RunJournal | undefined;
  #state = '';

  private constructor(run: string, directory: string, tell: (event: StudioEvent) => void) {
    this.#run = run;
    this.#directory = directory;
    this.#tell = tell;
    this.#tail = new LineTail(join(directory, 'updates.jsonl'));
  }

  static async start(
    { name, directory, lake }: { readonly name: string; readonly directory: string; readonly lake: Lake },
    tell: (event: StudioEvent) => void,
  ): Promise<RunFollower> {
    const follower = new RunFollower(name, directory, tell);
    // Watched before it is read, so that nothing falls between.
    let begin: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => {
      begin = resolve;
    });
    for (const folder of journalFolders) {
      const look = (names: ReadonlySet<string>): Promise<void> => ready.then(() => follower.#look(names));
      follower.#stops.push(watchFolder(join(directory, folder), look));
    }
    await follower.#readUpdates();
    follower.#journal = await readJournal(directory);
    follower.#state = (await runProgress(directory, follower.#journal)).state;
    follower.#stops.push(await lake.follow((event) => follower.#tellEpisode(event)));
    begin();
    const timer = setInterval(() => void follower.#lookAlive(), livenessMs).unref();
    follower.#stops.push(() => clearInterval(timer));
    return follower;
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  async #look(names: ReadonlySet<string>): Promise<void> {
    if (names.has('updates.jsonl')) {
      for (const update of await this.#readUpdates()) this.#tell({ type: 'update', run: this.#run, update });
    }
    if (names.has('state.json')) this.#journal = await readJournal(this.#directory);
    if (['state.json', 'result.json', 'settings.json', 'lock'].some((name) => names.has(name))) await this.tellRun();
  }

  async #readUpdates(): Promise<UpdatePoint[]> {
    const fresh = (await this.#tail.lines()).flatMap((line) => updatePoint(line) ?? []);
    this.#updates = allUpdates([...this.#updates, ...fresh]);
    return fresh;
  }

  /** A process that is killed writes nothing. */
  async #lookAlive(): Promise<void> {
    const { state } = await runProgress(this.#directory, this.#journal);
    if (state !== this.#state) await this.tellRun();
  }

  async tellRun(): Promise<void> {
    const progress = await runProgress(this.#directory, this.#journal);
    this.#state = progress.state;
    const summary = { progress, ...summaryOf(this.#journal, this.#updates) };
    this.#tell({ type: 'run.progress', run: this.#run, summary });
  }

  #tellEpisode(event: LakeEvent): void {
    const run = this.#run;
    const { start } = event;
    if (event.type === 'begin') {
      const episode = rowOf({ ...start, turns: [], end: { state: 'cut' } }, 'running');
      this.#tell({ type: 'episode.begin', run, episode });
    } else if (event.type === 'turn') {
      const { index: turn, by, reward, observation } = event.turn;
      const { screenshot } = observation;
      this.#tell({
        ...{ type: 'episode.turn', run, id: start.id, turn, reward, screenshot },
        words: turnWords(event.turn, start.observation.size),
        ...(by !== undefined && { by }),
      });
    } else if (event.type === 'retract') {
      this.#tell({ type: 'episode.retract', run, id: start.id, turns: event.turns });
    } else {
      const { turns, end, verdict } = event;
      const judged = end && verdict && independentVerdict({ ...start, verdict });
      this.#tell({
        ...{ type: 'episode.end', run, id: start.id, purpose: start.purpose, turns },
        ...(end && { state: end.state }),
        ...(judged && { success: judged.success }),
      });
    }
  }
}
