import { Direction, MouseButton } from '../action/action.js';
import { type Kind, type Parameter, actionOf, callOf, calls, isMiscased, parameterNamed, typeNamed } from './call.js';
import { actionMark, parseClassic } from './classic.js';
import { GyreError } from '../error.js';
import { Malformed, shorten } from './malformed.js';
import { Point } from '../action/point.js';
import type { AgentAction } from '../action/sdkCall.js';
import { readJson, readSdkValue, readSeconds, sdkWanted } from '../action/sdkValue.js';
import { toThousand } from '../space/space.js';
import { spokenPoint } from './spokenPoint.js';
import {
  type Beginning,
  type TurnMessage,
  type TurnResult,
  leftOut,
  readTurn,
  thinkEnd,
  thinkTag,
  withoutEndTokens,
} from './turn.js';

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
 * Reads one turn in the T5 format, in every form that the format's public readers take: text around the call, several calls, other thought
 * tags, a missing closing tag, `<function name="...">`, other names of functions and parameters, and a plain text as the final answer.
 * Where it takes a text for something, `notices` says for what. White space between tags is skipped; text values are kept to the letter.
 *
 * A function that is not closed is never carried out, nor is one that is unknown or lacks a parameter: alone it is an error, after others
 * the rest of the turn is left out.
 * @throws GyreError `bad_input` for an impossible tag name in `options`, and for nothing else.
 */
export function parseT5(source: string, options: T5Options = {}): TurnResult {
  const tags = new Tags(options);
  try {
    return new Reader(withoutEndTokens(source), tags, true).message();
  } catch (error) {
    if (error instanceof Malformed) return { ok: false, error: { message: error.message, at: error.at } };
    throw error;
  }
}

/** What is whole in the beginning of a turn, as it streams in: the thought and every function that are closed. */
export function beginningOfT5(source: string, options: T5Options = {}): Beginning {
  return new Reader(source, new Tags(options), false).beginning();
}

