import { Direction, MouseButton } from './action.js';
import { type Kind, type Parameter, actionOf, callOf, calls, typeOf } from './call.js';
import { GyreError } from './error.js';
import { Malformed, shorten } from './malformed.js';
import { Point, type Size } from './point.js';
import { resizeLimits, smartResize } from './resize.js';
import { type AgentAction, isSdkCall, isSdkType } from './sdkCall.js';
import { sdkWanted } from './sdkValue.js';
import type { Beginning, TurnMessage, TurnResult } from './turn.js';

/**
 * Dialects of the classic format, by how they say a point:
 * `doubao` as `point='<point>x y</point>'` and `ui-tars-1.0` as `start_box='[x, y, x, y]'`, both in 0..1000 of the screen;
 * `ui-tars-1.5` as `start_box='<|box_start|>(x,y)<|box_end|>'` in px of the resized screenshot.
 */
export const classicDialects = ['doubao', 'ui-tars-1.5', 'ui-tars-1.0'] as const;
export type ClassicDialect = (typeof classicDialects)[number];

export interface ClassicOptions {
  /** Default `doubao`. */
  readonly dialect?: ClassicDialect;
  /** Of the screenshot that the model was given, in px. Points of `ui-tars-1.5` mean nothing without it. */
  readonly screen?: Size;
}

/**
 * Prints one turn as `Thought: ...` and, on a new line, `Action: name(parameter='value')`; several actions stand a blank line apart.
 *
 * Texts are quoted as in Python. A thought must not hold a line that begins like an action, or the text could not be read back.
 * Calls of the SDK are not part of these formats, in either direction.
 * @throws GyreError `bad_input` for no actions, a call of the SDK, an action that does not fit its schema, such a thought, or a missing
 *   screen.
 */
export function printClassic({ thought, actions }: TurnMessage, options: ClassicOptions = {}): string {
  const space = new ModelSpace(options);
  if (actions.length === 0) {
    throw new GyreError('bad_input', 'the classic format cannot say a turn without actions', {
      field: 'actions',
      fix: 'give at least one action, such as wait',
    });
  }
  if (thought !== undefined && (actionMark.test(thought) || thought !== thought.trim() || thoughtMark.test(thought))) {
    throw new GyreError('bad_input', 'the thought cannot be told from the rest of the text', {
      field: 'thought',
      fix: 'give one without a line that begins with "Action:" or "Thought:", and without white space around it',
    });
  }
  const printed = actions.map((action, index) => printCall(action, index, space)).join('\n\n');
  return `${thought === undefined ? '' : `Thought: ${thought}\n`}Action: ${printed}`;
}

/**
 * Reads one turn in any of the classic spellings: `Thought:`, `Reflection:` and `Action_Summary:` before `Action:`, with full-width
 * colons too, thoughts in tags, a bare call without `Action:`, and several calls. It never throws for a text, and never guesses:
 * a call is taken only if it is a known function with its parameters and nothing else.
 *
 * A point is two numbers, or the middle of four, in any of the brackets and tags that models print around them.
 * @throws GyreError `bad_input` for a missing screen, and for nothing else.
 */
export function parseClassic(source: string, options: ClassicOptions = {}): TurnResult {
  const space = new ModelSpace(options);
  try {
    return new Reader(source, space).message();
  } catch (error) {
    if (error instanceof Malformed) return { ok: false, error: { message: error.message, at: error.at } };
    throw error;
  }
}

/**
 * What is whole in the beginning of a turn, as it streams in: the thought once an action begins, and every call that has ended and
 * is followed by a new line.
 */
export function beginningOfClassic(source: string, options: ClassicOptions = {}): Beginning {
  return new Reader(source, new ModelSpace(options)).beginning();
}

/** `Action:` at the start of a line, with either colon. */
const actionMark = /^[ \t]*Action[ \t]*[:：]/m;

/** What stands before a thought. */
const thoughtMark = /^[ \t]*(?:Thought|Reflection|Action_Summary)[ \t]*[:：]/m;

/** How a model says points. */
class ModelSpace {
  readonly dialect: ClassicDialect;
  /** Of the space, in its units. */
  readonly size: Size;

