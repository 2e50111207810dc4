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

/** Terms of a screen. */
export interface ScreenTerms {
  /** In px. */
  readonly size: Size;
  /** Clock of a browser. Default `stepped`. */
  readonly clock?: Clock | undefined;
  /** Emulates a phone's touchscreen in a browser. Default false. */
  readonly touch?: boolean | undefined;
  /** Time of one `act`, in ms; see `BrowserPool.lease`. */
  readonly stepMs?: number | undefined;
  /** If false, frames of a browser or desktop have no bytes; see `BrowserPool.lease`. */
  readonly pictures?: boolean | undefined;
  /** How long a page may take to load, in ms; see `BrowserPool.lease`. */
  readonly loadMs?: number | undefined;
  /** Shows pages with invalid certificates. Default false. */
  readonly ignoreCertificateErrors?: boolean | undefined;
  /** Runs Wine on a desktop, with a Windows program and its arguments; empty for none. Default: no Wine. */
  readonly wine?: readonly string[] | undefined;
  /** Image and resources of a virtual machine, which needs them. */
  readonly vm?: Omit<VmOptions, 'size' | 'network'> | undefined;
  /** Network of pages. */
  readonly network: Network;
  /** Called with what the browser and its pages write. */
  readonly log?: ((from: 'browser' | 'page', text: string) => void) | undefined;
}

/** Draws the screen of a session and takes its input. */
export interface Driver {
  readonly screen: Screen;
  readonly browser?: BrowserSurface;
  readonly desktop?: Desktop;
  /** Captures the screen for viewers; undefined while nothing can be seen. */
  look(): Promise<Look | undefined>;
  readonly vm?: Vm;
  /** Resolves with the reason when it ends by itself. */
  readonly broken: Promise<GyreError>;
  /** Throws `infra` where it does not answer. Leaves the screen as it is. */
  answers(): Promise<void>;
  close(): Promise<void>;
}

/** Folder of downloads in the home. */
export const downloadsFolder = 'Downloads';

const forever = 2 ** 31 - 1;

/** Starts the screen of each kind of machine. */
export const drivers = {
  /** Starts a browser inside the enclosure. */
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
          // A page with an open dialog answers nothing else.
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

  /** Starts a virtual screen with a window manager. */
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

  /** Starts a guest of QEMU. */
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
