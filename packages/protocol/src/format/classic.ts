import { Direction, MouseButton } from '../action/action.js';
import { type Kind, type Parameter, actionOf, callOf, calls, isMiscased, parameterNamed, typeNamed } from './call.js';
import { GyreError } from '../error.js';
import { Malformed, shorten } from './malformed.js';
import { Point, type Size } from '../action/point.js';
import { resizeLimits, smartResize } from '../space/resize.js';
import type { AgentAction } from '../action/sdkCall.js';
import { isSdkCall, isSdkType } from '../action/surfaceOf.js';
import { readSeconds, sdkExpected } from '../action/sdkValue.js';
import { parsePoint } from './parsePoint.js';
import {
  type TurnPrefix,
  type TurnMessage,
  type TurnResult,
  truncationNote,
  readTurn,
  thinkTag,
  withoutEndTokens,
} from './turn.js';

/**
 * Dialects differ in their notation of points:
 * - `doubao`: `point='<point>x y</point>'` in 0..1000;
 * - `ui-tars-1.0`: `start_box='[x, y, x, y]'` in 0..1000;
 * - `ui-tars-1.5`: `start_box='<|box_start|>(x,y)<|box_end|>'` in px of the resized screenshot.
 */
export const classicDialects = ['doubao', 'ui-tars-1.5', 'ui-tars-1.0'] as const;
export type ClassicDialect = (typeof classicDialects)[number];

export interface ClassicOptions {
  /** Default: `doubao`. */
  readonly dialect?: ClassicDialect;
  /** The model's screenshot in px; required for `ui-tars-1.5`. */
  readonly screen?: Size;
}

/**
 * Prints `Thought: ...` and `Action: name(parameter='value')`, with blank lines between actions and texts quoted as in
 * Python.
 * @throws GyreError `bad_input` for no actions, an SDK call, an invalid action, an ambiguous thought, or a missing
 * screen.
 */
export function printClassic({ thought, actions }: TurnMessage, options: ClassicOptions = {}): string {
  const space = new ModelSpace(options);
  if (actions.length === 0) {
    throw new GyreError('bad_input', 'the classic format cannot express a turn without actions', {
      field: 'actions',
      fix: 'use at least one action, such as wait',
    });
  }
  if (thought !== undefined && (actionMark.test(thought) || thought !== thought.trim() || thoughtMark.test(thought))) {
    throw new GyreError('bad_input', 'the thought cannot be separated from the rest of the text', {
      field: 'thought',
      fix: 'use a thought without lines that begin with "Action:" or "Thought:", and without surrounding white space',
    });
  }
  const printed = actions.map((action, index) => printCall(action, index, space)).join('\n\n');
  return `${thought === undefined ? '' : `Thought: ${thought}\n`}Action: ${printed}`;
}

/**
 * Reads leniently: `Thought:`, `Reflection:` or `Action_Summary:`, full-width colons, tagged thoughts, calls without
 * `Action:` or amid text, several calls, aliases. Lists deviations in `notices`.
 *
 * Unknown or incomplete calls are never carried out: alone they are an error; after others the rest is dropped.
 * @throws GyreError `bad_input` only for a missing screen.
 */
export function parseClassic(source: string, options: ClassicOptions = {}): TurnResult {
  const space = new ModelSpace(options);
  try {
    return new Reader(withoutEndTokens(source), space, true).message();
  } catch (error) {
    if (error instanceof Malformed) return { ok: false, error: { message: error.message, offset: error.offset } };
    throw error;
  }
}

/** Reads the complete part of a streaming turn. A new line completes a call. */
export function parseClassicPrefix(source: string, options: ClassicOptions = {}): TurnPrefix {
  return new Reader(source, new ModelSpace(options), false).beginning();
}

/** `Action:` at a line's start, with either colon. */
export const actionMark = /^[ \t]*Action[ \t]*[:：]/m;

const thoughtMark = /^[ \t]*(?:Thought|Reflection|Action_Summary)[ \t]*[:：]/m;

/** Prints points in a model's coordinates. */
class ModelSpace {
  readonly dialect: ClassicDialect;
  readonly size: Size;

  constructor({ dialect = 'doubao', screen }: ClassicOptions) {
    this.dialect = dialect;
    if (dialect !== 'ui-tars-1.5') {
      this.size = { width: 1000, height: 1000 };
    } else if (screen) {
      this.size = smartResize(screen, resizeLimits[dialect]);
    } else {
      throw new GyreError('bad_input', `${dialect} needs the size of the screenshot, because its points are in px`, {
        field: 'screen',
        fix: 'pass the width and height of the screenshot that the model saw',
      });
    }
  }

