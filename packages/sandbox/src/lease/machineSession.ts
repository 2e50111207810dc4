import type { ListenOptions, Server, Socket } from 'node:net';
import { GyreError } from '@gyre/protocol';
import { checkedNumber } from '../checkedNumber.js';
import { type Checkpoint, type CheckpointOptions, checkpointTerms } from './checkpoint.js';
import type { Desktop } from '../desktop/desktop.js';
import type { Enclosure } from '../isolation/enclosure.js';
import { fork, type Forkable, type ForkOptions } from './fork.js';
import { forward } from '../isolation/forward.js';
import type { Files } from '../files/files.js';
import { restoreHome, saveHome } from '../files/homeArchive.js';
import { Journal, replay } from './journal.js';
import type { MachineKind } from './kind.js';
import type { Machine } from './machine.js';
import type { MachineSurfaces } from './sandboxSession.js';
import type { MachineTerms } from './machineTerms.js';
import { ScreenSession, type SessionTerms } from './screenSession.js';
import type { BrowserSurface, Screen } from './session.js';
import type { Shell } from '../shell/shell.js';
import type { Tools } from '../tools/tools.js';
import type { Vm } from '../vm/vm.js';

interface MachineSessionTerms extends Omit<SessionTerms<MachineKind>, 'kind'> {
  /** Leases a session like this one from a checkpoint. */
  readonly restore: (checkpoint: Checkpoint, lease: Omit<ForkOptions, 'count'>) => Promise<MachineSurfaces>;
}

/** Limit of a packed home, which becomes a single string. */
const maxArchive = 2 ** 28;

export class MachineSession extends ScreenSession<MachineKind> implements MachineSurfaces {
  readonly browser?: BrowserSurface;
  readonly desktop?: Desktop;
  readonly vm?: Vm;
  readonly home: string;
  readonly apart: boolean;
  readonly shell: Shell;
  readonly files: Files;
  readonly tools: Tools;
  readonly #enclosure: Enclosure;
  readonly #seen: Screen;
  readonly #terms: MachineTerms;
  readonly #journal: Journal;

  readonly #restore: MachineSessionTerms['restore'];

  constructor(session: MachineSessionTerms, terms: MachineTerms, machine: Machine) {
    const { driver, enclosure, log, broken } = machine;
    const { screen, browser, desktop, vm } = driver;
    const journal = new Journal();
    // A free clock cannot be replayed.
    const heard = browser && terms.clock !== 'free' ? journal.hear : () => undefined;
    const leased = { screen, log, broken, look: () => driver.look(), close: () => machine.close() };
    super({ ...session, kind: terms.kind }, leased, heard);
    this.#journal = journal;
    this.#restore = session.restore;
    this.#terms = terms;
    this.#enclosure = enclosure;
    this.#seen = screen;
    this.home = enclosure.home;
    this.apart = enclosure.apart;
    if (browser) {
      // CDP clients renew the lease too.
      const cdp = () => browser.cdp({ onCommand: () => this.lease.renew() });
      this.browser = this.surface('browser', browser, { instead: { cdp }, heard });
    }
    if (desktop) this.desktop = this.control.guard(this.surface('desktop', desktop));
    if (vm) this.vm = this.control.guard(this.surface('vm', vm));
    this.shell = this.surface('shell', machine.shell);
    this.files = this.surface('files', machine.files);
    // Tool servers are called directly, not through a surface, so `use` renews the lease.
    this.tools = machine.tools;
    this.tools.use = (work) => {
      log.add('action', 'tools');
      return this.lease.use(work);
    };
  }

  async connect(port: number): Promise<Socket> {
    return this.#inside().connect(port);
  }

  async forward(port: number, address: Pick<ListenOptions, 'path' | 'host' | 'port'> = {}): Promise<Server> {
    return forward(this.#inside(), port, address);
  }

  checkpoint({ maxBytes = 2 ** 25 }: CheckpointOptions = {}): Promise<Checkpoint> {
    return this.lease.use(async () => {
      checkedNumber('maxBytes', maxBytes, { min: 1, max: maxArchive });
      const terms = checkpointTerms(this.#terms);
      let page: Checkpoint['page'];
      if (this.browser) {
        // Follows all earlier calls, so the journal is complete.
        const { hash } = await this.#seen.observe();
        page = { steps: [...this.#journal.steps], hash };
      }
      const home = await saveHome(this.#enclosure, maxBytes);
      this.log.add('lease', 'checkpointed');
      return {
        version: 1,
        at: new Date().toISOString(),
        terms,
        page,
        home: home.toString('base64'),
      };
    });
  }

  fork(options: ForkOptions): Promise<this[]> {
    // Sessions from one checkpoint have the same surfaces.
    const restore = this.#restore as Forkable<this>['restore'];
    return fork(options, { checkpoint: () => this.checkpoint(), restore });
  }

  async restore({ page, home }: { page: Checkpoint['page']; home: string }, createdAt: string): Promise<void> {
    if (page && this.browser) {
      await replay(page.steps, this.screen, this.browser);
      const { hash } = await this.screen.observe();
      if (hash !== page.hash) {
        throw new GyreError('corrupt', 'the last frame of the replay differs from the checkpoint', {
          field: 'page.hash',
          fix: 'use the browser that made it; effects of the network and the shell are not replayed',
        });
      }
    }
    // After the page, whose repeated downloads must not replace files.
    await this.lease.use(() => restoreHome(this.#enclosure, home));
    this.log.add('lease', `restored from a checkpoint of ${createdAt}`);
  }

  /** Throws `bad_input` without isolation, which gives a session its own network. */
  #inside(): Enclosure {
    this.lease.check();
    if (this.#enclosure.kind !== 'none') return this.#enclosure;
    throw new GyreError('bad_input', 'a session without isolation has no ports of its own', {
      field: 'port',
      fix: 'lease it with isolation; gyre doctor shows what is missing',
    });
  }
}
