import type { ListenOptions, Server, Socket } from 'node:net';
import { GyreError } from '@gyre/protocol';
import { callLog } from './callLog.js';
import { type Checkpoint, type CheckpointOptions, keptTerms } from './checkpoint.js';
import { Control } from './control.js';
import type { Desktop } from './desktop/desktop.js';
import type { Enclosure } from './enclosure/enclosure.js';
import { forward } from './enclosure/forward.js';
import type { Files } from './files/files.js';
import type { Frame } from './frame.js';
import { FrameFeed, type FramesOptions } from './frameFeed.js';
import { restoreHome, saveHome } from './homeArchive.js';
import { Journal, replay } from './journal.js';
import { type CallListener, Lease } from './lease.js';
import type { Machine } from './machine.js';
import { record, type RecordOptions, type Recording } from './recording.js';
import type { MachineTerms, SandboxSession } from './sandbox.js';
import type { BrowserSurface, Screen } from './session.js';
import type { SessionLog, SessionLogs } from './sessionLog.js';
import type { Shell } from './shell/shell.js';
import type { SessionState } from './state.js';
import type { Tools } from './tools/tools.js';
import type { Vm } from './vm/vm.js';

const both =
  (...listeners: readonly CallListener[]): CallListener =>
  (...call) => {
    for (const listener of listeners) listener(...call);
  };

/** Shares of a session's time that being watched may take: while it is used, and while who watches is who uses it. */
const watchedShare = 1 / 10;
const heldShare = 1 / 2;

/** A session of a machine, from its lease to its end. */
export class MachineSession implements SandboxSession {
  readonly kind: SandboxSession['kind'];
  readonly screen: Screen;
  readonly browser?: BrowserSurface;
  readonly desktop?: Desktop;
  readonly vm?: Vm;
  readonly home: string;
  readonly shell: Shell;
  readonly files: Files;
  readonly ended: Promise<void>;
  readonly tools: Tools;
  readonly control: Control;
  readonly #lease: Lease;
  readonly #enclosure: Enclosure;
  readonly #seen: Screen;
  readonly #feed: FrameFeed;
  readonly #recordings = new Set<Recording>();
  readonly #log: SessionLog;
  readonly #terms: MachineTerms;
  readonly #journal = new Journal();

  constructor(
    readonly id: string,
    terms: MachineTerms,
    machine: Machine,
    ttlMs: number,
    onEnd: () => void,
  ) {
    const { driver, enclosure } = machine;
    let closed: () => void = () => undefined;
    this.ended = new Promise((resolve) => (closed = resolve));
    const lease = new Lease(ttlMs, async () => {
      onEnd();
      this.#feed.end();
      this.control.close();
      const recorded = [...this.#recordings].map((recording) => recording.ended);
      await Promise.all([machine.close(), ...recorded]).finally(() => {
        machine.log.add('lease', 'ended, and nothing is left of its machine');
        closed();
      });
    });
    this.#lease = lease;
    const { log } = machine;
    this.#log = log;
    this.#terms = terms;
    this.#enclosure = enclosure;
    this.kind = terms.kind;
    const { screen, browser, desktop } = driver;
    // On a free clock nothing can be replayed.
    const journal = browser && terms.clock !== 'free' ? this.#journal.hear : () => undefined;
    log.add('lease', `leased as ${id}: ${this.kind}, ${screen.size.width} x ${screen.size.height} px`);
    this.#seen = screen;
    this.home = enclosure.home;
    const used = lease.surface(screen, { heard: both(callLog(log, 'screen'), journal) });
    this.control = new Control(used);
    this.#feed = new FrameFeed(
      () => driver.look(),
      () => (this.control.holder === undefined ? watchedShare : heldShare),
    );
    this.screen = this.control.guard(used);
    if (browser) {
      // Clients of its endpoint keep the lease as well.
      const cdp = () => browser.cdp({ onCommand: () => lease.renew() });
      this.browser = lease.surface(browser, { instead: { cdp }, heard: both(callLog(log, 'browser'), journal) });
    }
    if (desktop) this.desktop = this.control.guard(lease.surface(desktop, { heard: callLog(log, 'desktop') }));
    if (driver.vm) this.vm = this.control.guard(lease.surface(driver.vm, { heard: callLog(log, 'vm') }));
    this.shell = lease.surface(machine.shell, { heard: callLog(log, 'shell') });
    this.files = lease.surface(machine.files, { heard: callLog(log, 'files') });
    // A server that runs is used through the server, not through the surface that has started it.
    this.tools = machine.tools;
    this.tools.use = (work) => {
      log.add('action', 'tools');
      return lease.use(work);
    };
    void machine.broken.then((reason) => lease.break(reason));
    void lease.broken.then(({ message }) => log.add('lease', `broken: ${message}`));
  }