/** The tags of the format, which text values must not hold unquoted. */
class Tags {
  readonly think: string;
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
    this.unquoted = new RegExp(`<(?=${tail})|&(?=(?:amp;)*lt;${tail})`, 'g');
    this.quoted = new RegExp(`&((?:amp;)*)lt;(?=${tail})`, 'g');
  }

  /** What ends a value: its own closing tag, or a tag that no value holds unquoted. */
  ends(closing: string): RegExp {
    return new RegExp(
      `${closing}|<(?:function=|parameter=|/function${suffix}>|/parameter>|/?seed:tool_call${suffix}>)`,
    );
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

/** Tags as models print them: with a suffix that keeps them apart from other text, and with the name as an attribute. */
const suffix = '(?:_never_used_\\w+)?';
const nameOf = (tag: string) => `<${tag}(${suffix})(?:=|\\s+name=)\\s*["']?([A-Za-z_]\\w*)["']?`;
const functionOpen = new RegExp(`${nameOf('function')}\\s*>`, 'y');
const parameterOpen = new RegExp(`${nameOf('parameter')}(?:\\s+string=["']?(?:true|false)["']?)?\\s*>`, 'y');
const functionEnd = new RegExp(`</function${suffix}>`, 'y');
const callOpen = new RegExp(`<seed:tool_call${suffix}>`, 'y');
const callEnd = new RegExp(`</seed:tool_call${suffix}>`, 'y');
const answerOpen = /<answer>/y;

/** Where something begins or ends that a turn is made of. */
const marks = new RegExp(
  `<function${suffix}(?:=|\\s+name=)|</?seed:tool_call${suffix}>|<answer>|${thinkTag.source}`,
  'gi',
);
const firstCall = new RegExp(`<function${suffix}(?:=|\\s+name=)|<seed:tool_call${suffix}>|<answer>`, 'i');
/** What a function is made of, or what follows one that is not closed. */
const parts = new RegExp(
  `<(?:function|parameter)${suffix}(?:=|\\s+name=)|</function${suffix}>|</?seed:tool_call${suffix}>`,
  'g',
);
/** What shows that a text was meant to hold a call. */
const traces = /<[\w:/="' ]*$|<\/?(?:function|parameter|seed:|point>|computer_env|code_env|mcp_env)|<\|FunctionCall/;

const unwrapped = 'there is no <seed:tool_call> around the call';

/** Reads a text from left to right. */
class Reader {
  private at = 0;
  private readonly notices: string[] = [];

  constructor(
    private readonly source: string,
    private readonly tags: Tags,
    /** Whether the text is whole: what could still follow is not waited for. */
    private readonly whole: boolean,
  ) {}

  beginning(): Beginning {
    const read: { thought?: string; actions: AgentAction[] } = { actions: [] };
    try {
      const thought = this.thought();
      if (thought !== undefined) read.thought = thought;
      for (const { action, before } of this.calls()) {
        if (before !== undefined) read.thought ??= before;
        read.actions.push(action);
      }
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
    }
    return read;
  }

  message(): TurnResult {
    let thought = this.thought();
    const start = this.at;
    const actions: AgentAction[] = [];
    try {
      for (const { action, before } of this.calls()) {
        if (before !== undefined && thought === undefined) {
          thought = before;
          this.notices.push('the text before the call was taken as the thought');
        } else if (before !== undefined) this.notices.push('the text before the call was left out');
        actions.push(action);
      }
    } catch (error) {
      if (!(error instanceof Malformed) || actions.length === 0) throw error;
      this.notices.push(leftOut(error.message, error.at));
    }
    if (actions.length > 0) return readTurn(thought, actions, this.notices);
    const answer = this.source.slice(start).trim();
    if (actionMark.test(answer)) return this.classic();
    if (answer === '' || traces.test(answer)) this.fail('no GUI action was found: the text holds no function');
    this.notices.push('there is no call: the text was taken as the final answer');
    return readTurn(thought, [{ type: 'finished', answer }], this.notices);
  }

  /** Reads a turn of the classic format, which models of T5 fall back to; it has the same points. */
  private classic(): TurnResult {
    const read = parseClassic(this.source);
    if (!read.ok) return read;
    return { ...read, notices: ['the turn was read as "Action:" text', ...(read.notices ?? [])] };
  }

  private thought(): string | undefined {
    const { think } = this.tags;
    this.space();
    const name = this.take(`<${think}>`) ? think : this.tagHere(thinkTag)?.[1];
    if (name !== undefined) return this.restOfThought(name);
    // Chat templates print the opening tag themselves.
    const end = thinkEnd.exec(this.source);
    if (!end || end.index > (firstCall.exec(this.source)?.index ?? Infinity)) return undefined;
    const thought = this.source.slice(this.at, end.index).trim();
    this.at = end.index + end[0].length;
    return thought === '' ? undefined : thought;
  }

  private restOfThought(name: string): string {
    const rest = this.source.slice(this.at);
    const end = rest.indexOf(`</${name}>`);
    if (end >= 0) {
      this.at += end + `</${name}>`.length;
      return this.tags.unquote(rest.slice(0, end));
    }
    const call = this.whole ? firstCall.exec(rest)?.index : undefined;
    if (call === undefined) this.fail(`the thought is not closed: </${name}> is missing`);
    this.notices.push(`the thought was read up to the call: </${name}> is missing`);
    this.at += call;
    return rest.slice(0, call).trim();
  }

  /** The calls of the turn, each with the text that stands before it and is in none. */
  private *calls(): Generator<{ action: AgentAction; before?: string }> {
    let depth = 0;
    let count = 0;
    let wasOpened = false;
    let stray = '';
    for (;;) {
      marks.lastIndex = this.at;
      const mark = marks.exec(this.source);
      if (!mark) {
        stray += this.source.slice(this.at);
        break;
      }
      stray += this.source.slice(this.at, mark.index);
      this.at = mark.index;
      if (this.tagHere(callOpen)) {
        depth++;
        wasOpened = true;
        continue;
      }
      if (this.tagHere(callEnd)) {
        depth = Math.max(0, depth - 1);
        continue;
      }
      const before = stray.trim() === '' ? {} : { before: stray.trim() };
      if (this.tagHere(answerOpen)) {
        if (count > 0) break;
        yield { action: this.answer(), ...before };
        return;
      }
      if (this.source.startsWith('<function', this.at) || this.source.startsWith('<FUNCTION', this.at)) {
        if (depth === 0) this.notices.push(unwrapped);
        yield { action: this.call(), ...before };
        count++;
        stray = '';
        continue;
      }
      // A thought that follows a call begins another turn, of a screen that the model has not seen.
      if (count > 0) {
        this.notices.push('a second thought follows: what comes after it was left out');
        return;
      }
      stray += this.restOfThought(this.tagHere(thinkTag)![1]!);
    }
    if (count === 0 && wasOpened)
      this.fail('no GUI action was found: the tool call holds no function', this.source.length);
    if (count > 0 && depth > 0)
      this.notices.push('the call was read up to the end of the text: </seed:tool_call> is missing');
    if (count > 0 && stray.trim() !== '') this.notices.push('the text after the call was left out');
  }

  private answer(): AgentAction {
    const end = this.source.indexOf('</answer>', this.at);
    if (end < 0 && !this.whole) this.fail('<answer> is not closed');
    if (end < 0) this.notices.push('the answer was read up to the end of the text: </answer> is missing');
    const answer = this.source.slice(this.at, end < 0 ? undefined : end).trim();
    this.at = end < 0 ? this.source.length : end + '</answer>'.length;
    return { type: 'finished', answer };
  }

  private call(): AgentAction {
    const start = this.at;
    const name = this.tagHere(functionOpen)?.[2];
    if (name === undefined) this.fail('<function=...> does not hold a name');
    const type = typeNamed(name);
    if (type === undefined) this.fail(`there is no function "${name}"`, start);
    if (isMiscased(name)) this.notices.push(`${name} was read as ${calls[type].name}`);
    const { parameters } = calls[type];
    const fields: { type: AgentAction['type'] } & Record<string, unknown> = { type };
    for (;;) {
      parts.lastIndex = this.at;
      const part = parts.exec(this.source);
      if (!part) this.fail('</function> is missing', this.source.length);
      if (this.source.slice(this.at, part.index).trim() !== '')
        this.notices.push(`the text between the parameters of ${name} was left out`);
      this.at = part.index;
      const at = this.at;
      const given = this.tagHere(parameterOpen);
      if (given) {
        this.parameter(fields, { call: name, given: given[2]!, tag: `</parameter${given[1]}>`, at, parameters });
        continue;
      }
      if (this.tagHere(functionEnd)) break;
      if (part[0].startsWith('<parameter')) this.fail('<parameter=...> does not hold a name');
      this.notices.push(`</function> of ${name} is missing`);
      break;
    }
    const action = actionOf(name, fields);
    if ('wrong' in action) this.fail(action.wrong, start);
    return action;
  }

  private parameter(
    fields: Record<string, unknown>,
    {
      call,
      given,
      tag,
      at,
      parameters,
    }: { call: string; given: string; tag: string; at: number; parameters: readonly Parameter[] },
  ): void {
    const parameter = parameterNamed(parameters, given);
    const value = this.value(parameter ?? { name: given, field: '', kind: 'text' }, { call, tag });
    if (!parameter) {
      this.notices.push(`the parameter "${given}" of ${call} was left out: it has none of this name`);
      return;
    }
    if (parameter.field in fields) this.notices.push(`${call} has the parameter "${given}" twice: the last was read`);
    if (value === undefined) this.fail(`the parameter "${given}" of ${call} has no value`, at);
    fields[parameter.field] = value;
  }

  private value({ name, kind }: Parameter, { call, tag }: { call: string; tag: string }): unknown {
    const start = this.at;
    const structured = structure(this.source, start, tag);
    const end = structured ? structured.end : this.endOfValue(tag);
    const isClosed = end !== undefined && this.source.startsWith(tag, end);
    // Where a text ends cannot be guessed; where a number does, can.
    if (end === undefined || (!isClosed && kind === 'text'))
      this.fail(`the parameter "${name}" of ${call} is not closed`, start);
    if (!isClosed) this.notices.push(`${tag} of "${name}" of ${call} is missing`);
    this.at = end + (isClosed ? tag.length : 0);
    const raw = structured ? JSON.stringify(structured.value) : unwrap(this.source.slice(start, end));
    const value = readValue(
      kind,
      kind === 'text' || structured ? this.tags.unquote(raw) : this.tags.unquote(raw).trim(),
    );
    if (value === undefined) {
      this.fail(`"${name}" of ${call} must be ${wanted[kind]}, not "${shorten(raw.trim())}"`, start);
    }
    return value;
  }

  /** Where a value ends: at its own tag, or at the first of those that cannot stand in one. */
  private endOfValue(tag: string): number | undefined {
    const own = this.tags.ends(tag).exec(this.source.slice(this.at));
    return own ? this.at + own.index : undefined;
  }

  private space(): void {
    this.tagHere(/\s*/y);
  }

  /** Steps over a tag that stands here. */
  private tagHere(pattern: RegExp): RegExpExecArray | undefined {
    const here = pattern.sticky ? pattern : new RegExp(pattern.source, `${pattern.flags}y`);
    here.lastIndex = this.at;
    const found = here.exec(this.source) ?? undefined;
    if (found) this.at += found[0].length;
    return found;
  }

  private take(literal: string): boolean {
    const found = this.source.startsWith(literal, this.at);
    if (found) this.at += literal.length;
    return found;
  }

  private fail(message: string, at = this.at): never {
    throw new Malformed(message, at);
  }
}

/** A value without what some of the format's versions put around it: its type, or a tag that keeps a text to the letter. */
function unwrap(raw: string): string {
  const inner = /^\s*<(?:type=\w+|text_never_used_\w+)>([\s\S]*)<\/(?:type|text_never_used_\w+)>\s*$/.exec(raw)?.[1];
  return inner ?? raw;
}

/** How many lists and objects may stand in each other. */
const mostDepth = 16;

/**
 * A value that is printed as `<list><item>...</item></list>` or `<object><parameter=NAME>...</parameter></object>`, and where it ends;
 * undefined where none begins here.
 */
function structure(source: string, from: number, tag: string): { value: unknown; end: number } | undefined {
  const open = /\s*<(list|object)>/y;
  open.lastIndex = from;
  if (!open.test(source)) return undefined;
  let at = from;
  const next = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(source) ?? undefined;
    if (found) at += found[0].length;
    return found;
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
  const value = read(mostDepth);
  return value !== undefined && source.startsWith(tag, at) ? { value, end: at } : undefined;
}

const wanted: Readonly<Record<Kind, string>> = {
  ...sdkWanted,
  point: '<point>x y</point> with numbers 0..1000',
  text: 'text',
  direction: 'up, down, left or right',
  button: 'left, middle or right',
  seconds: 'a number of seconds',
};

const thousand = { width: 1000, height: 1000 };

/** The value, or undefined where the text does not say one. */
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
      return spokenPoint(raw, thousand);
    case 'command':
    case 'boolean':
    case 'integer':
    case 'lines':
    case 'json':
      return readSdkValue(kind, raw);
  }
}
