import { Direction, MouseButton } from './action.js';
import type { Beginning, TurnMessage, TurnResult } from './turn.js';
import { type Kind, type Parameter, actionOf, callOf, calls, typeOf } from './call.js';
import { GyreError } from './error.js';
import { Malformed, shorten } from './malformed.js';
import { Point } from './point.js';
import { fromThousand, toThousand } from './space.js';
import type { AgentAction } from './sdkCall.js';
import { readSdkValue, sdkWanted } from './sdkValue.js';

export interface T5Options {
  /** Name of the tag around the thought. Default `thinkt`. */
  readonly think?: string;
}

/**
 * Prints one turn in the T5 format:
 * `<thinkt>...</thinkt><seed:tool_call><function=NAME><parameter=P>value</parameter></function></seed:tool_call>`.
 *
 * Text is printed as it is. Only where it holds one of the format's own tags, the `<` of that tag is quoted as `&lt;`,
 * and an `&lt;` that already stands before such a tag as `&amp;lt;` (one `amp;` more for each level), so that
 * {@link parseT5} gives back exactly what was said and no other text is touched.
 *
 * Points are printed as integers 0..1000.
 * @throws GyreError `bad_input` for no actions, an action that does not fit its schema, or an impossible tag name.
 */
export function printT5(message: TurnMessage, options: T5Options = {}): string {
  const tags = new Tags(options);
  if (message.actions.length === 0) {
    throw new GyreError('bad_input', 'T5 cannot say a turn without actions', {
      field: 'actions',
      fix: 'give at least one action, such as wait',
    });
  }
  const thought = message.thought === undefined ? '' : `<${tags.think}>${tags.quote(message.thought)}</${tags.think}>`;
  const functions = message.actions.map((action, index) => printCall(action, index, tags));
  return `${thought}<seed:tool_call>${functions.join('')}</seed:tool_call>`;
}

/**
 * Reads one turn in the T5 format. It never throws for a text and never guesses: a text that is not exactly one
 * optional thought and one tool call of known functions, each with its parameters and nothing else, is an error.
 * White space between tags is skipped; the thought and text values are kept to the letter.
 * @throws GyreError `bad_input` for an impossible tag name in `options`, and for nothing else.
 */
export function parseT5(source: string, options: T5Options = {}): TurnResult {
  const tags = new Tags(options);
  try {
    return new Reader(source, tags).message();
  } catch (error) {
    if (error instanceof Malformed) return { ok: false, error: { message: error.message, at: error.at } };
    throw error;
  }
}

/** What is whole in the beginning of a turn, as it streams in: the thought and every function that are closed. */
export function beginningOfT5(source: string, options: T5Options = {}): Beginning {
  return new Reader(source, new Tags(options)).beginning();
}

/** The tags of the format, which text values must not hold unquoted. */
class Tags {
  readonly think: string;
  /** Any own tag, from its `<` on, as far as is needed to know it. */
  readonly own: RegExp;
  private readonly unquoted: RegExp;
  private readonly quoted: RegExp;

  constructor({ think = 'thinkt' }: T5Options) {
    if (!/^[A-Za-z][\w:.-]*$/.test(think) || ['function', 'parameter', 'seed:tool_call'].includes(think)) {
      throw new GyreError('bad_input', `"${think}" cannot be the name of the thought tag`, {
        field: 'think',
        fix: 'give a name such as thinkt or think',
      });
    }
    this.think = think;
    const names = ['seed:tool_call', think].map((name) => name.replaceAll('.', '\\.')).join('|');
    const tail = `(?:function=|parameter=|/function>|/parameter>|/?(?:${names})>)`;
    this.own = new RegExp(`<${tail}`);
    this.unquoted = new RegExp(`<(?=${tail})|&(?=(?:amp;)*lt;${tail})`, 'g');
    this.quoted = new RegExp(`&((?:amp;)*)lt;(?=${tail})`, 'g');
  }

  quote(value: string): string {
    return value.replace(this.unquoted, (mark) => (mark === '<' ? '&lt;' : '&amp;'));
  }

  unquote(value: string): string {
    return value.replace(this.quoted, (_, levels: string) => (levels ? `&${levels.slice('amp;'.length)}lt;` : '<'));
  }
}

function printCall(action: AgentAction, index: number, tags: Tags): string {
  const { name, given } = callOf(action, index);
  const values = given.map(
    ([{ name, kind }, value]) => `<parameter=${name}>${printValue(kind, value, tags)}</parameter>`,
  );
  return `<function=${name}>${values.join('')}</function>`;
}

function printValue(kind: Kind, value: unknown, tags: Tags): string {
  if (kind === 'json' || kind === 'lines') return tags.quote(JSON.stringify(value));
  if (kind !== 'point') return tags.quote(String(value));
  const { x1000, y1000 } = toThousand(Point.parse(value));
  return `<point>${x1000} ${y1000}</point>`;
}

/** A recursive descent over the text, from left to right. */
class Reader {
  private at = 0;

  constructor(
    private readonly source: string,
    private readonly tags: Tags,
  ) {}

  beginning(): Beginning {
    const read: { thought?: string; actions: AgentAction[] } = { actions: [] };
    try {
      const thought = this.thought();
      if (thought !== undefined) read.thought = thought;
      this.expect('<seed:tool_call>');
      for (let action = this.next(); action !== undefined; action = this.next()) read.actions.push(action);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
    }
    return read;
  }

