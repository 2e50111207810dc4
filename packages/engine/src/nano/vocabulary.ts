import { createHash } from 'node:crypto';
import { type AgentAction, GyreError, type Point, type Size, actionTypes, isSdkCall } from '@gyre/protocol';
import { alphabet } from './alphabet.js';
import { type NativeAction, type TokenClass, actionOf, buttons, directions, maxKeys, signature } from './grammar.js';
import { combinationOf, keyNames } from './keys.js';
import { type Grid, gridOf, offsets, placeOf, pointOf } from './grid.js';
import { vocabularyWords } from './words.js';

/**
 * Precede all other tokens; the screen's cells come last. A point is a cell and a subdivision: its probability is a
 * product of two softmaxes.
 */
const specials = ['<pad>', '<start>', '<act>', '<end>', '<think>', '<none>'] as const;

const characters: readonly string[] = ['\n', ...alphabet];

export interface Range {
  readonly first: number;
  readonly last: number;
}

export interface DecodedTurn {
  readonly action: NativeAction;
  readonly thought?: string;
}

const wordIds = new Map(vocabularyWords.map((word, i) => [word, specials.length + i]));
const characterIds = new Map(characters.map((char, i) => [char, specials.length + vocabularyWords.length + i]));
const firstCharacter = specials.length + vocabularyWords.length;
const firstFunction = firstCharacter + characters.length;
const firstKey = firstFunction + actionTypes.length;
const firstDirection = firstKey + keyNames.length;
const firstButton = firstDirection + directions.length;
const firstOffset = firstButton + buttons.length;

export const tokenKinds = {
  special: { first: 0, names: specials },
  word: { first: specials.length, names: vocabularyWords },
  character: { first: firstCharacter, names: characters },
  function: { first: firstFunction, names: actionTypes },
  key: { first: firstKey, names: keyNames },
  direction: { first: firstDirection, names: directions },
  button: { first: firstButton, names: buttons },
} as const;

export const vocabularyHash = createHash('sha256')
  .update(JSON.stringify([specials, vocabularyWords, characters, actionTypes, keyNames, directions, buttons, offsets]))
  .digest('hex')
  .slice(0, 16);

export const textSize = firstOffset + offsets;

/** Lists what a turn can copy and point at, besides spelt texts and cells. */
export interface Referents {
  /** Strings by number; undefined for numbers that name none. A copy is a whole text but a final line break, or all keys of a hotkey. */
  readonly copies: readonly (string | undefined)[];
  /** Centres by number. */
  readonly targets: readonly Point[];
}

/** Screen sizes differ only in their cell tokens, and decisions in their referents. */
export class Vocabulary {
  readonly pad = 0;
  /** Starts the context; as an action's first token, a shell command. */
  readonly start = 1;
  readonly act = 2;
  readonly end = 3;
  readonly think = 4;
  readonly none = 5;
  /** Ends a text in a line break, after a copy. */
  readonly newline = firstCharacter + characters.indexOf('\n');
  readonly textSize = textSize;
  readonly size: number;
  readonly #allowed: ReadonlyMap<TokenClass, readonly Range[]>;

  readonly #firstCopy: number;
  readonly #firstTarget: number;
  readonly #referents: Referents | undefined;

