/**
 * Pure rules over immutable plain data. The same code runs in Node and in the page, so it must not use Node's APIs. Checksums of
 * levels and states assign splits and verify replays: names and order of their fields must not change.
 */
export interface Game<Level, State, Move> {
  readonly name: string;
  /** Incremented when the same moves lead to another state. */
  readonly version: number;
  start(level: Level): State;
  /** Returns the same object if the move is illegal. */
  move(state: State, move: Move, level: Level): State;
  /** Advances a real-time game by a frame (1/60 s). */
  tick?(state: State, level: Level): State;
  status(state: State, level: Level): GameStatus;
  /** Returns the scripted solution's next move; undefined if nothing helps. */
  hint(state: State, level: Level): Move | undefined;
}

export interface GameStatus {
  readonly score: number;
  /** 0..1; 1 exactly when won. */
  readonly progress: number;
  /** Won implies over. */
  readonly won: boolean;
  /** No further move counts. */
  readonly over: boolean;
  /** For games without lives 1, or 0 if lost. */
  readonly lives: number;
}

/** In CSS px. */
export interface Spot {
  readonly x: number;
  readonly y: number;
}

export interface ScreenSize {
  readonly width: number;
  readonly height: number;
}

export interface Scene<Level, State, Move> {
  readonly size: ScreenSize;
  readonly palette: Palette;
  readonly level: Level;
  readonly state: State;
  /** `share` goes from 0 to 1 while the change is animated. */
  readonly change?: { readonly before: State; readonly move: Move; readonly share: number };
  /** Frames (1/60 s) since the start of real-time games, otherwise 0. */
  readonly frame: number;
  readonly drag?: { readonly from: Spot; readonly to: Spot };
  readonly status: GameStatus;
  readonly moves: number;
}

export type Input =
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'press'; readonly spot: Spot }
  | { readonly type: 'drag'; readonly from: Spot; readonly to: Spot };

/** Rendering and input. */
export interface View<Level, State, Move> {
  /** Must be a pure function of the scene. */
  draw(pen: CanvasRenderingContext2D, scene: Scene<Level, State, Move>): void;
  /** `key` is as in `KeyboardEvent.key`; a drag is longer than 6 px. */
  read(input: Input, state: State, level: Level, size: ScreenSize): Move | undefined;
  /** Returns an input that makes a move. */
  write(move: Move, state: State, level: Level, size: ScreenSize): Input;
  /** Explains a move in a few words. */
  say(move: Move, state: State, level: Level): string;
  /** In ms of game time, at most 100. Default: none. */
  readonly animationMs?: number;
}

export interface Palette {
  readonly name: string;
  /** From top to bottom. */
  readonly sky: readonly [string, string];
  readonly board: string;
  readonly hole: string;
  /** Legible on background and board. */
  readonly text: string;
  readonly muted: string;
  readonly accent: string;
  readonly onAccent: string;
  /** Eight distinguishable colours. */
  readonly pieces: readonly string[];
}

export interface GameArgument<Level> {
  readonly level: Level;
  readonly palette: Palette;
  readonly font: string;
}