  constructor({ dialect = 'doubao', screen }: ClassicOptions) {
    this.dialect = dialect;
    if (dialect !== 'ui-tars-1.5') {
      this.size = { width: 1000, height: 1000 };
    } else if (screen) {
      this.size = smartResize(screen, resizeLimits[dialect]);
    } else {
      throw new GyreError('bad_input', `points of ${dialect} are in px of the screenshot, whose size is not given`, {
        field: 'screen',
        fix: 'give the width and height of the screenshot that the model saw',
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

  /** The point that a text says, or undefined. */
  read(text: string): Point | undefined {
    const bare = text.replace(/<\/?(?:point|bbox)>|<\|box_(?:start|end)\|>|[()[\]]/g, ' ').trim();
    if (!/^\d+(?:\.\d+)?(?:(?:\s*,\s*|\s+)\d+(?:\.\d+)?)*$/.test(bare)) return undefined;
    const numbers = bare.split(/[\s,]+/).map(Number);
    const [left = NaN, top = NaN, right = left, bottom = top] = numbers;
    if (numbers.length !== 2 && numbers.length !== 4) return undefined;
    const place = { x: (left + right) / 2 / this.size.width, y: (top + bottom) / 2 / this.size.height };
    return Point.safeParse(place).data;
  }
}

function printCall(action: AgentAction, index: number, space: ModelSpace): string {
  const { name, given } = callOf(action, index);
  if (isSdkCall(action)) {
    throw new GyreError('bad_input', `the classic formats have no calls of the SDK such as ${name}`, {
      field: `actions.${index}`,
      fix: 'say it in T5 or in environment tags',
    });
  }
  const values = given.map(([parameter, value]) => {
    const place = Point.safeParse(value);
    return `${nameIn(space.dialect, parameter)}='${place.success ? space.print(place.data) : quote(String(value))}'`;
  });
  return `${name}(${values.join(', ')})`;
}

/** What a parameter is called in a dialect. */
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
    (whole, four?: string, two?: string, one?: string) => {
      const code = four ?? two;
      // As in Python, what is no escape keeps its backslash.
      return code === undefined ? (escapes[one ?? ''] ?? whole) : String.fromCharCode(parseInt(code, 16));
    },
  );
}

/** Reads from left to right. */
class Reader {
  private at = 0;

  constructor(
    private readonly source: string,
    private readonly space: ModelSpace,
  ) {}

  beginning(): Beginning {
    const read: { thought?: string; actions: AgentAction[] } = { actions: [] };
    try {
      const thought = this.thought();
      if (thought !== undefined) read.thought = thought;
      for (let whole = this.next(); whole !== undefined; whole = this.next()) {
        if (this.at === this.source.length && !this.source.endsWith('\n')) break;
        read.actions.push(whole);
      }
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
    }
    return read;
  }

  message(): TurnResult {
    const thought = this.thought();
    const actions: AgentAction[] = [];
    for (let action = this.next(); action !== undefined; action = this.next()) actions.push(action);
    if (actions.length === 0) this.fail('no GUI action was found');
    if (this.take(/<\/(?:Output|Action|computer_env)>/iy) === undefined && this.at < this.source.length)
      this.fail('there is text after the action');
    this.skip();
    if (this.at < this.source.length) this.fail('there is text after the action');
    return { ok: true, ...(thought === undefined ? {} : { thought }), actions };
  }

  /** The next call, and all white space after it; undefined where there is none. */
  private next(): AgentAction | undefined {
    this.skip();
    if (this.at === this.source.length || this.source.startsWith('</', this.at)) return undefined;
    const action = this.call();
    this.skip();
    // Between calls some models say `Action:` again.
    this.take(/Action[ \t]*[:：]/y);
    return action;
  }

  /** Reads up to the first call. */
  private thought(): string | undefined {
    const mark = actionMark.exec(this.source);
    if (!mark) {
      // A call alone, as grounding models print it.
      this.skip();
      if (!/^\s*[A-Za-z_]\w*\s*\(/.test(this.source)) this.fail('no GUI action was found: "Action:" is missing');
      return undefined;
    }
    this.at = mark.index + mark[0].length;
    const before = this.source
      .slice(0, mark.index)
      .replace(/^\s*<(\w+)>\s*(?=Thought[ \t]*[:：])/, '')
      .replace(/\s*<\/?(?:Thought|think\w*|Output)>\s*/gi, '\n')
      .replace(/^[ \t]*Thought[ \t]*[:：][ \t]*/gm, '')
      .trim();
    return before === '' ? undefined : before;
  }

  private call(): AgentAction {
    const start = this.at;
    const name = this.take(/[A-Za-z_]\w*/y);
    if (name === undefined) this.fail('a call such as click(...) is missing here');
    const type = typeOf.get(name);
    if (type === undefined) this.fail(`there is no function "${name}"`, start);
    if (isSdkType(type)) this.fail(`${name} is a call of the SDK, which is none of the actions of the screen`, start);
    const { parameters } = calls[type];
    const fields: { type: AgentAction['type'] } & Record<string, unknown> = { type };
    this.skip();
    if (this.take(/\(/y) === undefined) this.fail(`"(" is missing after ${name}`);
    this.skip();
    while (this.take(/\)/y) === undefined) {
      const at = this.at;
      const given = this.take(/[A-Za-z_]\w*/y);
      const parameter = parameters.find((each) => namesOf(each).includes(given ?? ''));
      if (given === undefined) this.fail(`a parameter or ")" is missing in ${name}`);
      if (!parameter) this.fail(`${name} has no parameter "${given}"`, at);
      if (parameter.field in fields) this.fail(`${name} has the parameter "${given}" twice`, at);
      this.skip();
      if (this.take(/=/y) === undefined) this.fail(`"=" is missing after ${given}`);
      this.skip();
      fields[parameter.field] = this.value(parameter, name, given);
      this.skip();
      if (this.take(/,/y) === undefined && this.source[this.at] !== ')')
        this.fail(`"," or ")" is missing after "${given}" of ${name}`);
      this.skip();
    }
    const action = actionOf(name, fields, (parameter) => nameIn(this.space.dialect, parameter));
    if ('wrong' in action) this.fail(action.wrong, start);
    return action;
  }

  private value(parameter: Parameter, call: string, given: string): unknown {
    const start = this.at;
    const raw = this.quoted() ?? this.take(/[^'",()\s][^,)\n]*|\([^()\n]*\)|\[[^[\]\n]*\]/y);
    if (raw === undefined) this.fail(`the parameter "${given}" of ${call} is not closed`, start);
    const value = readValue(parameter.kind, raw, this.space);
    if (value === undefined) {
      this.fail(`"${given}" of ${call} must be ${wanted[parameter.kind]}, not "${shorten(raw.trim())}"`, start);
    }
    return value;
  }

  /**
   * What stands in quotes, still escaped. A quote ends it only where the call could go on or end after it: models forget to escape
   * apostrophes.
   */
  private quoted(): string | undefined {
    const mark = this.source[this.at];
    if (mark !== "'" && mark !== '"') return undefined;
    for (let at = this.at + 1; at < this.source.length; at++) {
      if (this.source[at] === '\\') at++;
      else if (this.source[at] === mark && this.closes(at + 1)) {
        const raw = this.source.slice(this.at + 1, at);
        this.at = at + 1;
        return raw;
      }
    }
    return undefined;
  }

  private closes(at: number): boolean {
    const next = /\s*(?:\)[ \t]*(?:\r?\n|<\/|$)|,\s*[A-Za-z_]\w*\s*=)/y;
    next.lastIndex = at;
    return next.test(this.source);
  }

  private skip(): void {
    this.take(/\s*/y);
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private fail(message: string, at = this.at): never {
    throw new Malformed(message, at);
  }
}

/** What a parameter is called in any dialect. */
function namesOf({ name, kind }: Parameter): readonly string[] {
  if (kind !== 'point') return [name];
  return name === 'end_point' ? [name, 'end_box'] : [name, 'start_box'];
}

const wanted: Readonly<Record<Kind, string>> = {
  ...sdkWanted,
  point: 'two numbers on the screen, such as <point>500 500</point>',
  text: 'text in quotes',
  direction: 'up, down, left or right',
  button: 'left, middle or right',
  seconds: 'a number of seconds',
};

/** The value, or undefined where the text does not say one. */
function readValue(kind: Kind, raw: string, space: ModelSpace): unknown {
  switch (kind) {
    case 'text':
      return unquote(raw);
    case 'direction':
      return Direction.safeParse(raw.trim().toLowerCase()).data;
    case 'button':
      return MouseButton.safeParse(raw.trim().toLowerCase()).data;
    case 'seconds':
      return /^\d+(\.\d+)?$/.test(raw.trim()) ? Number(raw.trim()) : undefined;
    case 'point':
      return space.read(raw);
    default:
      // A value of a call of the SDK, which was refused by its name.
      return undefined;
  }
}