  /** @param referents numbers follow the cells: first all copies, then the targets */
  constructor(
    readonly grid: Grid,
    referents?: Referents,
  ) {
    this.#referents = referents;
    this.#firstCopy = textSize + grid.cells;
    this.#firstTarget = this.#firstCopy + (referents?.copies.length ?? 0);
    this.size = this.#firstTarget + (referents?.targets.length ?? 0);
    const singleToken = (token: number): Range => ({ first: token, last: token });
    const functions = { first: firstFunction, last: firstKey - 1 };
    const cells = { first: textSize, last: this.#firstCopy - 1 };
    const targets = referents?.targets.length ? [{ first: this.#firstTarget, last: this.size - 1 }] : [];
    const copies = (referents?.copies ?? []).flatMap((copied, i) =>
      copied === undefined ? [] : [singleToken(this.#firstCopy + i)],
    );
    const combinations = copies.filter(({ first }) => combinationOf(this.copies[first - this.#firstCopy] ?? ''));
    const text = { first: firstCharacter, last: firstFunction - 1 };
    const words = { first: specials.length, last: firstCharacter - 1 };
    const strokes = { first: this.#characterId('!'), last: this.#characterId('~') };
    const named = { first: firstKey, last: firstDirection - 1 };
    this.#allowed = new Map<TokenClass, readonly Range[]>([
      ['turn', [functions, singleToken(this.think)]],
      ['function', [functions]],
      ['turnOrCommand', [functions, singleToken(this.start), singleToken(this.think)]],
      ['functionOrCommand', [functions, singleToken(this.start)]],
      ['point', [cells, ...targets]],
      ['optionalPoint', [cells, ...targets, singleToken(this.none)]],
      ['offset', [{ first: firstOffset, last: textSize - 1 }]],
      ['character', [text, singleToken(this.end)]],
      ['prose', [words, text, singleToken(this.end)]],
      ['textStart', [text, singleToken(this.end), ...copies]],
      ['proseStart', [words, text, singleToken(this.end), ...copies]],
      ['key', [named, strokes]],
      ['copyEnd', [singleToken(this.end), singleToken(this.newline)]],
      ['keysStart', [named, strokes, ...combinations]],
      ['furtherKey', [named, strokes, singleToken(this.end)]],
      ['direction', [{ first: firstDirection, last: firstButton - 1 }]],
      ['optionalButton', [{ first: firstButton, last: firstOffset - 1 }, singleToken(this.none)]],
    ]);
  }

  /** Strings by number of the copy. */
  get copies(): Referents['copies'] {
    return this.#referents?.copies ?? [];
  }

  word(word: string): number | undefined {
    return wordIds.get(word);
  }

  character(char: string): number | undefined {
    return characterIds.get(char);
  }

  cell(cell: number): number {
    return textSize + cell;
  }

  offset(offset: number): number {
    return firstOffset + offset;
  }

  copy(number: number): number {
    return this.#firstCopy + number;
  }

  target(number: number): number {
    return this.#firstTarget + number;
  }

  point(point: Point): [number, number] {
    const { cell, offset } = placeOf(this.grid, point);
    return [this.cell(cell), this.offset(offset)];
  }

  isCharacter(token: number): boolean {
    return token >= firstCharacter && token < firstFunction;
  }

  isWord(token: number): boolean {
    return token >= specials.length && token < firstCharacter;
  }

  ranges(tokenClass: TokenClass): readonly Range[] {
    return this.#allowed.get(tokenClass) ?? [];
  }

  allows(tokenClass: TokenClass, token: number): boolean {
    return this.ranges(tokenClass).some(({ first, last }) => token >= first && token <= last);
  }

  /**
   * Returns undefined when the turn is complete.
   *
   * @param commands whether the turn may be a command
   */
  next(tokens: readonly number[], commands = false): TokenClass | undefined {
    const { next } = this.#read(tokens);
    return commands && (next === 'turn' || next === 'function') ? `${next}OrCommand` : next;
  }

  /** Throws 'bad_input' if the vocabulary lacks a key, a character or a call. */
  encode(action: AgentAction, thought?: string): number[] {
    const thinking = thought === undefined ? [] : [this.think, ...this.prose(thought), this.end];
    return [...thinking, ...this.#action(action)];
  }

  quotation(text: string): number[] {
    return [firstFunction + actionTypes.indexOf('finished'), ...this.#text(text)];
  }

  decode(tokens: readonly number[]): DecodedTurn {
    const { next, action, thought, used } = this.#read(tokens);
    if (next !== undefined || !action || used !== tokens.length) {
      throw new GyreError('bad_input', `tokens [${tokens.join(' ')}] are not a complete turn`, { field: 'tokens' });
    }
    return { action, ...(thought !== undefined && { thought }) };
  }

  /** Implies a single space between words; spells other text and quotations. Unknown characters become `?`. */
  prose(text: string): number[] {
    const tokens: number[] = [];
    let wasWord = false;
    let quoted = false;
    for (const piece of text.match(/[A-Za-z]+|[^A-Za-z]/gu) ?? []) {
      if (piece === '"') quoted = !quoted;
      const word = quoted ? undefined : this.word(piece);
      if (word !== undefined) {
        if (tokens.at(-1) === this.#characterId(' ') && wasWord) tokens.pop();
        tokens.push(word);
        wasWord = true;
        continue;
      }
      if (!(piece === ' ' && this.isWord(tokens.at(-1) ?? this.pad))) wasWord = false;
      for (const char of piece) tokens.push(this.character(char) ?? this.#characterId('?'));
    }
    return tokens;
  }

  spell(tokens: readonly number[]): string {
    let text = '';
    for (const [i, token] of tokens.entries()) {
      if (this.isCharacter(token)) text += characters[token - firstCharacter]!;
      else if (this.isWord(token)) {
        text += (this.isWord(tokens[i - 1] ?? this.pad) ? ' ' : '') + vocabularyWords[token - specials.length]!;
      }
    }
    return text;
  }

  #action(action: AgentAction): number[] {
    if (action.type === 'execute_bash') return [this.start, ...this.#text(action.command)];
    if (isSdkCall(action)) {
      throw new GyreError('bad_input', `the native policy has no token for the call ${action.type}`, {
        field: 'type',
        fix: 'use execute_bash, the only SDK function that it supports',
      });
    }
    return [firstFunction + actionTypes.indexOf(action.type), ...this.#arguments(action)];
  }

  #arguments(action: Exclude<NativeAction, { type: 'execute_bash' }>): number[] {
    switch (action.type) {
      case 'click':
      case 'right_click':
      case 'double_click':
      case 'middle_click':
      case 'mouse_move':
      case 'long_press':
        return this.point(action.point);
      case 'mouse_down':
      case 'mouse_up': {
        const button = action.button ? firstButton + buttons.indexOf(action.button) : this.none;
        return [...this.#optionalPoint(action.point), button];
      }
      case 'drag':
      case 'swipe':
        return [...this.point(action.start), ...this.point(action.end)];
      case 'scroll':
        return [firstDirection + directions.indexOf(action.direction), ...this.#optionalPoint(action.point)];
      case 'type':
        return this.#text(action.text);
      case 'navigate':
        return this.#text(action.url);
      case 'open_app':
        return this.#text(action.name);
      case 'wait':
        return this.#text(action.seconds === undefined ? '' : String(action.seconds));
      case 'finished':
        return [...this.prose(action.answer ?? ''), this.end];
      case 'hotkey': {
        const names = action.keys.split(/\s+/).filter((name) => name !== '');
        if (names.length < 1 || names.length > maxKeys) {
          throw new GyreError('bad_input', `a hotkey takes 1 to ${maxKeys} keys, not "${action.keys}"`, {
            field: 'keys',
            fix: 'separate keys with spaces, as in "ctrl c"',
          });
        }
        const tokens = names.map((name) => this.#key(name));
        return tokens.length < maxKeys ? [...tokens, this.end] : tokens;
      }
      case 'press':
      case 'release':
        return [this.#key(action.key)];
      case 'screenshot':
      case 'navigate_back':
      case 'press_home':
      case 'press_back':
      case 'call_user':
        return [];
    }
  }

  #optionalPoint(point: Point | undefined): number[] {
    return point ? this.point(point) : [this.none];
  }

  #key(name: string): number {
    const index = (keyNames as readonly string[]).indexOf(name);
    if (index >= 0) return firstKey + index;
    const stroke = name.length === 1 ? this.character(name) : undefined;
    if (stroke === undefined || !this.allows('key', stroke)) {
      throw new GyreError('bad_input', `the native policy has no token for the key "${name}"`, {
        field: 'key',
        fix: `use one character or one of: ${keyNames.join(', ')}`,
      });
    }
    return stroke;
  }

  #text(text: string): number[] {
    const tokens = [...text].map((char) => {
      const token = this.character(char);
      if (token === undefined) {
        throw new GyreError('bad_input', `the native policy has no token for the character "${char}"`, {
          field: 'text',
        });
      }
      return token;
    });
    return [...tokens, this.end];
  }

  #characterId(char: string): number {
    return characterIds.get(char)!;
  }

  #read(tokens: readonly number[]): {
    next?: TokenClass;
    action?: NativeAction;
    thought?: string;
    used: number;
  } {
    let position = 0;
    let thought: string | undefined;
    if (tokens[0] === undefined) return { next: 'turn', used: 0 };
    if (tokens[0] === this.think) {
      const close = tokens.indexOf(this.end);
      if (close < 0) return { next: 'prose', used: tokens.length };
      thought = this.spell(this.#checkedTokens('prose', tokens.slice(1, close)));
      position = close + 1;
    }
    const head = tokens[position++];
    if (head === undefined) return { next: 'function', used: tokens.length };
    const type = head === this.start ? 'execute_bash' : actionTypes[head - firstFunction];
    if (type === undefined) throw new GyreError('bad_input', `token ${head} is not a function`, { field: 'tokens' });
    const points: (Point | undefined)[] = [];
    const names: string[] = [];
    let text = '';
    let direction: (typeof directions)[number] = 'down';
    let button: (typeof buttons)[number] | undefined;
    const take = (tokenClass: TokenClass): number | undefined => {
      const token = tokens[position];
      if (token === undefined) return undefined;
      this.#checkedTokens(tokenClass, [token]);
      position++;
      return token;
    };
    for (const argument of signature[type]) {
      switch (argument) {
        case 'point':
        case 'optionalPoint': {
          const cell = take(argument);
          if (cell === undefined) return { next: argument, used: position };
          if (cell === this.none) {
            points.push(undefined);
            break;
          }
          const target = this.#referents?.targets[cell - this.#firstTarget];
          if (target) {
            points.push(target);
            break;
          }
          const offset = take('offset');
          if (offset === undefined) return { next: 'offset', used: position };
          points.push(pointOf(this.grid, { cell: cell - textSize, offset: offset - firstOffset }));
          break;
        }
        case 'direction': {
          const token = take('direction');
          if (token === undefined) return { next: 'direction', used: position };
          direction = directions[token - firstDirection] ?? 'down';
          break;
        }
        case 'optionalButton': {
          const token = take('optionalButton');
          if (token === undefined) return { next: 'optionalButton', used: position };
          button = buttons[token - firstButton];
          break;
        }
        case 'key':
        case 'keys': {
          const maxCount = argument === 'key' ? 1 : maxKeys;
          if (argument === 'keys' && this.#referents) {
            const token = tokens[position];
            if (token === undefined) return { next: 'keysStart', used: position };
            const combination = combinationOf(this.copies[token - this.#firstCopy] ?? '');
            if (combination) {
              names.push(...combination);
              position++;
              break;
            }
          }
          while (names.length < maxCount) {
            const tokenClass = names.length === 0 ? 'key' : 'furtherKey';
            const token = take(tokenClass);
            if (token === undefined) return { next: tokenClass, used: position };
            if (token === this.end) break;
            names.push(keyNames[token - firstKey] ?? characters[token - firstCharacter] ?? 'escape');
          }
          break;
        }
        case 'text':
        case 'prose': {
          const tokenClass = argument === 'text' ? 'character' : 'prose';
          const start = argument === 'text' ? 'textStart' : 'proseStart';
          if (this.#referents && tokens[position] === undefined) return { next: start, used: position };
          const copied = this.#referents?.copies[(tokens[position] ?? 0) - this.#firstCopy];
          if (copied !== undefined) {
            text = copied;
            position++;
            if (argument === 'prose') break;
            const ending = take('copyEnd');
            if (ending === undefined) return { next: 'copyEnd', used: position };
            if (ending === this.newline) text += '\n';
            break;
          }
          const close = tokens.indexOf(this.end, position);
          if (close < 0) return { next: tokenClass, used: tokens.length };
          text = this.spell(this.#checkedTokens(tokenClass, tokens.slice(position, close)));
          position = close + 1;
          break;
        }
      }
    }
    const action = actionOf(type, { points, names, text, direction, button });
    return { action, used: position, ...(thought !== undefined && { thought }) };
  }

  #checkedTokens(tokenClass: TokenClass, tokens: readonly number[]): readonly number[] {
    for (const token of tokens) {
      if (!this.allows(tokenClass, token)) {
        throw new GyreError('bad_input', `token ${token} is not of class ${tokenClass}`, { field: 'tokens' });
      }
    }
    return tokens;
  }
}

const known = new Map<string, Vocabulary>();

export function vocabularyOf(screen: Size): Vocabulary {
  const name = `${screen.width}x${screen.height}`;
  const vocabulary = known.get(name) ?? new Vocabulary(gridOf(screen));
  known.set(name, vocabulary);
  return vocabulary;
}
