export type PythonValue = string | number | boolean | null | readonly PythonValue[] | { readonly name: string };

export type PythonStatement =
  | { readonly kind: 'import'; readonly module: string }
  | { readonly kind: 'set'; readonly name: string; readonly value: PythonValue }
  | PythonCall;

export interface PythonCall {
  readonly kind: 'call';
  /** E.g. `pyautogui.click` or `Controller().type`. */
  readonly name: string;
  readonly positional: readonly PythonValue[];
  readonly named: ReadonlyMap<string, PythonValue>;
}

export interface PythonOptions {
  /** Also accepts what recorders write: indented lines, numbers such as `07`, stray semicolons. */
  readonly lenient?: boolean;
}

interface Token {
  readonly kind: 'name' | 'number' | 'text' | 'mark' | 'end';
  readonly text: string;
}

/** Parses imports, assignments and calls with literals; undefined for any other program. Runs nothing. */
export function pythonProgram(code: string, options: PythonOptions = {}): readonly PythonStatement[] | undefined {
  const tokens = new Lexer(code, options).tokens();
  return tokens === undefined ? undefined : new Reader(tokens, options).program();
}

class Reader {
  readonly #tokens: readonly Token[];
  readonly #lenient: boolean;
  #next = 0;
  #understood = true;

  constructor(tokens: readonly Token[], { lenient = false }: PythonOptions) {
    this.#tokens = tokens;
    this.#lenient = lenient;
  }

