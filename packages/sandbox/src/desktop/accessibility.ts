import { GyreError, type Size } from '@gyre/protocol';
import type { Box } from '../box.js';
import type { BusConnection } from './bus.js';
import { stateNames } from './accessibleState.js';
import type { DesktopWindow } from './windows.js';

/** Something that an application shows, as it says itself. */
export interface AccessibleNode {
  /** Such as `push button`: the names of AT-SPI. */
  readonly role: string;
  readonly name: string;
  /** What is written in it, where it holds text. */
  readonly text: string | undefined;
  /** Such as `focused`: the names of AT-SPI. */
  readonly states: readonly string[];
  /** Undefined where it has no place on the screen. */
  readonly box: Box | undefined;
  readonly children: readonly AccessibleNode[];
}

/** A program with windows, or one that says what it shows. */
export interface AccessibleProgram {
  readonly program: string;
  /** As programs of the session see it; undefined where it does not say. */
  readonly pid: number | undefined;
  /** Undefined where the program does not say what it shows; `reason` says why then. */
  readonly tree: AccessibleNode | undefined;
  readonly reason: string | undefined;
}

/** An object of a program: its name on the bus, and its path. */
type Reference = readonly [destination: string, path: string];

const root = '/org/a11y/atspi/accessible/root';
const accessible = 'org.a11y.atspi.Accessible';

/** What GetExtents counts from: the corner of the screen. */
const fromScreen = 0;

/** More than any application shows at once. */
const mostNodes = 20_000;

/**
 * What programs say that they show, by AT-SPI. The tree is walked, level by level: the caches that toolkits offer beside are
 * empty in some (Qt), exist only while somebody listens to events in others (GTK), and lack the order of children in all.
 */
export class Accessibility {
  readonly #bus: BusConnection | undefined;
  readonly #size: Size;

  /** @param bus of the desktop; undefined where it has none. */
  constructor(bus: BusConnection | undefined, size: Size) {
    this.#bus = bus;
    this.#size = size;
  }

  /**
   * @param windows of the desktop.
   * @param hidden whether to give also what cannot be seen, as the items of closed menus.
   */
  async programs(windows: readonly DesktopWindow[], hidden: boolean): Promise<AccessibleProgram[]> {
    const silent = (reason: string) => distinct(windows).map((window) => without(window.program, window.pid, reason));
    if (this.#bus === undefined)
      return silent('the desktop has no message bus: dbus-daemon is not installed or not asked for');
    let speaking: Speaker[];
    try {
      speaking = await this.#speakers();
    } catch (error) {
      if (!(error instanceof GyreError)) throw error;
      return silent(`there is no register of programs (at-spi2-core): ${error.message}`);
    }
    const mute = distinct(windows).filter(({ pid }) => speaking.every((speaker) => speaker.pid !== pid));
    return [
      ...(await Promise.all(speaking.map((speaker) => this.#describe(speaker, windows, hidden)))),
      ...mute.map(({ program, pid }) => without(program, pid, `${program || 'it'} does not speak AT-SPI`)),
    ];
  }

  /** The programs that have registered. */
  async #speakers(): Promise<Speaker[]> {
    const references = (await this.#call(['org.a11y.atspi.Registry', root], accessible, 'GetChildren')) as Reference[];
    const speakers = references.map(async (reference) => {
      const bus: Reference = ['org.freedesktop.DBus', '/org/freedesktop/DBus'];
      const pid = await this.#call(bus, 'org.freedesktop.DBus', 'GetConnectionUnixProcessID', 's', [reference[0]]);
      return { reference, pid: pid as number };
    });
    // A program may end while it is asked.
    return (await Promise.allSettled(speakers)).flatMap((asked) => (asked.status === 'fulfilled' ? [asked.value] : []));
  }

  async #describe(
    { reference, pid }: Speaker,
    windows: readonly DesktopWindow[],
    hidden: boolean,
  ): Promise<AccessibleProgram> {
    const known = windows.find((window) => window.pid === pid)?.program;
    try {
      const tree = await this.#walk(reference, hidden, { left: mostNodes });
      return { program: known ?? tree.name, pid, tree, reason: undefined };
    } catch (error) {
      if (!(error instanceof GyreError)) throw error;
      return without(known ?? reference[0], pid, error.message);
    }
  }

  /** A node with all below it. */
  async #walk(reference: Reference, hidden: boolean, budget: { left: number }): Promise<AccessibleNode> {
    const maybe = (asked: Promise<unknown>) => asked.catch(() => undefined);
    const [role, name, bits, extents, text, children] = await Promise.all([
      this.#call(reference, accessible, 'GetRoleName'),
      this.#call(reference, 'org.freedesktop.DBus.Properties', 'Get', 'ss', [accessible, 'Name']),
      this.#call(reference, accessible, 'GetState'),
      maybe(this.#call(reference, 'org.a11y.atspi.Component', 'GetExtents', 'u', [fromScreen])),
      maybe(this.#call(reference, 'org.a11y.atspi.Text', 'GetText', 'ii', [0, -1])),
      this.#call(reference, accessible, 'GetChildren'),
    ]);
    const states = stateNames(bits as number[]);
    const seen = hidden || states.includes('showing') || reference[1] === root;
    budget.left -= 1;
    const below = seen && budget.left > 0 ? (children as Reference[]) : [];
    const walked = await Promise.all(below.map((child) => this.#walk(child, hidden, budget).catch(ifGone)));
    return {
      role: role as string,
      name: valueOf(name) as string,
      text: text as string | undefined,
      states,
      box: this.#box(extents as number[] | undefined),
      children: walked.filter(
        (node) => node !== undefined && (hidden || node.states.includes('showing')),
      ) as AccessibleNode[],
    };
  }

  #call(
    [destination, path]: Reference,
    inInterface: string,
    member: string,
    signature?: string,
    body?: readonly unknown[],
  ): Promise<unknown> {
    const values = signature === undefined || body === undefined ? {} : { signature, body };
    return this.#bus!.call({ destination, path, interface: inInterface, member, ...values });
  }

  #box(extents: readonly number[] | undefined): Box | undefined {
    const [x = 0, y = 0, across = 0, down = 0] = extents ?? [];
    if (across <= 0 || down <= 0) return undefined;
    const { width, height } = this.#size;
    return { x: x / width, y: y / height, width: across / width, height: down / height };
  }
}

interface Speaker {
  readonly reference: Reference;
  readonly pid: number;
}

const without = (program: string, pid: number | undefined, reason: string): AccessibleProgram => ({
  program,
  pid,
  tree: undefined,
  reason,
});

/** One window of each program. */
function distinct(windows: readonly DesktopWindow[]): DesktopWindow[] {
  const programs = new Map(windows.map((window) => [window.pid ?? `window ${window.id}`, window]));
  return [...programs.values()];
}

/** What a node shows may be gone when it is asked. */
function ifGone(error: unknown): undefined {
  if (error instanceof GyreError) return undefined;
  throw error;
}

/** The value of a variant, which comes as its type and its one value. */
function valueOf(variant: unknown): unknown {
  return (variant as [unknown, [unknown]])[1][0];
}
