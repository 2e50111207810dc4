import { Direction, MouseButton } from '../action/action.js';
import { type Kind, type Parameter, actionOf, callOf, calls, isMiscased, parameterNamed, typeNamed } from './call.js';
import { actionMark, parseClassic } from './classic.js';
import { GyreError } from '../error.js';
import { Malformed, shorten } from './malformed.js';
import { Point } from '../action/point.js';
import type { AgentAction } from '../action/sdkCall.js';
import { readJson, readSdkValue, readSeconds, sdkExpected } from '../action/sdkValue.js';
import { toThousand } from '../space/space.js';
import { parsePoint } from './parsePoint.js';
import {
  type TurnPrefix,
  type TurnMessage,
  type TurnResult,
  truncationNote,
  readTurn,
  thinkEnd,
  thinkTag,
  withoutEndTokens,
} from './turn.js';

export interface T5Options {
  /** The thought's tag. Default: `thinkt`. */
  readonly think?: string;
}

/**
 * Prints
 * `<thinkt>...</thinkt><seed:tool_call><function=NAME><parameter=P>value</parameter></function></seed:tool_call>`.
 *
 * Text is verbatim. Only the `<` of one of the format's own tags becomes `&lt;`, and an `&lt;` before such a tag
 * `&amp;lt;` (one more `amp;` per level), so that {@link parseT5} restores the text. Points are integers 0..1000.
 * @throws GyreError `bad_input` for no actions, an invalid action, or an impossible tag name.
 */
export function printT5(message: TurnMessage, options: T5Options = {}): string {
  const tags = new Tags(options);
  if (message.actions.length === 0) {
    throw new GyreError('bad_input', 'T5 cannot express a turn without actions', {
      field: 'actions',
      fix: 'use at least one action, such as wait',
    });
  }
  const thought = message.thought === undefined ? '' : `<${tags.think}>${tags.quote(message.thought)}</${tags.think}>`;
  const functions = message.actions.map((action, index) => printCall(action, index, tags));
  return `${thought}<seed:tool_call>${functions.join('')}</seed:tool_call>`;
}

/**
 * Reads leniently: text around the call, several calls, other thought tags, a missing closing tag, `<function
 * name="...">`, aliases, plain text as the final answer. Lists deviations in `notices`. Text values are verbatim.
 *
 * Unclosed, unknown or incomplete functions are never carried out: alone they are an error; after others the rest is
 * dropped.
 * @throws GyreError `bad_input` only for an impossible tag name.
 */
export function parseT5(source: string, options: T5Options = {}): TurnResult {
  const tags = new Tags(options);
  try {
    return new Reader(withoutEndTokens(source), tags, true).message();
  } catch (error) {
    if (error instanceof Malformed) return { ok: false, error: { message: error.message, offset: error.offset } };
    throw error;
  }
}

/** Reads the closed thought and functions of a streaming turn. */
export function parseT5Prefix(source: string, options: T5Options = {}): TurnPrefix {
  return new Reader(source, new Tags(options), false).beginning();
}

class Tags {
  readonly think: string;
  readonly #unquoted: RegExp;
  readonly #quoted: RegExp;

  constructor({ think = 'thinkt' }: T5Options) {
    if (!/^[A-Za-z][\w:.-]*$/.test(think) || ['function', 'parameter', 'seed:tool_call'].includes(think)) {
      throw new GyreError('bad_input', `"${think}" cannot be the name of the thought tag`, {
        field: 'think',
        fix: 'use a name such as thinkt or think',
      });
    }
    this.think = think;
    const names = ['seed:tool_call', think].map((name) => name.replaceAll('.', '\\.')).join('|');
    const tail = `(?:function=|parameter=|/function>|/parameter>|/?(?:${names})>)`;
    this.#unquoted = new RegExp(`<(?=${tail})|&(?=(?:amp;)*lt;${tail})`, 'g');
    this.#quoted = new RegExp(`&((?:amp;)*)lt;(?=${tail})`, 'g');
  }

  /** Matches the end of a value: its closing tag, or one that values must quote. */
  ends(closing: string): RegExp {
    return new RegExp(
      `${closing}|<(?:function=|parameter=|/function${suffix}>|/parameter>|/?seed:tool_call${suffix}>)`,
    );
  }

