import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { GyreError, type Size } from '@gyre/protocol';
import { Desktop } from '../desktop/desktop.js';
import { wineDesktop } from '../desktop/wine.js';
import type { Enclosure } from '../isolation/enclosure.js';
import { Files } from '../files/files.js';
import type { Clock, Network } from '../browser/flags.js';
import type { CapturedFrame } from '../recording/frameFeed.js';
import type { MachineKind } from './kind.js';
import { BrowserPool } from '../browser/pool.js';
import type { BrowserSurface, Screen } from './session.js';
import { Vm, type VmOptions } from '../vm/vm.js';

export interface ScreenTerms {
  /** In px. */
  readonly size: Size;
  /** Default `stepped`. */
  readonly clock?: Clock | undefined;
  /** Browsers only. Default false. */
  readonly touch?: boolean | undefined;
  /** Game time of one `act`; see `BrowserPool.lease`. */
  readonly stepMs?: number | undefined;
  /** If false, frames have no bytes. */
  readonly pictures?: boolean | undefined;
  /** Time limit of a page load; see `BrowserPool.lease`. */
  readonly loadMs?: number | undefined;
  readonly ignoreCertificateErrors?: boolean | undefined;
  /** A Windows program and its arguments; empty for Wine alone. Default: no Wine. */
  readonly wine?: readonly string[] | undefined;
  readonly vm?: Omit<VmOptions, 'size' | 'network'> | undefined;
  readonly network: Network;
  readonly log?: ((from: 'browser' | 'page', text: string) => void) | undefined;
}

export interface Driver {
  readonly screen: Screen;
  readonly browser?: BrowserSurface;
  readonly desktop?: Desktop;
  /** Captures the screen for viewers; undefined if nothing can be seen. */
  look(): Promise<CapturedFrame | undefined>;
  readonly vm?: Vm;
  /** Resolves with the reason if it ends by itself. */
  readonly broken: Promise<GyreError>;
  /** Throws `infra`. Leaves the screen unchanged. */
  answers(): Promise<void>;
  close(): Promise<void>;
}

export const downloadsFolder = 'Downloads';

const forever = 2 ** 31 - 1;

const noScreen = (): GyreError =>
  new GyreError('bad_input', 'a session of kind shell has no screen', {
    field: 'kind',
    fix: "use its shell and files, or lease kind 'desktop'",
  });

export const drivers = {
  async browser(
    enclosure: Enclosure,
    { size, clock = 'stepped', touch, stepMs, pictures, loadMs, ignoreCertificateErrors, network, log }: ScreenTerms,
  ): Promise<Driver> {
    const downloads = `${enclosure.home}/${downloadsFolder}`;
    const explain = (url: URL) => enclosure.explain(url);
    let opened: Promise<Files> | undefined;
    const files = () => (opened ??= Files.open(enclosure.homeOnHost, { home: enclosure.home }));
    const pool = await BrowserPool.launch({
      sessionsPerBrowser: 1,
      clock,
      network,
      enclosure,
      downloads,
      files,
      explain,
      log,
    });
    try {
      const session = await pool.lease({
        size,
        pictures,
        loadMs,
        ignoreCertificateErrors,
        ttlMs: forever,
        touch,
        stepMs,
      });
      return {
        screen: session.screen,
        browser: session.browser,
        look: () => session.look(),
        broken: session.broken,
        answers: async () => {
          // An open dialog blocks the page.
          if (session.page.asks === undefined) await session.browser.evaluate('undefined');
        },
        close: async () => {
          await session.release();
          await pool.close();
          await opened?.then((files) => files.close());
        },
      };
    } catch (error) {
      await pool.close();
      throw error;
    }
  },

  async desktop(enclosure: Enclosure, { size, pictures, wine }: ScreenTerms): Promise<Driver> {
    const options = { size, pictures };
    const desktop = await (wine
      ? wineDesktop(enclosure, { ...options, program: wine })
      : Desktop.start(enclosure, options));
    return {
      screen: desktop,
      desktop,
      look: () => desktop.look(),
      broken: desktop.broken,
      answers: async () => {
        await desktop.windows();
      },
      close: () => desktop.close(),
    };
  },

  shell(enclosure: Enclosure, { size }: ScreenTerms): Promise<Driver> {
    const { file, args, env, cwd } = enclosure.command('true');
    return Promise.resolve({
      screen: { size, act: () => Promise.reject(noScreen()), observe: () => Promise.reject(noScreen()) },
      look: () => Promise.resolve(undefined),
      broken: new Promise<never>(() => undefined),
      answers: async () => {
        await promisify(execFile)(file, [...args], { env, cwd });
      },
      close: () => Promise.resolve(),
    });
  },

  async vm(enclosure: Enclosure, { size, network, vm: options }: ScreenTerms): Promise<Driver> {
    if (options === undefined) {
      throw new GyreError('bad_input', 'a virtual machine needs a disk image', {
        field: 'vm.image',
        fix: "lease({ kind: 'vm', vm: { image: '/path/of.qcow2' } })",
      });
    }
    const vm = await Vm.start(enclosure, { ...options, size, network: typeof network === 'object' ? 'user' : 'none' });
    return {
      screen: vm,
      vm,
      look: async () => {
        const begin = performance.now();
        return { frame: await vm.observe(), costMs: performance.now() - begin };
      },
      broken: vm.ended,
      answers: async () => {
        await vm.observe();
      },
      close: () => vm.close(),
    };
  },
} as const satisfies Record<MachineKind, (enclosure: Enclosure, terms: ScreenTerms) => Promise<Driver>>;
