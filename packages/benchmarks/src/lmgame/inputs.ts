import { type AgentAction, GyreError, type Point } from '@gyre/protocol';
import { hotkeyOf, keyNamed } from '@gyre/sandbox';

export const lmgameNames = ['sokoban', 'tetris', 'candy_crush', 'twenty_forty_eight'] as const;
export type LmgameName = (typeof lmgameNames)[number];

export interface Board {
  readonly rows: number;
  readonly columns: number;
  /** Side of a cell in px. The board begins in the picture's upper left corner. */
  readonly tile: number;
}

export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** One of a game's official actions, or the selection of a candy. */
export type GameInput = { readonly action: string } | { readonly select: Cell };

/** Official actions by key. `wait` is the game's action that does nothing, if it has one. */
const keys: Readonly<Partial<Record<LmgameName, Readonly<Record<string, string>>>>> = {
  sokoban: {
    ...{ ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' },
    ...{ 'Shift+ArrowUp': 'push up', 'Shift+ArrowDown': 'push down' },
    ...{ 'Shift+ArrowLeft': 'push left', 'Shift+ArrowRight': 'push right', wait: 'no_op' },
  },
  tetris: {
    ...{ ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'rotate_right', z: 'rotate_left' },
    ...{ ArrowDown: 'soft_drop', ' ': 'hard_drop', wait: 'no_op' },
  },
  twenty_forty_eight: { ArrowUp: 'up', ArrowRight: 'right', ArrowDown: 'down', ArrowLeft: 'left' },
};

/** Says how each game is played here. Their prompts name actions, which gyre's agents do not have. */
export const lmgameInstructions: Readonly<Record<LmgameName, string>> = {
  sokoban:
    'Play Sokoban: push every box onto a dock. The arrow keys walk. Shift and an arrow key push the box that is next to ' +
    'the worker in that direction. Boxes cannot be pulled. A solved level is followed by the next one.',
  tetris:
    'Play Tetris: place pieces and clear lines for as long as you can. Keys: left and right move, up rotates to the ' +
    'right, z rotates to the left, down lets the piece sink faster, space drops it. The piece sinks by a row after each key.',
  candy_crush:
    'Play Candy Crush: swap neighbouring candies so that three or more of a colour are in line. They vanish, and candies ' +
    'fall from above. Drag a candy onto its neighbour, or click on one and then on the other. Remove as many as you can ' +
    'with the moves that you have.',
  twenty_forty_eight:
    'Play 2048: the arrow keys slide all tiles, and equal tiles that meet merge. Merge as much as you can before no ' +
    'move is left.',
};

/** Reads a game's inputs from an agent's actions: holds modifiers, and the candy that was clicked on first. */
export class GameInputs {
  readonly #game: LmgameName;
  readonly #board: Board | undefined;
  readonly #held = new Set<string>();
  #selected: Cell | undefined;

  /** @param board of games that are played with the mouse */
  constructor(game: LmgameName, board?: Board) {
    this.#game = game;
    this.#board = board;
  }

  /**
   * @param size of the screen in px
   * @returns undefined for an action that changes nothing
   * @throws GyreError `bad_input` for an action that the game has no use for
   */
  read(action: AgentAction, size: { readonly width: number; readonly height: number }): GameInput | undefined {
    switch (action.type) {
      case 'screenshot':
      case 'mouse_move':
        return undefined;
      case 'hotkey':
        return this.#key([...this.#held, ...hotkeyOf(action.keys).map(({ key }) => key)]);
      case 'press': {
        const { key } = keyNamed(action.key);
        if (key !== 'Shift') return this.#key([...this.#held, key]);
        this.#held.add(key);
        return undefined;
      }
      case 'release':
        this.#held.delete(keyNamed(action.key).key);
        return undefined;
      case 'wait':
        return this.#key(['wait']);
      case 'click':
        if (this.#board) return this.#click(this.#cellAt(action.point, size, this.#board));
        break;
      case 'drag':
      case 'swipe':
        if (this.#board) {
          this.#selected = undefined;
          const [start, end] = [action.start, action.end].map((point) => this.#cellAt(point, size, this.#board!));
          if (areNeighbours(start!, end!)) return swap(start!, end!);
          throw useless(this.#game, 'these candies are not neighbours');
        }
    }
    throw useless(this.#game, `${this.#game} is not played by ${action.type}`);
  }

  #key(pressed: readonly string[]): GameInput {
    const name = pressed.join('+');
    const action = keys[this.#game]?.[name];
    if (action !== undefined) return { action };
    throw useless(this.#game, name === 'wait' ? 'waiting is no move' : `no use for the key ${name}`);
  }

  #click(cell: Cell): GameInput {
    const selected = this.#selected;
    this.#selected = undefined;
    if (selected && areNeighbours(selected, cell)) return swap(selected, cell);
    this.#selected = cell;
    return { select: cell };
  }

  #cellAt({ x, y }: Point, size: { readonly width: number; readonly height: number }, board: Board): Cell {
    const { rows, columns, tile } = board;
    const cell = { row: Math.floor((y * size.height) / tile), column: Math.floor((x * size.width) / tile) };
    if (cell.row < rows && cell.column < columns) return cell;
    throw useless(this.#game, 'the point is not on a candy');
  }
}

const areNeighbours = (a: Cell, b: Cell) => Math.abs(a.row - b.row) + Math.abs(a.column - b.column) === 1;

const swap = (a: Cell, b: Cell) => ({ action: `((${a.row},${a.column}),(${b.row},${b.column}))` });

const useless = (game: LmgameName, problem: string) =>
  new GyreError('bad_input', problem, { field: 'action', fix: lmgameInstructions[game] });
