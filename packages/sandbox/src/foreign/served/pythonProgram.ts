/** A value that stands as itself in a program, or the name of something. */
export type PythonValue = string | number | boolean | null | readonly PythonValue[] | { readonly name: string };

/** A statement of one of the few kinds that are read. */
export type PythonStatement =
  | { readonly kind: 'import'; readonly module: string }
  | { readonly kind: 'set'; readonly name: string; readonly value: PythonValue }
  | {
      readonly kind: 'call';
      /** Such as `pyautogui.click`, or `Controller().type`. */
      readonly name: string;
      readonly values: readonly PythonValue[];
      readonly named: ReadonlyMap<string, PythonValue>;
    };

interface Token {
  readonly kind: 'name' | 'number' | 'text' | 'mark' | 'end';
  readonly text: string;
}

/**
 * Reads a Python program that only imports, sets and calls, with values that stand as themselves. Undefined for any other,
 * however little is different: what is not understood wholly is not understood.
 */
export function pythonProgram(code: string): readonly PythonStatement[] | undefined {
  const tokens = tokensOf(code);
  return tokens === undefined ? undefined : new Reader(tokens).program();
}

class Reader {
  readonly #tokens: readonly Token[];
  #next = 0;
  #understood = true;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  program(): readonly PythonStatement[] | undefined {
    const statements: PythonStatement[] = [];
    while (this.#understood && this.#next < this.#tokens.length) {
      if (this.#takes('end', '\n')) continue;
      const statement = this.#statement();
      if (statement !== undefined) statements.push(statement);
      const ended = this.#takes('end', ';') || this.#takes('end', '\n') || this.#next >= this.#tokens.length;
      if (!ended) this.#understood = false;
    }
    return this.#understood ? statements : undefined;
  }

  #statement(): PythonStatement | undefined {
    if (this.#tokens[this.#next]?.kind === 'text') {
      // A text that stands alone, as before programs that begin with what the model thought, does nothing.
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
      if (!this.#takes('mark', '.')) return { kind: 'call', name, values: [], named: new Map() };
      name += `().${this.#dotted()}`;
      if (!this.#takes('mark', '(')) return this.#fail();
    }
    return { kind: 'call', name, ...this.#arguments() };
  }

  #arguments(): { values: PythonValue[]; named: Map<string, PythonValue> } {
    const values: PythonValue[] = [];
    const named = new Map<string, PythonValue>();
    while (this.#understood && !this.#takes('mark', ')')) {
      const [first, second] = [this.#tokens[this.#next], this.#tokens[this.#next + 1]];
      if (first?.kind === 'name' && second?.kind === 'mark' && second.text === '=') {
        this.#next += 2;
        if (named.has(first.text)) this.#fail();
        named.set(first.text, this.#value());
      } else {
        if (named.size > 0) this.#fail();
        values.push(this.#value());
      }
      this.#separated(')');
    }
    return { values, named };
  }

  #value(): PythonValue {
    const token = this.#tokens[this.#next++];
    if (token === undefined) return this.#fail() ?? null;
    if (token.kind === 'number') return Number(token.text);
    if (token.kind === 'text') {
      let text = token.text;
      // Texts that stand beside each other are one.
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
      // Without a comma the brackets only hold a value together.
      return items.length === 1 && commas === 0 ? items[0]! : items;
    }
    if (token.kind !== 'name') return this.#fail() ?? null;
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

  /** Takes a comma; there must be one unless the end is next. */
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

const blank = /[ \t\f]*/y;
const comment = /#[^\n]*/y;
const name = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /(?:(?:0+|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_.])/y;
const opening = /[rRuU]?(?='|")/y;

function tokensOf(code: string): Token[] | undefined {
  const tokens: Token[] = [];
  let depth = 0;
  let index = 0;
  let lineBegins = true;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = index;
    const found = pattern.exec(code)?.[0];
    if (found !== undefined) index += found.length;
    return found;
  };
  while (index < code.length) {
    const indented = match(blank) !== '' && lineBegins && depth === 0;
    if (match(comment) !== undefined) continue;
    if (code.startsWith('\r\n', index)) index++;
    const character = code[index];
    if (character === undefined) break;
    if (character === '\n' || character === ';') {
      if (depth === 0) tokens.push({ kind: 'end', text: character });
      else if (character === ';') return undefined;
      lineBegins = character === '\n';
      index++;
      continue;
    }
    // A line that is moved in belongs to something above it.
    if (indented) return undefined;
    lineBegins = false;
    const prefix = match(opening);
    if (prefix !== undefined) {
      const text = textAt(code, index, /r/i.test(prefix));
      if (text === undefined) return undefined;
      tokens.push({ kind: 'text', text: text.value });
      index = text.end;
      continue;
    }
    const named = match(name);
    if (named !== undefined) {
      tokens.push({ kind: 'name', text: named });
      continue;
    }
    const counted = match(number);
    if (counted !== undefined) {
      tokens.push({ kind: 'number', text: counted });
      continue;
    }
    if (!'()[],=.-+'.includes(character)) return undefined;
    if (character === '(' || character === '[') depth++;
    if (character === ')' || character === ']') depth--;
    if (depth < 0) return undefined;
    tokens.push({ kind: 'mark', text: character });
    index++;
  }
  return depth === 0 ? tokens : undefined;
}

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

/** The text whose opening quote is at `begin`; undefined for one that does not end or has a name of a character in it. */
function textAt(code: string, begin: number, raw: boolean): { value: string; end: number } | undefined {
  const quote = code[begin]!;
  const triple = code.startsWith(quote.repeat(3), begin);
  const closing = triple ? quote.repeat(3) : quote;
  let value = '';
  let index = begin + closing.length;
  while (index < code.length) {
    if (code.startsWith(closing, index)) return { value, end: index + closing.length };
    const character = code[index]!;
    if (character === '\n' && !triple) return undefined;
    // Python reads its source with one kind of line break.
    if (character === '\r') return undefined;
    if (character !== '\\') {
      value += character;
      index++;
      continue;
    }
    const next = code[index + 1];
    if (next === undefined || next === '\r') return undefined;
    if (raw) {
      value += character + next;
      index += 2;
      continue;
    }
    const escape = escapeAt(code, index);
    if (escape === undefined) return undefined;
    value += escape.value;
    index = escape.end;
  }
  return undefined;
}

const coded = /(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3}))/y;

/** What a backslash at `begin` and what follows it stand for. */
function escapeAt(code: string, begin: number): { value: string; end: number } | undefined {
  coded.lastIndex = begin + 1;
  const found = coded.exec(code);
  if (found !== null) {
    const [whole, two, four, eight, octal] = found;
    const point = octal === undefined ? parseInt((two ?? four ?? eight)!, 16) : parseInt(octal, 8);
    if (point > 0x10ffff) return undefined;
    return { value: String.fromCodePoint(point), end: begin + 1 + whole.length };
  }
  const next = code[begin + 1]!;
  if (next === 'N' || next === 'x' || next === 'u' || next === 'U') return undefined;
  return { value: simpleEscapes[next] ?? `\\${next}`, end: begin + 2 };
}
