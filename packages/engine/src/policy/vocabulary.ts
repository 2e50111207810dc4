import { type Action, type ActionType, GyreError, type Point, actionTypes } from '@gyre/protocol';

/**
 * The token space of the native policy: special tokens, words of instructions, characters, functions, keys, directions and,
 * last, one token per cell of the screen. A point is one token, so that its probability is a softmax like any other.
 */
export const specials = ['<pad>', '<start>', '<act>', '<end>'] as const;

/** Words that instructions are made of. Any other text is spelt by characters. */
const words =
  'a an and at box button by called choose circle click control diamond field find first flag fill finish form game goal ' +
  'heart hexagon hit in into it item its label labelled letter letters make marked maze name named next of on one option ' +
  'page pick please press radio reach read reads red green blue yellow orange purple pink teal brown grey black white ' +
  'ring screen select send set shape shaped show square star submit tap text that the then tick to triangle turn type ' +
  'under which where with word write walk go get guide move help through lead play solve exit player find your way start ' +
  'coloured colour cyan navy enter input check mark option, oval pill cross plus arrow house hero lime gold pentagon';

const characters = '\n' + Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('');

/** Keys and key combinations that `hotkey`, `press` and `release` can name in one token. */
export const keys = [
  'arrowup',
  'arrowdown',
  'arrowleft',
  'arrowright',
  'enter',
  'tab',
  'escape',
  'backspace',
  'delete',
  'space',
  'home',
  'end',
  'pageup',
  'pagedown',
  'shift',
  'ctrl',
  'alt',
  'ctrl a',
  'ctrl c',
  'ctrl v',
  'ctrl x',
  'ctrl z',
] as const;

const directions = ['up', 'down', 'left', 'right'] as const;

/** Kinds of token that the action grammar tells apart. */
export const tokenClasses = ['function', 'point', 'character', 'key', 'direction'] as const;
export type TokenClass = (typeof tokenClasses)[number];

/** What follows a function token. `text` is characters up to `<end>`. */
type Argument = 'point' | 'key' | 'direction' | 'text';
const signature: Readonly<Record<ActionType, readonly Argument[]>> = {
  screenshot: [],
  click: ['point'],
  right_click: ['point'],
  double_click: ['point'],
  middle_click: ['point'],
  mouse_down: ['point'],
  mouse_up: ['point'],
  mouse_move: ['point'],
  drag: ['point', 'point'],
  scroll: ['direction', 'point'],
  type: ['text'],
  hotkey: ['key'],
  press: ['key'],
  release: ['key'],
  navigate: ['text'],
  navigate_back: [],
  long_press: ['point'],
  swipe: ['point', 'point'],
  press_home: [],
  press_back: [],
  open_app: ['text'],
  wait: [],
  finished: [],
  call_user: [],
};

/** A grid of equal cells over the screen; a cell is one pointer token and stands for its centre. */
export interface Cells {
  readonly columns: number;
  readonly rows: number;
}

export class Vocabulary {
  readonly pad = 0;
  readonly start = 1;
  readonly act = 2;
  readonly end = 3;
  /** Number of tokens without the cells. */
  readonly textSize: number;
  /** Number of tokens with the cells. */
  readonly size: number;

  private readonly wordIds = new Map<string, number>();
  private readonly firstCharacter: number;
  private readonly firstFunction: number;
  private readonly firstKey: number;
  private readonly firstDirection: number;

  constructor(readonly cells: Cells) {
    let next: number = specials.length;
    for (const word of words.split(' ')) if (!this.wordIds.has(word)) this.wordIds.set(word, next++);
    this.firstCharacter = next;
    this.firstFunction = this.firstCharacter + characters.length;
    this.firstKey = this.firstFunction + actionTypes.length;
    this.firstDirection = this.firstKey + keys.length;
    this.textSize = this.firstDirection + directions.length;
    this.size = this.textSize + cells.columns * cells.rows;
  }

  word(word: string): number | undefined {
    return this.wordIds.get(word);
  }

  character(char: string): number | undefined {
    const index = characters.indexOf(char);
    return index < 0 ? undefined : this.firstCharacter + index;
  }

  /** The token of the cell that holds a point. */
  point(point: Point): number {
    const column = Math.min(this.cells.columns - 1, Math.floor(point.x * this.cells.columns));
    const row = Math.min(this.cells.rows - 1, Math.floor(point.y * this.cells.rows));
    return this.textSize + row * this.cells.columns + column;
  }

  isCharacter(token: number): boolean {
    return token >= this.firstCharacter && token < this.firstFunction;
  }

  /** Which tokens may come next in a class, as a range; characters may also be followed by `<end>`. */
  range(tokenClass: TokenClass): { first: number; last: number } {
    switch (tokenClass) {
      case 'function':
        return { first: this.firstFunction, last: this.firstKey - 1 };
      case 'point':
        return { first: this.textSize, last: this.size - 1 };
      case 'character':
        return { first: this.firstCharacter, last: this.firstFunction - 1 };
      case 'key':
        return { first: this.firstKey, last: this.firstDirection - 1 };
      case 'direction':
        return { first: this.firstDirection, last: this.textSize - 1 };
    }
  }