  print({ x, y }: Point): string {
    const [across, down] = [Math.round(x * this.size.width), Math.round(y * this.size.height)];
    switch (this.dialect) {
      case 'doubao':
        return `<point>${across} ${down}</point>`;
      case 'ui-tars-1.5':
        return `<|box_start|>(${across},${down})<|box_end|>`;
      case 'ui-tars-1.0':
        return `[${across}, ${down}, ${across}, ${down}]`;
    }
  }
}

function printCall(action: AgentAction, index: number, space: ModelSpace): string {
  const { name, args } = callOf(action, index);
  if (isSdkCall(action)) {
    throw new GyreError('bad_input', `the classic formats have no SDK calls such as ${name}`, {
      field: `actions.${index}`,
      fix: 'use T5 or environment tags',
    });
  }
  const values = args.map(([parameter, value]) => {
    const place = Point.safeParse(value);
    return `${nameIn(space.dialect, parameter)}='${place.success ? space.print(place.data) : quote(String(value))}'`;
  });
  return `${name}(${values.join(', ')})`;
}

function nameIn(dialect: ClassicDialect, { name, kind }: Parameter): string {
  if (kind !== 'point' || dialect === 'doubao') return name;
  return name === 'end_point' ? 'end_box' : 'start_box';
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '0': '\0',
  '\\': '\\',
  "'": "'",
  '"': '"',
};
const escaped: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\', "'": "\\'" };

const quote = (text: string): string => text.replace(/[\n\r\t\\']/g, (mark) => escaped[mark] ?? mark);

function unquote(text: string): string {
  return text.replace(
    /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))/g,
    (whole, four?: string, two?: string, character?: string) => {
      const code = four ?? two;
      // As in Python, an unknown escape keeps its backslash.
      return code === undefined ? (escapes[character ?? ''] ?? whole) : String.fromCharCode(parseInt(code, 16));
    },
  );
}

