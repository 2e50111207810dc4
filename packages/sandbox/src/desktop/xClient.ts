/* npm `x11` has no types. A module, so that the published types include them. */

import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';

/** True: the error has been handled. */
export type Reply<Result> = (error: Error | null | undefined, result: Result) => boolean;

export interface XEvent {
  readonly name: string;
  readonly wid: number;
  /** Server time of inputs, in ms. */
  readonly time: number;
  /** Inputs only: key or button, position, modifier mask. */
  readonly keycode?: number;
  readonly x?: number;
  readonly y?: number;
  readonly buttons?: number;
  readonly [field: string]: unknown;
}

export interface Geometry {
  readonly xPos: number;
  readonly yPos: number;
  readonly width: number;
  readonly height: number;
}

export interface Attributes {
  readonly mapState: number;
  readonly overrideRedirect: number;
}

export interface Property {
  readonly type: number;
  readonly bytesAfter: number;
  readonly data: Buffer;
}

export interface XTest {
  readonly KeyPress: number;
  readonly KeyRelease: number;
  readonly ButtonPress: number;
  readonly ButtonRelease: number;
  readonly MotionNotify: number;
  FakeInput(type: number, detail: number, time: number, window: number, x: number, y: number): void;
}

export interface XClient extends EventEmitter {
  readonly stream: Duplex;
  atoms: Record<string, number>;
  readonly seq_num: number;
  /** Decoder and receiver of a reply, by request. */
  readonly replies: Record<number, [unpack: (data: Buffer, detail: number) => unknown, ...rest: unknown[]]>;
  require(extension: 'xtest', done: (error: Error | null | undefined, extension: XTest) => void): void;
  terminate(): void;
  AllocID(): number;
  InternAtom(onlyIfExists: boolean, name: string, reply: Reply<number>): void;
  GetInputFocus(reply: Reply<{ focus: number }>): void;
  SetInputFocus(window: number, revertTo: number): void;
  GetKeyboardMapping(first: number, count: number, reply: Reply<number[][]>): void;
  ChangeKeyboardMapping(first: number, keysymsPerKeycode: number, keysyms: readonly number[]): void;
  GetProperty(
    remove: 0 | 1,
    window: number,
    name: number,
    type: number,
    offset: number,
    length: number,
    reply: Reply<Property>,
  ): void;
  ChangeProperty(mode: 0 | 2, window: number, name: number, type: number, bits: 8 | 32, data: Buffer | number[]): void;
  DeleteProperty(window: number, name: number): void;
  GetGeometry(window: number, reply: Reply<Geometry>): void;
  TranslateCoordinates(
    from: number,
    to: number,
    x: number,
    y: number,
    reply: Reply<{ destX: number; destY: number }>,
  ): void;
  GetWindowAttributes(window: number, reply: Reply<Attributes>): void;
  QueryTree(window: number, reply: Reply<{ children: number[] }>): void;
  CreateWindow(
    id: number,
    parent: number,
    x: number,
    y: number,
    width: number,
    height: number,
    border: number,
    depth: number,
    kind: number,
    visual: number,
    values: Readonly<Record<string, number>>,
  ): void;
  ChangeWindowAttributes(window: number, values: Readonly<Record<string, number>>): void;
  MapWindow(window: number): void;
  RaiseWindow(window: number): void;
  ClearArea(window: number, x: number, y: number, width: number, height: number, exposures: number): void;
  CreatePixmap(id: number, of: number, depth: number, width: number, height: number): void;
  FreePixmap(id: number): void;
  CreateGC(id: number, drawable: number, values: Readonly<Record<string, number>>): void;
  FreeGC(id: number): void;
  PutImage(
    format: 0 | 1 | 2,
    drawable: number,
    context: number,
    width: number,
    height: number,
    x: number,
    y: number,
    leftPad: number,
    depth: number,
    data: Buffer,
  ): void;
  KillClient(resource: number): void;
  GetSelectionOwner(selection: number, reply: Reply<number>): void;
  SetSelectionOwner(owner: number, selection: number): void;
  ConvertSelection(requestor: number, selection: number, target: number, property: number): void;
  SendEvent(window: number, propagate: 0 | 1, mask: number, event: object): void;
  SendClientMessage(
    destination: number,
    window: number,
    type: number,
    bits: 32,
    data: readonly number[],
    mask?: number,
  ): void;
}

export interface XDisplay {
  readonly client: XClient;
  readonly min_keycode: number;
  readonly max_keycode: number;
  readonly screen: readonly { readonly root: number; readonly root_depth: number }[];
}

/** The module `x11`; see x11.d.ts. @public */
export interface X11 {
  readonly eventMask: Readonly<Record<string, number>>;
  readonly keySyms: Readonly<Record<string, { readonly code: number }>>;
  createClient(
    options: { stream: Duplex; auth: { name: string; data: string }; bufferRequests: boolean },
    done: (error: Error | null | undefined, display: XDisplay) => void,
  ): XClient;
}