  program(): readonly PythonStatement[] | undefined {
    const statements: PythonStatement[] = [];
    while (this.#understood && this.#next < this.#tokens.length) {
      if (this.#takes('end', '\n') || (this.#lenient && this.#takes('end', ';'))) continue;
      const statement = this.#statement();
      if (statement !== undefined) statements.push(statement);
      const ended = this.#takes('end', ';') || this.#takes('end', '\n') || this.#next >= this.#tokens.length;
      if (!ended) this.#understood = false;
    }
    return this.#understood ? statements : undefined;
  }

  #statement(): PythonStatement | undefined {
    if (this.#tokens[this.#next]?.kind === 'text') {
      // Models put thoughts into docstrings.
      this.#value();
      return undefined;
    }
    if (this.#takes('name', 'import')) return { kind: 'import', module: this.#dotted() };
    if (this.#takes('name', 'from')) {
      const module = this.#dotted();
      if (!this.#takes('name', 'import')) return this.#fail();
      return { kind: 'import', module: `${module}.${this.#name()}` };
    }
    let name = this.#dotted();
    if (this.#takes('mark', '=')) return { kind: 'set', name, value: this.#value() };
    if (!this.#takes('mark', '(')) return this.#fail();
    if (this.#takes('mark', ')')) {
      if (!this.#takes('mark', '.')) return { kind: 'call', name, positional: [], named: new Map() };
      name += `().${this.#dotted()}`;
      if (!this.#takes('mark', '(')) return this.#fail();
    }
    return { kind: 'call', name, ...this.#arguments() };
  }

  #arguments(): { positional: PythonValue[]; named: Map<string, PythonValue> } {
    const positional: PythonValue[] = [];
    const named = new Map<string, PythonValue>();
    while (this.#understood && !this.#takes('mark', ')')) {
      const [first, second] = [this.#tokens[this.#next], this.#tokens[this.#next + 1]];
      if (first?.kind === 'name' && second?.kind === 'mark' && second.text === '=') {
        this.#next += 2;
        if (named.has(first.text)) this.#fail();
        named.set(first.text, this.#value());
      } else {
        if (named.size > 0) this.#fail();
        positional.push(this.#value());
      }
      this.#separated(')');
    }
    return { positional, named };
  }

  #value(): PythonValue {
    const token = this.#tokens[this.#next++];
    if (token === undefined) return (this.#fail(), null);
    if (token.kind === 'number') return Number(token.text);
    if (token.kind === 'text') {
      let text = token.text;
      while (this.#tokens[this.#next]?.kind === 'text') text += this.#tokens[this.#next++]!.text;
      return text;
    }
    if (token.kind === 'mark' && (token.text === '-' || token.text === '+')) {
      const value =
        this.#tokens[this.#next]?.kind === 'number' ? Number(this.#tokens[this.#next++]!.text) : this.#fail();
      return token.text === '-' ? 0 - (value ?? 0) : (value ?? 0);
    }
    if (token.kind === 'mark' && token.text === '[') return this.#sequence(']').items;
    if (token.kind === 'mark' && token.text === '(') {
      const { items, commas } = this.#sequence(')');
      // No comma, no tuple.
      return items.length === 1 && commas === 0 ? items[0]! : items;
    }
    if (token.kind !== 'name') return (this.#fail(), null);
    if (token.text === 'True') return true;
    if (token.text === 'False') return false;
    if (token.text === 'None') return null;
    this.#next--;
    return { name: this.#dotted() };
  }

  #sequence(closing: ')' | ']'): { items: PythonValue[]; commas: number } {
    const items: PythonValue[] = [];
    let commas = 0;
    while (this.#understood && !this.#takes('mark', closing)) {
      items.push(this.#value());
      if (this.#separated(closing)) commas++;
    }
    return { items, commas };
  }

  #separated(closing: string): boolean {
    if (this.#takes('mark', ',')) return true;
    const next = this.#tokens[this.#next];
    if (next?.kind !== 'mark' || next.text !== closing) this.#fail();
    return false;
  }

  #dotted(): string {
    let name = this.#name();
    while (this.#takes('mark', '.')) name += `.${this.#name()}`;
    return name;
  }

  #name(): string {
    const token = this.#tokens[this.#next++];
    if (token?.kind !== 'name') this.#fail();
    return token?.text ?? '';
  }

  #takes(kind: Token['kind'], text: string): boolean {
    const token = this.#tokens[this.#next];
    if (token?.kind !== kind || token.text !== text) return false;
    this.#next++;
    return true;
  }

  #fail(): undefined {
    this.#understood = false;
    return undefined;
  }
}

const comment = /#[^\n]*/y;
const identifier = /[A-Za-z_][A-Za-z0-9_]*/y;
const fraction = String.raw`(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_.])`;
const number = new RegExp(`(?:(?:0+|[1-9][0-9]*)${fraction}`, 'y');
const lenientNumber = new RegExp(`(?:[0-9]+${fraction}`, 'y');
const blank = /[ \t\f]*/y;
const lenientBlank = /[^\S\n]*/y;
const opening = /[rRuU]?(?='|")/y;
const hexOrOctal = /(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3}))/y;

const simpleEscapes: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

class Lexer {
  readonly #code: string;
  readonly #lenient: boolean;
  #index = 0;

  constructor(code: string, { lenient = false }: PythonOptions) {
    this.#code = code;
    this.#lenient = lenient;
  }

  tokens(): Token[] | undefined {
    const tokens: Token[] = [];
    let depth = 0;
    let lineBegins = true;
    while (this.#index < this.#code.length) {
      const indented = this.#match(this.#lenient ? lenientBlank : blank) !== '' && lineBegins && depth === 0;
      if (this.#match(comment) !== undefined) continue;
      if (this.#code.startsWith('\r\n', this.#index)) this.#index++;
      const character = this.#code[this.#index];
      if (character === undefined) break;
      if (character === '\n' || character === ';') {
        if (depth === 0) tokens.push({ kind: 'end', text: character });
        else if (character === ';') return undefined;
        lineBegins = character === '\n';
        this.#index++;
        continue;
      }
      if (indented && !this.#lenient) return undefined;
      lineBegins = false;
      const token = this.#token(character);
      if (token === undefined) return undefined;
      if (token.text === '(' || token.text === '[') depth += token.kind === 'mark' ? 1 : 0;
      if (token.text === ')' || token.text === ']') depth -= token.kind === 'mark' ? 1 : 0;
      if (depth < 0) return undefined;
      tokens.push(token);
    }
    return depth === 0 ? tokens : undefined;
  }

  #token(first: string): Token | undefined {
    const prefix = this.#match(opening);
    if (prefix !== undefined) {
      const text = this.#text(/r/i.test(prefix));
      return text === undefined ? undefined : { kind: 'text', text };
    }
    const name = this.#match(identifier);
    if (name !== undefined) return { kind: 'name', text: name };
    const digits = this.#match(this.#lenient ? lenientNumber : number);
    if (digits !== undefined) return { kind: 'number', text: digits };
    if (!'()[],=.-+'.includes(first)) return undefined;
    this.#index++;
    return { kind: 'mark', text: first };
  }

  /** Undefined if unclosed or with `\N{...}`. */
  #text(raw: boolean): string | undefined {
    const quote = this.#code[this.#index]!;
    const triple = this.#code.startsWith(quote.repeat(3), this.#index);
    const closing = triple ? quote.repeat(3) : quote;
    let text = '';
    this.#index += closing.length;
    while (this.#index < this.#code.length) {
      if (this.#code.startsWith(closing, this.#index)) {
        this.#index += closing.length;
        return text;
      }
      const character = this.#code[this.#index++]!;
      if (character === '\n' && !triple) return undefined;
      // Python normalizes line breaks before parsing.
      if (character === '\r' && !this.#lenient) return undefined;
      if (character !== '\\') {
        text += character;
        continue;
      }
      const next = this.#code[this.#index];
      if (next === undefined || (next === '\r' && !this.#lenient)) return undefined;
      if (raw) {
        text += character + next;
        this.#index++;
        continue;
      }
      const escape = this.#escape(next);
      if (escape === undefined) return undefined;
      text += escape;
    }
    return undefined;
  }

  #escape(next: string): string | undefined {
    const digits = this.#match(hexOrOctal);
    if (digits !== undefined) {
      const code = /^[xuU]/.test(digits) ? parseInt(digits.slice(1), 16) : parseInt(digits, 8);
      return code > 0x10ffff ? undefined : String.fromCodePoint(code);
    }
    if (/[NxuU]/.test(next)) return undefined;
    this.#index++;
    return simpleEscapes[next] ?? `\\${next}`;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#index;
    const match = pattern.exec(this.#code)?.[0];
    if (match !== undefined) this.#index += match.length;
    return match;
  }
}
