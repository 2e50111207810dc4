import { GyreError, type Size } from '@gyre/protocol';
import type { Box } from '../input/box.js';
import type { BusConnection } from './busConnection.js';
import type { Variant } from './busValue.js';
import { stateNames } from './accessibleState.js';
import type { DesktopWindow } from './windows.js';

export interface AccessibleNode {
  /** AT-SPI, such as `push button`. */
  readonly role: string;
  readonly name: string;
  readonly text: string | undefined;
  /** AT-SPI, such as `focused`. */
  readonly states: readonly string[];
  /** Undefined if off screen. */
  readonly box: Box | undefined;
  readonly children: readonly AccessibleNode[];
}

export interface AccessibleProgram {
  readonly program: string;
  readonly pid: number | undefined;
  /** Undefined if the program exposes none; see `reason`. */
  readonly tree: AccessibleNode | undefined;
  readonly reason: string | undefined;
}

type Reference = readonly [destination: string, path: string];

const maxPrograms = 200;

const root = '/org/a11y/atspi/accessible/root';
const accessible = 'org.a11y.atspi.Accessible';

/** Relative to the screen (AT-SPI GetExtents). */
const fromScreen = 0;

const maxNodes = 20_000;
const maxDepth = 200;
const maxCharacters = 2 ** 24;

interface Budget {
  nodes: number;
  characters: number;
}

/**
 * Reads AT-SPI trees level by level. Toolkit caches are unusable: Qt's are empty, GTK's need a listener, and none
 * stores the order of children.
 */
export class Accessibility {
  readonly #bus: BusConnection | undefined;
  readonly #size: Size;

  constructor(bus: BusConnection | undefined, size: Size) {
    this.#bus = bus;
    this.#size = size;
  }

  /** @param hidden includes invisible elements, such as items of closed menus. */
  async programs(windows: readonly DesktopWindow[], hidden: boolean): Promise<AccessibleProgram[]> {
    const silent = (reason: string) => distinct(windows).map((window) => without(window.program, window.pid, reason));
    if (this.#bus === undefined)
      return silent('the desktop has no message bus: dbus-daemon is not installed, or accessibility is off');
    let speaking: Speaker[];
    try {
      speaking = await this.#speakers();
    } catch (error) {
      if (!(error instanceof GyreError)) throw error;
      return silent(`the AT-SPI registry (at-spi2-core) is unavailable: ${error.message}`);
    }
    const mute = distinct(windows).filter(({ pid }) => speaking.every((speaker) => speaker.pid !== pid));
    return [
      ...(await Promise.all(speaking.map((speaker) => this.#describe(speaker, windows, hidden)))),
      ...mute.map(({ program, pid }) => without(program, pid, `${program || 'it'} does not support AT-SPI`)),
    ];
  }

  async #speakers(): Promise<Speaker[]> {
    const registry: Reference = ['org.a11y.atspi.Registry', root];
    const references = (await this.#call(registry, {
      in: accessible,
      ask: 'GetChildren',
      gives: 'a(so)',
    })) as Reference[];
    const speakers = references.slice(0, maxPrograms).map(async (reference) => {
      const bus: Reference = ['org.freedesktop.DBus', '/org/freedesktop/DBus'];
      const pid = { in: 'org.freedesktop.DBus', ask: 'GetConnectionUnixProcessID', gives: 'u' };
      return { reference, pid: (await this.#call(bus, pid, 's', [reference[0]])) as number };
    });
    // A program may end meanwhile.
    return (await Promise.allSettled(speakers)).flatMap((asked) => (asked.status === 'fulfilled' ? [asked.value] : []));
  }

  async #describe(
    { reference, pid }: Speaker,
    windows: readonly DesktopWindow[],
    hidden: boolean,
  ): Promise<AccessibleProgram> {
    const known = windows.find((window) => window.pid === pid)?.program;
    try {
      const tree = await this.#walk(reference, hidden, { nodes: maxNodes, characters: maxCharacters });
      return { program: known ?? tree.name, pid, tree, reason: undefined };
    } catch (error) {
      if (!(error instanceof GyreError)) throw error;
      return without(known ?? reference[0], pid, error.message);
    }
  }

  async #walk(reference: Reference, hidden: boolean, budget: Budget, depth = 0): Promise<AccessibleNode> {
    const ask = (member: string, gives: string) => this.#call(reference, { in: accessible, ask: member, gives });
    const named = { in: 'org.freedesktop.DBus.Properties', ask: 'Get', gives: 'v' };
    const placed = { in: 'org.a11y.atspi.Component', ask: 'GetExtents', gives: '(iiii)' };
    const written = { in: 'org.a11y.atspi.Text', ask: 'GetText', gives: 's' };
    const maybe = (asked: Promise<unknown>) => asked.catch(() => undefined);
    const [role, name, bits, extents, text, children] = await Promise.all([
      ask('GetRoleName', 's') as Promise<string>,
      this.#call(reference, named, 'ss', [accessible, 'Name']).then(textOf),
      ask('GetState', 'au') as Promise<number[]>,
      maybe(this.#call(reference, placed, 'u', [fromScreen])) as Promise<number[] | undefined>,
      maybe(this.#call(reference, written, 'ii', [0, -1])) as Promise<string | undefined>,
      ask('GetChildren', 'a(so)') as Promise<Reference[]>,
    ]);
    const states = stateNames(bits);
    const seen = hidden || states.includes('showing') || reference[1] === root;
    budget.characters -= role.length + name.length + (text?.length ?? 0);
    const further = seen && depth < maxDepth && budget.characters > 0;
    const below = further ? children.slice(0, Math.max(0, budget.nodes)) : [];
    // Deducted first: a whole level is requested at once.
    budget.nodes -= below.length;
    const walked = await Promise.all(below.map((child) => this.#walk(child, hidden, budget, depth + 1).catch(ifGone)));
    return {
      role,
      name,
      text,
      states,
      box: this.#box(extents),
      children: walked.filter(
        (node) => node !== undefined && (hidden || node.states.includes('showing')),
      ) as AccessibleNode[],
    };
  }

  async #call(
    [destination, path]: Reference,
    call: { readonly in: string; readonly ask: string; readonly gives: string },
    signature?: string,
    body?: readonly (string | number)[],
  ): Promise<unknown> {
    const values = signature === undefined || body === undefined ? {} : { signature, body };
    const request = { destination, path, interface: call.in, member: call.ask, ...values };
    return (await this.#bus!.call(request, call.gives))[0];
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

function distinct(windows: readonly DesktopWindow[]): DesktopWindow[] {
  const programs = new Map(windows.map((window) => [window.pid ?? `window ${window.id}`, window]));
  return [...programs.values()];
}

function ifGone(error: unknown): undefined {
  if (error instanceof GyreError) return undefined;
  throw error;
}

function textOf(variant: unknown): string {
  const { value } = variant as Variant;
  return typeof value === 'string' ? value : '';
}