  get state(): SessionState {
    return this.#lease.state;
  }

  get broken(): Promise<GyreError> {
    return this.#lease.broken;
  }

  async *frames(options: FramesOptions = {}): AsyncGenerator<Frame, void> {
    try {
      yield* this.#feed.frames(options);
    } catch (error) {
      // It ended while it was looked at.
      if (this.state === 'leased') throw error;
    }
  }

  async record(options: RecordOptions): Promise<Recording> {
    this.#lease.check();
    const recording = await record(options, (watch) => this.frames(watch));
    this.#recordings.add(recording);
    void recording.ended.then(() => this.#recordings.delete(recording));
    return recording;
  }

  async connect(port: number): Promise<Socket> {
    return this.#inside().connect(port);
  }

  async forward(port: number, at: Pick<ListenOptions, 'path' | 'host' | 'port'> = {}): Promise<Server> {
    return forward(this.#inside(), port, at);
  }

  checkpoint({ maxBytes = 2 ** 25 }: CheckpointOptions = {}): Promise<Checkpoint> {
    return this.#lease.use(async () => {
      const terms = keptTerms(this.#terms);
      let page: Checkpoint['page'];
      if (this.browser) {
        // Waits for all calls before it: what is in the journal then has led to this frame.
        const { hash } = await this.#seen.observe();
        page = { steps: [...this.#journal.steps], hash };
      }
      const home = await saveHome(this.#enclosure, maxBytes);
      this.#log.add('lease', 'checkpointed');
      return {
        version: 1,
        at: new Date().toISOString(),
        terms,
        ...(page && { page }),
        home: home.toString('base64'),
      };
    });
  }

  /** Becomes what a checkpoint says. */
  async restore({ page, home }: { page: Checkpoint['page']; home: Uint8Array }, at: string): Promise<void> {
    if (page && this.browser) {
      await replay(page.steps, this.screen, this.browser);
      const { hash } = await this.screen.observe();
      if (hash !== page.hash) {
        throw new GyreError('corrupt', 'the replay ended with another frame than the checkpoint', {
          field: 'page.hash',
          fix: 'use the browser that it was made with; what a page has of the network or of the shell is not replayed',
        });
      }
    }
    // After the page: what it lets be downloaded once more is replaced by what there was.
    await this.#lease.use(() => restoreHome(this.#enclosure, home));
    this.#log.add('lease', `restored from a checkpoint of ${at}`);
  }

  logs(): SessionLogs {
    return this.#log.read();
  }

  renew(): void {
    this.#lease.renew();
  }

  release(): Promise<void> {
    if (this.state === 'leased') this.#log.add('lease', 'released');
    return this.#lease.release();
  }

  /** The enclosure, where it has a network of its own. */
  #inside(): Enclosure {
    this.#lease.check();
    if (this.#enclosure.kind !== 'none') return this.#enclosure;
    throw new GyreError('bad_input', 'a session without walls has no ports of its own', {
      field: 'port',
      fix: 'lease it where walls can be built; gyre doctor says what is missing',
    });
  }
}