  message(): TurnResult {
    const thought = this.thought();
    this.expect('<seed:tool_call>');
    const actions: AgentAction[] = [];
    for (let action = this.next(); action !== undefined; action = this.next()) actions.push(action);
    if (actions.length === 0) this.fail('no GUI action was found: the tool call holds no function');
    this.space();
    if (this.at < this.source.length) this.fail('there is text after </seed:tool_call>');
    return { ok: true, ...(thought === undefined ? {} : { thought }), actions };
  }

  private thought(): string | undefined {
    const { think } = this.tags;
    this.space();
    if (!this.take(`<${think}>`)) return undefined;
    const end = this.source.indexOf(`</${think}>`, this.at);
    if (end < 0) this.fail(`the thought is not closed: </${think}> is missing`);
    const thought = this.tags.unquote(this.source.slice(this.at, end));
    this.at = end + `</${think}>`.length;
    return thought;
  }

  /** The next function, or undefined at the end of the call. */
  private next(): AgentAction | undefined {
    this.space();
    return this.take('</seed:tool_call>') ? undefined : this.call();
  }

  private call(): AgentAction {
    const start = this.at;
    const name = this.name('function');
    const type = typeOf.get(name);
    if (type === undefined) this.fail(`there is no function "${name}"`, start);
    const { parameters } = calls[type];
    const fields: { type: AgentAction['type'] } & Record<string, unknown> = { type };
    this.space();
    while (!this.take('</function>')) {
      const at = this.at;
      const given = this.name('parameter');
      const parameter = parameters.find((parameter) => parameter.name === given);
      if (!parameter) this.fail(`${name} has no parameter "${given}"`, at);
      if (parameter.field in fields) this.fail(`${name} has the parameter "${given}" twice`, at);
      fields[parameter.field] = this.value(parameter, name);
      this.space();
    }
    const action = actionOf(name, fields);
    if ('wrong' in action) this.fail(action.wrong, start);
    return action;
  }

  /** `<function=NAME>` or `<parameter=NAME>`. */
  private name(tag: 'function' | 'parameter'): string {
    const open = `<${tag}=`;
    if (!this.source.startsWith(open, this.at)) this.fail(`<${tag}=...> or </${enclosing[tag]}> is missing here`);
    const match = /[A-Za-z_]\w*>/y;
    match.lastIndex = this.at + open.length;
    const name = match.exec(this.source)?.[0].slice(0, -1);
    if (name === undefined) this.fail(`<${tag}=...> does not hold a name`);
    this.at = match.lastIndex;
    return name;
  }

  private value({ name, kind }: Parameter, call: string): unknown {
    const start = this.at;
    const tag = this.tags.own.exec(this.source.slice(start));
    if (tag?.[0] !== '</parameter>') this.fail(`the parameter "${name}" of ${call} is not closed`, start);
    const raw = this.source.slice(start, start + tag.index);
    this.at = start + tag.index + '</parameter>'.length;
    const value = readValue(kind, raw, this.tags);
    if (value === undefined) {
      this.fail(`"${name}" of ${call} must be ${wanted[kind]}, not "${shorten(raw.trim())}"`, start);
    }
    return value;
  }

  private space(): void {
    const match = /\s*/y;
    match.lastIndex = this.at;
    match.exec(this.source);
    this.at = match.lastIndex;
  }

  private take(literal: string): boolean {
    const found = this.source.startsWith(literal, this.at);
    if (found) this.at += literal.length;
    return found;
  }

  private expect(literal: string): void {
    this.space();
    if (!this.take(literal)) this.fail(`no GUI action was found: ${literal} is missing here`);
  }

  private fail(message: string, at = this.at): never {
    throw new Malformed(message, at);
  }
}

const enclosing = { function: 'seed:tool_call', parameter: 'function' } as const;

const wanted: Readonly<Record<Kind, string>> = {
  ...sdkWanted,
  point: '<point>x y</point> with integers 0..1000',
  text: 'text',
  direction: 'up, down, left or right',
  button: 'left, middle or right',
  seconds: 'a number of seconds',
};

/** The value, or undefined where the text does not say one. */
function readValue(kind: Kind, raw: string, tags: Tags): unknown {
  switch (kind) {
    case 'text':
      return tags.unquote(raw);
    case 'direction':
      return Direction.safeParse(raw.trim()).data;
    case 'button':
      return MouseButton.safeParse(raw.trim()).data;
    case 'seconds':
      return /^\d+(\.\d+)?(e[+-]?\d+)?$/.test(raw.trim()) ? Number(raw.trim()) : undefined;
    case 'point': {
      const [, x, y] = /^\s*<point>\s*(\d{1,4})\s+(\d{1,4})\s*<\/point>\s*$/.exec(raw) ?? [];
      const place = { x1000: Number(x), y1000: Number(y) };
      return place.x1000 <= 1000 && place.y1000 <= 1000 ? fromThousand(place) : undefined;
    }
    case 'command':
    case 'boolean':
    case 'integer':
    case 'lines':
    case 'json':
      return readSdkValue(kind, tags.unquote(raw));
  }
}