  quote(value: string): string {
    return value.replace(this.#unquoted, (mark) => (mark === '<' ? '&lt;' : '&amp;'));
  }

  unquote(value: string): string {
    return value.replace(this.#quoted, (_, levels: string) => (levels ? `&${levels.slice('amp;'.length)}lt;` : '<'));
  }
}

function printCall(action: AgentAction, index: number, tags: Tags): string {
  const { name, args } = callOf(action, index);
  const values = args.map(
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

/** Models print tags with a suffix that sets them apart from text. */
const suffix = '(?:_never_used_\\w+)?';
const nameOf = (tag: string) => `<${tag}(${suffix})(?:=|\\s+name=)\\s*["']?([A-Za-z_]\\w*)["']?`;
const functionOpen = new RegExp(`${nameOf('function')}\\s*>`, 'y');
const parameterOpen = new RegExp(`${nameOf('parameter')}(?:\\s+string=["']?(?:true|false)["']?)?\\s*>`, 'y');
const functionEnd = new RegExp(`</function${suffix}>`, 'y');
const callOpen = new RegExp(`<seed:tool_call${suffix}>`, 'y');
const callEnd = new RegExp(`</seed:tool_call${suffix}>`, 'y');
const answerOpen = /<answer>/y;

const marks = new RegExp(
  `<function${suffix}(?:=|\\s+name=)|</?seed:tool_call${suffix}>|<answer>|${thinkTag.source}`,
  'gi',
);
const firstCall = new RegExp(`<function${suffix}(?:=|\\s+name=)|<seed:tool_call${suffix}>|<answer>`, 'i');
/** Tags in a function, or after an unclosed one. */
const parts = new RegExp(
  `<(?:function|parameter)${suffix}(?:=|\\s+name=)|</function${suffix}>|</?seed:tool_call${suffix}>`,
  'g',
);
/** Signs of an intended call. */
const traces = /<[\w:/="' ]*$|<\/?(?:function|parameter|seed:|point>|computer_env|code_env|mcp_env)|<\|FunctionCall/;

const unwrapped = 'there is no <seed:tool_call> around the call';

class Reader {
  readonly #source: string;
  readonly #tags: Tags;
  readonly #whole: boolean;

  #offset = 0;
  readonly #notices: string[] = [];

  constructor(
    source: string,
    tags: Tags,
    /** False while streaming. */
    whole: boolean,
  ) {
    this.#source = source;
    this.#tags = tags;
    this.#whole = whole;
  }

  beginning(): TurnPrefix {
    const read: { thought?: string; actions: AgentAction[] } = { actions: [] };
    try {
      const thought = this.#thought();
      if (thought !== undefined) read.thought = thought;
      for (const { action, before } of this.#calls()) {
        if (before !== undefined) read.thought ??= before;
        read.actions.push(action);
      }
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
    }
    return read;
  }

  message(): TurnResult {
    let thought = this.#thought();
    const start = this.#offset;
    const actions: AgentAction[] = [];
    try {
      for (const { action, before } of this.#calls()) {
        if (before !== undefined && thought === undefined) {
          thought = before;
          this.#notices.push('the text before the call was taken as the thought');
        } else if (before !== undefined) this.#notices.push('the text before the call was left out');
        actions.push(action);
      }
    } catch (error) {
      if (!(error instanceof Malformed) || actions.length === 0) throw error;
      this.#notices.push(truncationNote(error.message, error.offset));
    }
    if (actions.length > 0) return readTurn(thought, actions, this.#notices);
    const answer = this.#source.slice(start).trim();
    if (actionMark.test(answer)) return this.#classic();
    if (answer === '' || traces.test(answer)) this.#fail('no GUI action was found: the text holds no function');
    this.#notices.push('there is no call: the text was taken as the final answer');
    return readTurn(thought, [{ type: 'finished', answer }], this.#notices);
  }

  /** T5 models fall back to classic turns, with the same points. */
  #classic(): TurnResult {
    const read = parseClassic(this.#source);
    if (!read.ok) return read;
    return { ...read, notices: ['the turn was read as "Action:" text', ...(read.notices ?? [])] };
  }

  #thought(): string | undefined {
    const { think } = this.#tags;
    this.#space();
    const name = this.#take(`<${think}>`) ? think : this.#tagHere(thinkTag)?.[1];
    if (name !== undefined) return this.#restOfThought(name);
    // Chat templates print the opening tag themselves.
    const end = thinkEnd.exec(this.#source);
    if (!end || end.index > (firstCall.exec(this.#source)?.index ?? Infinity)) return undefined;
    const thought = this.#source.slice(this.#offset, end.index).trim();
    this.#offset = end.index + end[0].length;
    return thought === '' ? undefined : thought;
  }

  #restOfThought(name: string): string {
    const rest = this.#source.slice(this.#offset);
    const end = rest.indexOf(`</${name}>`);
    if (end >= 0) {
      this.#offset += end + `</${name}>`.length;
      return this.#tags.unquote(rest.slice(0, end));
    }
    const call = this.#whole ? firstCall.exec(rest)?.index : undefined;
    if (call === undefined) this.#fail(`the thought is not closed: </${name}> is missing`);
    this.#notices.push(`the thought was read up to the call: </${name}> is missing`);
    this.#offset += call;
    return rest.slice(0, call).trim();
  }

  /** Yields the calls, each with the stray text before it. */
  *#calls(): Generator<{ action: AgentAction; before?: string }> {
    let depth = 0;
    let count = 0;
    let wasOpened = false;
    let stray = '';
    for (;;) {
      marks.lastIndex = this.#offset;
      const mark = marks.exec(this.#source);
      if (!mark) {
        stray += this.#source.slice(this.#offset);
        break;
      }
      stray += this.#source.slice(this.#offset, mark.index);
      this.#offset = mark.index;
      if (this.#tagHere(callOpen)) {
        depth++;
        wasOpened = true;
        continue;
      }
      if (this.#tagHere(callEnd)) {
        depth = Math.max(0, depth - 1);
        continue;
      }
      const before = stray.trim() === '' ? {} : { before: stray.trim() };
      if (this.#tagHere(answerOpen)) {
        if (count > 0) break;
        yield { action: this.#answer(), ...before };
        return;
      }
      if (this.#source.startsWith('<function', this.#offset) || this.#source.startsWith('<FUNCTION', this.#offset)) {
        if (depth === 0) this.#notices.push(unwrapped);
        yield { action: this.#call(), ...before };
        count++;
        stray = '';
        continue;
      }
      // A second turn's screen was never seen.
      if (count > 0) {
        this.#notices.push('a second thought follows: what comes after it was left out');
        return;
      }
      stray += this.#restOfThought(this.#tagHere(thinkTag)![1]!);
    }
    if (count === 0 && wasOpened)
      this.#fail('no GUI action was found: the tool call holds no function', this.#source.length);
    if (count > 0 && depth > 0)
      this.#notices.push('the call was read up to the end of the text: </seed:tool_call> is missing');
    if (count > 0 && stray.trim() !== '') this.#notices.push('the text after the call was left out');
  }

  #answer(): AgentAction {
    const end = this.#source.indexOf('</answer>', this.#offset);
    if (end < 0 && !this.#whole) this.#fail('<answer> is not closed');
    if (end < 0) this.#notices.push('the answer was read up to the end of the text: </answer> is missing');
    const answer = this.#source.slice(this.#offset, end < 0 ? undefined : end).trim();
    this.#offset = end < 0 ? this.#source.length : end + '</answer>'.length;
    return { type: 'finished', answer };
  }

  #call(): AgentAction {
    const start = this.#offset;
    const name = this.#tagHere(functionOpen)?.[2];
    if (name === undefined) this.#fail('<function=...> does not hold a name');
    const type = typeNamed(name);
    if (type === undefined) this.#fail(`there is no function "${name}"`, start);
    if (isMiscased(name)) this.#notices.push(`${name} was read as ${calls[type].name}`);
    const { parameters } = calls[type];
    const fields: { type: AgentAction['type'] } & Record<string, unknown> = { type };
    for (;;) {
      parts.lastIndex = this.#offset;
      const part = parts.exec(this.#source);
      if (!part) this.#fail('</function> is missing', this.#source.length);
      if (this.#source.slice(this.#offset, part.index).trim() !== '')
        this.#notices.push(`the text between the parameters of ${name} was left out`);
      this.#offset = part.index;
      const offset = this.#offset;
      const parameterTag = this.#tagHere(parameterOpen);
      if (parameterTag) {
        this.#parameter(fields, {
          call: name,
          parameterName: parameterTag[2]!,
          tag: `</parameter${parameterTag[1]}>`,
          offset,
          parameters,
        });
        continue;
      }
      if (this.#tagHere(functionEnd)) break;
      if (part[0].startsWith('<parameter')) this.#fail('<parameter=...> does not hold a name');
      this.#notices.push(`</function> of ${name} is missing`);
      break;
    }
    const action = actionOf(name, fields);
    if ('wrong' in action) this.#fail(action.wrong, start);
    return action;
  }

  #parameter(
    fields: Record<string, unknown>,
    {
      call,
      parameterName,
      tag,
      offset,
      parameters,
    }: { call: string; parameterName: string; tag: string; offset: number; parameters: readonly Parameter[] },
  ): void {
    const parameter = parameterNamed(parameters, parameterName);
    const value = this.#value(parameter ?? { name: parameterName, field: '', kind: 'text' }, { call, tag });
    if (!parameter) {
      this.#notices.push(`the unknown parameter "${parameterName}" of ${call} was left out`);
      return;
    }
    if (parameter.field in fields)
      this.#notices.push(`${call} has the parameter "${parameterName}" twice: the last was read`);
    if (value === undefined) this.#fail(`the parameter "${parameterName}" of ${call} has no value`, offset);
    fields[parameter.field] = value;
  }

  #value({ name, kind }: Parameter, { call, tag }: { call: string; tag: string }): unknown {
    const start = this.#offset;
    const structured = structure(this.#source, start, tag);
    const end = structured ? structured.end : this.#endOfValue(tag);
    const isClosed = end !== undefined && this.#source.startsWith(tag, end);
    // An unclosed text's end cannot be guessed, a number's can.
    if (end === undefined || (!isClosed && kind === 'text'))
      this.#fail(`the parameter "${name}" of ${call} is not closed`, start);
    if (!isClosed) this.#notices.push(`${tag} of "${name}" of ${call} is missing`);
    this.#offset = end + (isClosed ? tag.length : 0);
    const raw = structured ? JSON.stringify(structured.value) : unwrap(this.#source.slice(start, end));
    const value = readValue(
      kind,
      kind === 'text' || structured ? this.#tags.unquote(raw) : this.#tags.unquote(raw).trim(),
    );
    if (value === undefined) {
      this.#fail(`"${name}" of ${call} must be ${expected[kind]}, not "${shorten(raw.trim())}"`, start);
    }
    return value;
  }

  #endOfValue(tag: string): number | undefined {
    const match = this.#tags.ends(tag).exec(this.#source.slice(this.#offset));
    return match ? this.#offset + match.index : undefined;
  }

  #space(): void {
    this.#tagHere(/\s*/y);
  }

  #tagHere(pattern: RegExp): RegExpExecArray | undefined {
    const here = pattern.sticky ? pattern : new RegExp(pattern.source, `${pattern.flags}y`);
    here.lastIndex = this.#offset;
    const match = here.exec(this.#source) ?? undefined;
    if (match) this.#offset += match[0].length;
    return match;
  }

  #take(literal: string): boolean {
    const isPresent = this.#source.startsWith(literal, this.#offset);
    if (isPresent) this.#offset += literal.length;
    return isPresent;
  }

  #fail(message: string, offset = this.#offset): never {
    throw new Malformed(message, offset);
  }
}

/** Strips some versions' wrappers: the value's type, or a verbatim-text tag. */
function unwrap(raw: string): string {
  const inner = /^\s*<(?:type=\w+|text_never_used_\w+)>([\s\S]*)<\/(?:type|text_never_used_\w+)>\s*$/.exec(raw)?.[1];
  return inner ?? raw;
}

const maxDepth = 16;

/** Reads `<list><item>...</item></list>` or `<object><parameter=NAME>...</parameter></object>`. */
function structure(source: string, from: number, tag: string): { value: unknown; end: number } | undefined {
  const open = /\s*<(list|object)>/y;
  open.lastIndex = from;
  if (!open.test(source)) return undefined;
  let offset = from;
  const next = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = offset;
    const match = pattern.exec(source) ?? undefined;
    if (match) offset += match[0].length;
    return match;
  };
  const scalar = (text: string): unknown => readJson(text.trim()) ?? text;
  const read = (depth: number): unknown => {
    if (depth === 0) return undefined;
    const kind = next(/\s*<(list|object)>/y)?.[1];
    if (kind === undefined) return scalar(next(/[^<]*/y)?.[0] ?? '');
    const items: unknown[] = [];
    const fields: [string, unknown][] = [];
    if (kind === 'list') {
      while (next(/\s*<item>/y)) {
        items.push(read(depth - 1));
        if (!next(/\s*<\/item>/y)) return undefined;
      }
      return next(/\s*<\/list>\s*/y) ? items : undefined;
    }
    for (let name = next(/\s*<parameter=([A-Za-z_]\w*)>/y); name; name = next(/\s*<parameter=([A-Za-z_]\w*)>/y)) {
      fields.push([name[1]!, read(depth - 1)]);
      if (!next(/\s*<\/parameter>/y)) return undefined;
    }
    return next(/\s*<\/object>\s*/y) ? Object.fromEntries(fields) : undefined;
  };
  const value = read(maxDepth);
  return value !== undefined && source.startsWith(tag, offset) ? { value, end: offset } : undefined;
}

const expected: Readonly<Record<Kind, string>> = {
  ...sdkExpected,
  point: '<point>x y</point> with numbers 0..1000',
  text: 'text',
  direction: 'up, down, left or right',
  button: 'left, middle or right',
  seconds: 'a number of seconds',
};

const thousand = { width: 1000, height: 1000 };

export function readValue(kind: Kind, raw: string): unknown {
  switch (kind) {
    case 'text':
      return raw;
    case 'direction':
      return Direction.safeParse(raw.trim().toLowerCase()).data;
    case 'button':
      return MouseButton.safeParse(raw.trim().toLowerCase()).data;
    case 'seconds':
      return readSeconds(raw);
    case 'point':
      return parsePoint(raw, thousand);
    case 'command':
    case 'boolean':
    case 'integer':
    case 'lines':
    case 'json':
      return readSdkValue(kind, raw);
  }
}