/** A leading thought in tags. */
const tagged = new RegExp(`^\\s*${thinkTag.source}([\\s\\S]*?)</\\1>`, 'i');
/** Start of another turn. */
const otherTurn = /^[ \t]*(?:Thought|Reflection|Observation)[ \t]*[:：]|<think/m;
/** Noise between calls: `Action:`, list markers, code fences. */
const between = /(?:\s|[;,]|```\w*|`|Action[ \t]*[:：]|\d+[.)](?=\s)|[-*](?=\s))*/iy;
const callHere = /[A-Za-z_]\w*[ \t]*\(/y;

class Reader {
  readonly #source: string;
  readonly #space: ModelSpace;
  readonly #whole: boolean;

  #offset = 0;
  #notices: string[] = [];

  constructor(
    source: string,
    space: ModelSpace,
    /** False while streaming. */
    whole: boolean,
  ) {
    this.#source = source;
    this.#space = space;
    this.#whole = whole;
  }

  beginning(): TurnPrefix {
    const read: { thought?: string; actions: AgentAction[] } = { actions: [] };
    try {
      const thought = this.#thought();
      if (thought !== undefined) read.thought = thought;
      for (const action of this.#calls()) {
        this.#skip();
        if (this.#offset === this.#source.length && !this.#source.endsWith('\n')) break;
        read.actions.push(action);
      }
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
    }
    return read;
  }

  message(): TurnResult {
    const thought = this.#thought();
    const actions: AgentAction[] = [];
    try {
      for (const action of this.#calls()) actions.push(action);
    } catch (error) {
      if (!(error instanceof Malformed) || actions.length === 0) throw error;
      this.#notices.push(truncationNote(error.message, error.offset));
    }
    return readTurn(thought, actions, this.#notices);
  }

  /** Later calls each begin a line. */
  *#calls(): Generator<AgentAction> {
    this.#take(between);
    if (!this.#isHere(callHere)) {
      const next = this.#nextLine();
      if (next === undefined) this.#fail('no GUI action was found: a call such as click(...) is missing here');
      this.#notices.push('the text before the call was left out');
      this.#offset = next;
    }
    for (;;) {
      yield this.#call();
      this.#take(between);
      const rest = this.#source.slice(this.#offset);
      if (/^(?:\s|<\/\w+>)*$/.test(rest)) return;
      if (this.#isHere(callHere)) continue;
      const next = this.#nextLine();
      const skipped = this.#source.slice(this.#offset, next);
      // A second turn's screen was never seen.
      if (otherTurn.test(skipped)) {
        this.#notices.push('another turn follows: it was left out');
        return;
      }
      this.#notices.push('the text after the action was left out');
      if (next === undefined) return;
      this.#offset = next;
    }
  }

  #nextLine(): number | undefined {
    const lines = /^[ \t]*(?:Action[ \t]*[:：][ \t]*)?(?:[-*`]+[ \t]*|\d+[.)][ \t]+)?([A-Za-z_]\w*)[ \t]*\(/gim;
    lines.lastIndex = this.#offset;
    for (let match = lines.exec(this.#source); match; match = lines.exec(this.#source)) {
      if (match.index >= this.#offset && typeNamed(match[1]!) !== undefined)
        return match.index + match[0].lastIndexOf(match[1]!);
    }
    return undefined;
  }

  #thought(): string | undefined {
    const [before = '', , thinking] = tagged.exec(this.#source) ?? [];
    const rest = this.#source.slice(before.length);
    const mark = actionMark.exec(rest);
    if (mark) {
      this.#offset = before.length + mark.index + mark[0].length;
      return thoughtIn([thinking ?? '', rest.slice(0, mark.index)].join('\n'));
    }
    // A bare call, as grounding models print it.
    this.#offset = before.length;
    this.#skip();
    if (this.#isHere(/[A-Za-z_]\w*\s*\(/y)) return thoughtIn(thinking ?? '');
    return this.#textBeforeCall(thinking);
  }

  /** The text before the first call is the thought. */
  #textBeforeCall(thinking: string | undefined): string | undefined {
    const start = this.#offset;
    if (this.#whole) {
      for (const { index, 1: name } of this.#source.slice(start).matchAll(/(?<![\w.])([A-Za-z_]\w*)\(/g)) {
        if (typeNamed(name!) === undefined) continue;
        this.#offset = start + index;
        if (!this.#isCall()) continue;
        this.#notices.push('"Action:" is missing: the first call was read');
        this.#offset = start + index;
        return thoughtIn([thinking ?? '', this.#source.slice(start, this.#offset)].join('\n'));
      }
    }
    this.#fail('no GUI action was found: "Action:" is missing', start);
  }

  #isCall(): boolean {
    const notices = this.#notices;
    this.#notices = [];
    try {
      this.#call();
      return true;
    } catch (error) {
      if (error instanceof Malformed) return false;
      throw error;
    } finally {
      this.#notices = notices;
    }
  }

  #call(): AgentAction {
    const start = this.#offset;
    const name = this.#take(/[A-Za-z_]\w*/y);
    if (name === undefined) this.#fail('a call such as click(...) is missing here');
    const type = typeNamed(name);
    if (type === undefined) this.#fail(`there is no function "${name}"`, start);
    if (isSdkType(type)) this.#fail(`${name} is an SDK call, not a screen action`, start);
    if (isMiscased(name)) this.#notices.push(`${name} was read as ${calls[type].name}`);
    const { parameters } = calls[type];
    const fields: { type: AgentAction['type'] } & Record<string, unknown> = { type };
    this.#skip();
    if (this.#take(/\(/y) === undefined) this.#fail(`"(" is missing after ${name}`);
    this.#skip();
    while (this.#take(/\)/y) === undefined) {
      if (this.#whole && this.#offset === this.#source.length) {
        this.#notices.push(`")" of ${name} is missing`);
        break;
      }
      this.#argument(name, fields, parameters);
      this.#skip();
      const isOver = this.#source[this.#offset] === ')' || (this.#whole && this.#offset === this.#source.length);
      if (this.#take(/,/y) === undefined && !isOver) this.#fail(`"," or ")" is missing in ${name}`);
      this.#skip();
    }
    const action = actionOf(name, fields, (parameter) => nameIn(this.#space.dialect, parameter));
    if ('wrong' in action) this.#fail(action.wrong, start);
    return action;
  }

  /** Reads `name=value`; a bare value fills the next parameter. */
  #argument(call: string, fields: Record<string, unknown>, parameters: readonly Parameter[]): void {
    const start = this.#offset;
    const parameterName = this.#take(/[A-Za-z_]\w*(?=\s*=)/y);
    if (parameterName === undefined) {
      const parameter = parameters.find(({ field }) => !(field in fields));
      const isValue = this.#isHere(/['"<([\d]/y);
      if (!parameter || !isValue) this.#fail(`a parameter or ")" is missing in ${call}`);
      this.#notices.push(`the value without a name in ${call} was read as its ${parameter.name}`);
      fields[parameter.field] = this.#value(parameter, call, parameter.name);
      return;
    }
    const parameter = parameterNamed(parameters, parameterName);
    this.#take(/\s*=\s*/y);
    if (!parameter) {
      if (this.#raw('text', false) === undefined)
        this.#fail(`the parameter "${parameterName}" of ${call} is not closed`, start);
      this.#notices.push(`the unknown parameter "${parameterName}" of ${call} was left out`);
      return;
    }
    if (parameter.field in fields)
      this.#notices.push(`${call} has the parameter "${parameterName}" twice: the last was read`);
    fields[parameter.field] = this.#value(parameter, call, parameterName);
  }

  #value(parameter: Parameter, call: string, parameterName: string): unknown {
    const start = this.#offset;
    const raw = this.#raw(parameter.kind, true);
    if (raw === undefined) this.#fail(`the parameter "${parameterName}" of ${call} is not closed`, start);
    const value = readValue(parameter.kind, raw, this.#space);
    if (value === undefined) {
      this.#fail(
        `"${parameterName}" of ${call} must be ${expected[parameter.kind]}, not "${shorten(raw.trim())}"`,
        start,
      );
    }
    return value;
  }

  /** Reads a value, still escaped; undefined if unclosed. */
  #raw(kind: Kind, isRead: boolean): string | undefined {
    const quoted = this.#quoted(kind, isRead);
    if (quoted !== undefined) return quoted;
    return this.#take(/\([^()\n]*\)|\[[^[\]\n]*\]|[^'",()\s][^,)\n]*/y);
  }

  /**
   * Models forget to escape apostrophes: a quote ends a text only where the call can continue or end, else at the first
   * one before a bracket.
   */
  #quoted(kind: Kind, isRead: boolean): string | undefined {
    const mark = this.#source[this.#offset];
    if (mark !== "'" && mark !== '"') return undefined;
    let end: number | undefined;
    for (let index = this.#offset + 1; index < this.#source.length && end === undefined; index++) {
      if (this.#source[index] === '\\') index++;
      else if (this.#source[index] === mark && (kind !== 'text' || this.#closes(index + 1))) end = index;
    }
    if (end === undefined && this.#whole) {
      const rough = new RegExp(`${mark}(?=\\s*\\))`, 'g');
      rough.lastIndex = this.#offset + 1;
      end = rough.exec(this.#source)?.index;
      if (end !== undefined && isRead)
        this.#notices.push(
          `a text was read up to its first ${mark}): "${shorten(this.#source.slice(this.#offset + 1, end))}"`,
        );
    }
    if (end === undefined) return undefined;
    const raw = this.#source.slice(this.#offset + 1, end);
    this.#offset = end + 1;
    return raw;
  }

  #closes(offset: number): boolean {
    const next = /\s*(?:\)[ \t]*`*[ \t]*(?:\r?\n|<\/|$)|,\s*[A-Za-z_]\w*\s*=)/y;
    next.lastIndex = offset;
    return next.test(this.#source) || (this.#whole && this.#source.slice(offset).trim() === '');
  }

  #skip(): void {
    this.#take(/\s*/y);
  }

  #isHere(pattern: RegExp): boolean {
    pattern.lastIndex = this.#offset;
    return pattern.test(this.#source);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset;
    const match = pattern.exec(this.#source)?.[0];
    if (match !== undefined) this.#offset += match.length;
    return match;
  }

  #fail(message: string, offset = this.#offset): never {
    throw new Malformed(message, offset);
  }
}

function thoughtIn(text: string): string | undefined {
  const bare = text
    .replace(/^\s*<(\w+)>\s*(?=Thought[ \t]*[:：])/, '')
    .replace(/\s*<\/?(?:Thought|[\w:]*think\w*|Output|computer_env)>\s*/gi, '\n')
    .replace(/^[ \t]*Thought[ \t]*[:：][ \t]*/gm, '')
    .trim();
  return bare === '' ? undefined : bare;
}

const expected: Readonly<Record<Kind, string>> = {
  ...sdkExpected,
  point: 'two numbers on the screen, such as <point>500 500</point>',
  text: 'text in quotes',
  direction: 'up, down, left or right',
  button: 'left, middle or right',
  seconds: 'a number of seconds',
};

function readValue(kind: Kind, raw: string, space: ModelSpace): unknown {
  switch (kind) {
    case 'text':
      return unquote(raw);
    case 'direction':
      return Direction.safeParse(raw.trim().toLowerCase()).data;
    case 'button':
      return MouseButton.safeParse(raw.trim().toLowerCase()).data;
    case 'seconds':
      return readSeconds(raw);
    case 'point':
      return parsePoint(raw, space.size);
    default:
      return undefined;
  }
}
