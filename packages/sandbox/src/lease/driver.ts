import { GyreError, type Size } from '@gyre/protocol';
import { Desktop } from '../desktop/desktop.js';
import { wineDesktop } from '../desktop/wine.js';
import type { Enclosure } from '../isolation/enclosure.js';
import { Files } from '../files/files.js';
import type { Clock, Network } from '../browser/flags.js';
import type { Look } from '../recording/frameFeed.js';
import type { MachineKind } from './kind.js';
import { BrowserPool } from '../browser/pool.js';
import type { BrowserSurface, Screen } from './session.js';
import { Vm, type VmOptions } from '../vm/vm.js';

/** What a screen is asked for. */
export interface ScreenTerms {
  /** In px. */
  readonly size: Size;
  /** Of a browser. Default `stepped`. */
  readonly clock?: Clock | undefined;
  /** Of a browser: a phone's. Default false. */
  readonly touch?: boolean | undefined;
  /** Time of one `act`, in ms; see `BrowserPool.lease`. */
  readonly stepMs?: number | undefined;
  /** Of a browser or a desktop. Without, `observe` gives frames without bytes, and so do watchers of pages; see `BrowserPool.lease`. */
  readonly pictures?: boolean | undefined;
  /** Of a browser: how long the load of a page is waited for; see `BrowserPool.lease`. */
  readonly loadMs?: number | undefined;
  /** Of a browser: whether it shows pages whose certificates are not valid. Default false. */
  readonly ignoreCertificateErrors?: boolean | undefined;
  /** Of a desktop: Wine's, and the Windows program with its arguments that is started on it; empty for none. Default: no Wine. */
  readonly wine?: readonly string[] | undefined;
  /** Of a virtual machine, which needs it: its image, and what else it should be like. */
  readonly vm?: Omit<VmOptions, 'size' | 'network'> | undefined;
  /** What pages may reach. */
  readonly network: Network;
  /** Hears what its browser and its pages write. */
  readonly log?: ((from: 'browser' | 'page', text: string) => void) | undefined;
}

/** What draws the screen of a session and takes input for it. */
export interface Driver {
  readonly screen: Screen;
  readonly browser?: BrowserSurface;
  readonly desktop?: Desktop;
  /** For those who watch; undefined where nothing can be seen just now. */
  look(): Promise<Look | undefined>;
  readonly vm?: Vm;
  /** Resolves with the reason when it has ended by itself. */
  readonly broken: Promise<GyreError>;
  /** Throws `infra` where it no longer does what it is told. The screen stays as it is. */
  answers(): Promise<void>;
  close(): Promise<void>;
}

/** Where pages put downloads, in the home. */
export const downloadsFolder = 'Downloads';

const forever = 2 ** 31 - 1;

/** How each kind of machine gets its screen. */
export const drivers = {
  /** A browser of the session's own, within its walls. */
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
          // A page that asks has answered.
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

  /** A virtual screen with a window manager, on which programs can be started. */
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

  /** A guest of QEMU's, with a system of its own. */
  async vm(enclosure: Enclosure, { size, network, vm: options }: ScreenTerms): Promise<Driver> {
    if (options === undefined) {
      throw new GyreError('bad_input', 'a virtual machine needs the image of a disk', {
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
