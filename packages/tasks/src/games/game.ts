/**
 * A game as pure rules over plain data. The same code makes and solves levels in Node and is played in the page, where it may refer
 * to nothing of Node. A state is never changed: a move gives a new one.
 */
export interface Game<Level, State, Move> {
  /** As its family is named: `maze`. */
  readonly name: string;
  /** Counts up whenever the same level and moves would give another state. */
  readonly version: number;
  start(level: Level): State;
  /** The state after a move; the same object where the rules do not allow it. */
  move(state: State, move: Move, level: Level): State;
  /** Games that do not wait: the state one game frame (1/60 s) later. */
  tick?(state: State, level: Level): State;
  standing(state: State, level: Level): Standing;
  /** The scripted solution's next move, from any state; undefined where nothing helps any more. */
  hint(state: State, level: Level): Move | undefined;
}

/** How a game stands. */
export interface Standing {
  /** As the game counts. */
  readonly score: number;
  /** How much of the goal is reached, 0..1; 1 exactly where it is won. */
  readonly progress: number;
  /** The goal is reached. The game is then over. */
  readonly won: boolean;
  /** Nothing that is done counts any more. */
  readonly over: boolean;
  /** Tries that are left, where the game has some; else 1, and 0 where it is lost. */
  readonly lives: number;
}

/** A place on the screen, in CSS px. */
export interface Spot {
  readonly x: number;
  readonly y: number;
}

export interface ScreenSize {
  readonly width: number;
  readonly height: number;
}

/** What a view draws. */
export interface Scene<Level, State, Move> {
  readonly size: ScreenSize;
  readonly palette: Palette;
  readonly level: Level;
  readonly state: State;
  /** The last change, while its animation runs: from 0 to 1, 1 when it is over. */
  readonly change?: { readonly before: State; readonly move: Move; readonly share: number };
  /** Game frames (1/60 s) since the start. Only of games that do not wait; else 0. */
  readonly frame: number;
  /** A drag that has not ended. */
  readonly drag?: { readonly from: Spot; readonly to: Spot };
  readonly standing: Standing;
  /** Moves made so far. */
  readonly moves: number;
}

/** An input of the mouse or the keyboard. */
export type Input =
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'press'; readonly at: Spot }
  | { readonly type: 'drag'; readonly from: Spot; readonly to: Spot };

/** What a game looks like and how it is played. */
export interface View<Level, State, Move> {
  /** Draws the whole screen. It must depend on the scene alone. */
  draw(pen: CanvasRenderingContext2D, scene: Scene<Level, State, Move>): void;
  /**
   * The move that an input makes; undefined where it makes none. `key` is as in `KeyboardEvent.key`, a press is a click or tap,
   * and a drag is one of more than 6 px.
   */
  read(input: Input, state: State, level: Level, size: ScreenSize): Move | undefined;
  /** An input that makes a move, for the scripted solution. */
  write(move: Move, state: State, level: Level, size: ScreenSize): Input;
  /** Why the scripted solution makes a move, in a few words. */
  say(move: Move, state: State, level: Level): string;
  /** How long a move's animation takes, in ms of game time, at most 100. Absent: none. */
  readonly animationMs?: number;
}

/** Colours of a game, all of them CSS colours. */
export interface Palette {
  readonly name: string;
  /** Of the screen behind everything, from top to bottom. */
  readonly sky: readonly [string, string];
  /** Of the board and of its empty places. */
  readonly board: string;
  readonly hole: string;
  /** Of what is written on the screen, and on the board. */
  readonly text: string;
  readonly muted: string;
  /** Of what matters most. */
  readonly accent: string;
  readonly onAccent: string;
  /** Eight colours that can be told apart, for pieces. */
  readonly pieces: readonly string[];
}

/** What the page of a game is given. */
export interface GameArgument<Level> {
  readonly level: Level;
  readonly palette: Palette;
  /** CSS font family. */
  readonly font: string;
}
