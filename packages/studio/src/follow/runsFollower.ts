import type { RunFolders } from '../server/runFolders.js';
import type { StudioEvent } from '../server/trainingWire.js';
import { EventLog } from './eventLog.js';
import { RunFollower } from './runFollower.js';

const newRunsMs = 3_000;
/** A page that is loaded again finds its place. */
const lingerMs = 20_000;

/** Follows all runs while somebody reads, and nothing otherwise. */
export class RunsFollower {
  readonly log = new EventLog<StudioEvent>();
  readonly #runs: RunFolders;
  readonly #followed = new Map<string, RunFollower>();
  #readers = 0;
  /** All that were there at first are followed. */
  #isComplete = false;
  #timer: NodeJS.Timeout | undefined;
  #resting: NodeJS.Timeout | undefined;
  #starting: Promise<void> = Promise.resolve();

  constructor(runs: RunFolders) {
    this.#runs = runs;
  }

  /** Calls of this and `leave` must match. */
  async join(): Promise<void> {
    this.#readers++;
    clearTimeout(this.#resting);
    this.#timer ??= setInterval(() => this.#findRuns(), newRunsMs).unref();
    this.#findRuns();
    await this.#starting;
  }

  leave(): void {
    this.#readers--;
    if (this.#readers === 0) this.#resting = setTimeout(() => this.#rest(), lingerMs).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#resting);
    await this.#starting;
    this.#rest();
    this.log.close();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    for (const follower of this.#followed.values()) follower.stop();
    this.#followed.clear();
    this.#isComplete = false;
    this.log.interrupt();
  }

  /** Runs may begin at any time. */
  #findRuns(): void {
    this.#starting = this.#starting.then(async () => {
      for (const name of await this.#runs.names()) {
        if (this.#followed.has(name)) continue;
        // A folder that cannot be read is tried again.
        const follower = await this.#runs
          .open(name)
          .then((run) => RunFollower.start(run, (event) => this.log.add(event)))
          .catch(() => undefined);
        if (!follower) continue;
        this.#followed.set(name, follower);
        if (this.#isComplete) await follower.tellRun();
      }
      this.#isComplete = true;
    });
  }
}
