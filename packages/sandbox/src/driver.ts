import { GyreError, type Size } from '@gyre/protocol';
import { Desktop } from './desktop/desktop.js';
import type { Enclosure } from './enclosure/enclosure.js';
import type { Clock, Network } from './flags.js';
import { BrowserPool } from './pool.js';
import type { BrowserSurface, Screen } from './session.js';
import { Vm, type VmOptions } from './vm/vm.js';

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
  /** Of a virtual machine, which needs it: its image, and what else it should be like. */
  readonly vm?: Omit<VmOptions, 'size' | 'network'> | undefined;
  /** What pages may reach. */
  readonly network: Network;
}

/** What draws the screen of a session and takes input for it. */
export interface Driver {
  readonly screen: Screen;
  readonly browser?: BrowserSurface;
  readonly desktop?: Desktop;
  readonly vm?: Vm;
  /** Resolves with the reason when it has ended by itself. */
  readonly broken: Promise<GyreError>;
  close(): Promise<void>;
}

/** Where pages put downloads, in the home. */
export const downloadsFolder = 'Downloads';

const forever = 2 ** 31 - 1;

/** How each kind of session gets its screen. */
export const drivers = {
  /** A browser of the session's own, within its walls. */
  async browser(
    enclosure: Enclosure,
    { size, clock = 'stepped', touch, stepMs, network }: ScreenTerms,
  ): Promise<Driver> {
    const downloads = `${enclosure.home}/${downloadsFolder}`;
    const pool = await BrowserPool.launch({ sessionsPerBrowser: 1, clock, network, enclosure, downloads });
    try {
      const session = await pool.lease({
        size,
        ttlMs: forever,
        ...(touch !== undefined && { touch }),
        ...(stepMs !== undefined && { stepMs }),
      });
      return {
        screen: session.screen,
        browser: session.browser,
        broken: session.broken,
        close: async () => {
          await session.release();
          await pool.close();
        },
      };
    } catch (error) {
      await pool.close();
      throw error;
    }
  },

  /** A virtual screen with a window manager, on which programs can be started. */
  async desktop(enclosure: Enclosure, { size }: ScreenTerms): Promise<Driver> {
    const desktop = await Desktop.start(enclosure, { size });
    return {
      screen: desktop,
      desktop,
      broken: desktop.ended.then(
        () => new GyreError('infra', 'the screen has ended', { fix: 'lease another session' }),
      ),
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
    return { screen: vm, vm, broken: vm.ended, close: () => vm.close() };
  },
} as const satisfies Record<string, (enclosure: Enclosure, terms: ScreenTerms) => Promise<Driver>>;

export type SandboxKind = keyof typeof drivers;