  allows(tokenClass: TokenClass, token: number): boolean {
    const { first, last } = this.range(tokenClass);
    return (token >= first && token <= last) || (tokenClass === 'character' && token === this.end);
  }

  /** The class of the next token of an action that has begun with `tokens`; undefined when the action is complete. */
  next(tokens: readonly number[]): TokenClass | undefined {
    const [head, ...rest] = tokens;
    if (head === undefined) return 'function';
    const wanted = signature[this.functionOf(head)];
    for (const [index, argument] of wanted.entries()) {
      if (argument === 'text') return rest.includes(this.end) ? undefined : 'character';
      if (rest[index] === undefined) return argument;
    }
    return undefined;
  }

  /** An action as tokens. Throws `bad_input` where the vocabulary has no token for a key or a character. */
  encode(action: Action): number[] {
    const tokens = [this.firstFunction + actionTypes.indexOf(action.type)];
    switch (action.type) {
      case 'click':
      case 'right_click':
      case 'double_click':
      case 'middle_click':
      case 'mouse_move':
      case 'long_press':
        return [...tokens, this.point(action.point)];
      case 'mouse_down':
      case 'mouse_up':
        return [...tokens, this.point(action.point ?? { x: 0.5, y: 0.5 })];
      case 'drag':
      case 'swipe':
        return [...tokens, this.point(action.start), this.point(action.end)];
      case 'scroll':
        return [
          ...tokens,
          this.firstDirection + directions.indexOf(action.direction),
          this.point(action.point ?? { x: 0.5, y: 0.5 }),
        ];
      case 'type':
        return [...tokens, ...this.text(action.text), this.end];
      case 'navigate':
        return [...tokens, ...this.text(action.url), this.end];
      case 'open_app':
        return [...tokens, ...this.text(action.name), this.end];
      case 'hotkey':
        return [...tokens, this.key(action.keys)];
      case 'press':
      case 'release':
        return [...tokens, this.key(action.key)];
      case 'screenshot':
      case 'navigate_back':
      case 'press_home':
      case 'press_back':
      case 'wait':
      case 'finished':
      case 'call_user':
        return tokens;
    }
  }

  /** A complete action from its tokens. Throws `bad_input` when they are not one. */
  decode(tokens: readonly number[]): Action {
    const [head, ...rest] = tokens;
    if (head === undefined || this.next(tokens) !== undefined) {
      throw new GyreError('bad_input', `tokens [${tokens.join(' ')}] are not a complete action`, { field: 'tokens' });
    }
    const type = this.functionOf(head);
    switch (type) {
      case 'click':
      case 'right_click':
      case 'double_click':
      case 'middle_click':
      case 'mouse_down':
      case 'mouse_up':
      case 'mouse_move':
      case 'long_press':
        return { type, point: this.centre(rest[0]) };
      case 'drag':
      case 'swipe':
        return { type, start: this.centre(rest[0]), end: this.centre(rest[1]) };
      case 'scroll':
        return {
          type,
          direction: directions[(rest[0] ?? 0) - this.firstDirection] ?? 'down',
          point: this.centre(rest[1]),
        };
      case 'type':
        return { type, text: this.spell(rest) };
      case 'navigate':
        return { type, url: this.spell(rest) || 'about:blank' };
      case 'open_app':
        return { type, name: this.spell(rest) || ' ' };
      case 'hotkey':
        return { type, keys: keys[(rest[0] ?? 0) - this.firstKey] ?? 'escape' };
      case 'press':
      case 'release':
        return { type, key: keys[(rest[0] ?? 0) - this.firstKey] ?? 'escape' };
      case 'screenshot':
      case 'navigate_back':
      case 'press_home':
      case 'press_back':
      case 'wait':
      case 'finished':
      case 'call_user':
        return { type };
    }
  }

  private functionOf(token: number): ActionType {
    const type = actionTypes[token - this.firstFunction];
    if (type === undefined) throw new GyreError('bad_input', `token ${token} is not a function`, { field: 'tokens' });
    return type;
  }

  private centre(token: number | undefined): Point {
    const cell = (token ?? -1) - this.textSize;
    if (cell < 0 || cell >= this.cells.columns * this.cells.rows) {
      throw new GyreError('bad_input', `token ${token} is not a cell of the screen`, { field: 'tokens' });
    }
    const column = cell % this.cells.columns;
    const row = Math.floor(cell / this.cells.columns);
    return { x: (column + 0.5) / this.cells.columns, y: (row + 0.5) / this.cells.rows };
  }

  private key(name: string): number {
    const index = (keys as readonly string[]).indexOf(name);
    if (index < 0)
      throw new GyreError('bad_input', `the native policy has no token for the key "${name}"`, { field: 'key' });
    return this.firstKey + index;
  }

  private text(text: string): number[] {
    return [...text].map((char) => {
      const token = this.character(char);
      if (token === undefined) {
        throw new GyreError('bad_input', `the native policy has no token for the character "${char}"`, {
          field: 'text',
        });
      }
      return token;
    });
  }

  private spell(tokens: readonly number[]): string {
    return tokens
      .filter((token) => this.isCharacter(token))
      .map((token) => characters[token - this.firstCharacter])
      .join('');
  }
}
