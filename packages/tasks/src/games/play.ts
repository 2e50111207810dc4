import type { Action, Point } from '@gyre/protocol';
import type { TaskState, PageVerifier } from '../family/pageVerifier.js';
import { checksum } from './checksum.js';
import type { Game, GameArgument, Input, Scene, Spot, GameStatus, View } from './game.js';
import type { GameReport } from './scores/report.js';

/** Pointer travel in px that makes a press a drag. */
const dragFrom = 6;

/** Makes the default export of a game's `play.page.ts`. */
export function playGame<Level extends { readonly difficulty: number }, State, Move>(
  game: Game<Level, State, Move>,
  view: View<Level, State, Move>,
): (argument: GameArgument<Level>) => PageVerifier {
  return (argument) => new Play(game, view, argument);
}

/** Keeps the state in the isolated world. Counts only trusted input; input during an animation ends it. */
class Play<Level extends { readonly difficulty: number }, State, Move> implements PageVerifier {
  readonly #game: Game<Level, State, Move>;
  readonly #view: View<Level, State, Move>;
  readonly #level: Level;
  readonly #argument: GameArgument<Level>;
  readonly #pen: CanvasRenderingContext2D;
  readonly #size = { width: window.innerWidth, height: window.innerHeight };
  readonly #atFirst: number;
  #state: State;
  /** Cached: every frame needs it, and some games search for it. */
  #known: { state: State; status: GameStatus } | undefined;
  #moves = 0;
  #frame = 0;
  #last: { before: State; move: Move; since: number } | undefined;
  #drag: { from: Spot; to: Spot } | undefined;
  #asked = false;

  constructor(game: Game<Level, State, Move>, view: View<Level, State, Move>, argument: GameArgument<Level>) {
    this.#game = game;
    this.#view = view;
    this.#argument = argument;
    this.#level = argument.level;
    this.#state = game.start(argument.level);
    this.#atFirst = this.#status().progress;
    this.#pen = penOf(this.#size);
    this.#listen();
    this.#draw();
    if (game.tick) this.#run();
  }

  read(): TaskState {
    const status = this.#status();
    const report: GameReport = {
      game: this.#game.name,
      version: this.#game.version,
      level: this.#level.difficulty,
      score: status.score,
      progress: status.progress,
      won: status.won,
      terminated: status.over,
      lives: status.lives,
      moves: this.#moves,
      checksum: checksum(this.#state),
    };
    return {
      done: status.over,
      success: status.won,
      score: status.won ? 1 : Math.min(status.progress, 0.99),
      reward: (status.progress - this.#atFirst) / 2 + (status.won ? 0.5 : 0),
      evidence: { report },
    };
  }

  solve() {
    if (this.#status().over) return [];
    const move = this.#game.hint(this.#state, this.#level);
    if (move === undefined) return [];
    const input = this.#view.write(move, this.#state, this.#level, this.#size);
    return { thought: this.#view.say(move, this.#state, this.#level), actions: [this.#actionOf(input)] };
  }

  #status(): GameStatus {
    if (this.#known?.state !== this.#state) {
      this.#known = { state: this.#state, status: this.#game.status(this.#state, this.#level) };
    }
    return this.#known.status;
  }

  #actionOf(input: Input): Action {
    const point = ({ x, y }: Spot): Point => ({ x: x / this.#size.width, y: y / this.#size.height });
    switch (input.type) {
      case 'key':
        return input.key === 'wait'
          ? { type: 'wait', seconds: 0.1 }
          : { type: 'hotkey', keys: input.key === ' ' ? 'space' : input.key.toLowerCase() };
      case 'press':
        return { type: 'click', point: point(input.spot) };
      case 'drag':
        return { type: 'drag', start: point(input.from), end: point(input.to) };
    }
  }

  #listen(): void {
    const spot = (event: PointerEvent): Spot => ({ x: event.clientX, y: event.clientY });
    const on = <Type extends 'keydown' | 'pointerdown' | 'pointermove' | 'pointerup' | 'contextmenu' | 'dragstart'>(
      type: Type,
      react: (event: DocumentEventMap[Type]) => void,
    ) => {
      const heed = (event: DocumentEventMap[Type]) => {
        if (event.isTrusted) react(event);
      };
      document.addEventListener(type, heed, { capture: true, passive: false });
    };
    on('contextmenu', (event) => event.preventDefault());
    on('dragstart', (event) => event.preventDefault());
    on('keydown', (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      // Arrows and space would scroll; tab would leave the page.
      event.preventDefault();
      if (!event.repeat) this.#enter({ type: 'key', key: event.key });
    });
    on('pointerdown', (event) => {
      if (event.button !== 0) return;
      const start = spot(event);
      this.#drag = { from: start, to: start };
      this.#ask();
    });
    on('pointermove', (event) => {
      if (!this.#drag) return;
      this.#drag = { from: this.#drag.from, to: spot(event) };
      this.#ask();
    });
    on('pointerup', (event) => {
      const drag = this.#drag;
      this.#drag = undefined;
      if (!drag || event.button !== 0) return;
      const to = spot(event);
      const dragged = Math.hypot(to.x - drag.from.x, to.y - drag.from.y) > dragFrom;
      // Draws the release even if it is no move.
      this.#ask();
      this.#enter(dragged ? { type: 'drag', from: drag.from, to } : { type: 'press', spot: drag.from });
    });
  }

  #enter(input: Input): void {
    if (this.#status().over) return;
    const move = this.#view.read(input, this.#state, this.#level, this.#size);
    if (move === undefined) return;
    const next = this.#game.move(this.#state, move, this.#level);
    if (next === this.#state) return;
    this.#last = { before: this.#state, move, since: performance.now() };
    this.#state = next;
    this.#moves++;
    this.#ask();
  }

  #run(): void {
    const started = performance.now();
    const go = () => {
      const due = Math.round(((performance.now() - started) * 60) / 1000);
      for (; this.#frame < due && !this.#status().over; this.#frame++) {
        this.#state = this.#game.tick?.(this.#state, this.#level) ?? this.#state;
      }
      this.#draw();
      if (!this.#status().over) requestAnimationFrame(go);
    };
    requestAnimationFrame(go);
  }

  /** Requests a single redraw. */
  #ask(): void {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(() => {
      this.#asked = false;
      this.#draw();
    });
  }

  #draw(): void {
    const length = this.#view.animationMs ?? 0;
    const share = this.#last && length > 0 ? Math.min(1, (performance.now() - this.#last.since) / length) : 1;
    const scene: Scene<Level, State, Move> = {
      size: this.#size,
      palette: this.#argument.palette,
      level: this.#level,
      state: this.#state,
      ...(this.#last && share < 1 && { change: { before: this.#last.before, move: this.#last.move, share } }),
      frame: this.#frame,
      ...(this.#drag && { drag: this.#drag }),
      status: this.#status(),
      moves: this.#moves,
    };
    this.#pen.save();
    this.#pen.font = `700 12px ${this.#argument.font}`;
    this.#view.draw(this.#pen, scene);
    this.#pen.restore();
    if (share < 1 && !this.#game.tick) this.#ask();
  }
}

/** Scales to CSS px at device resolution. */
function penOf({ width, height }: { width: number; height: number }): CanvasRenderingContext2D {
  const canvas = document.querySelector('canvas');
  const pen = canvas?.getContext('2d', { alpha: false });
  if (!canvas || !pen) throw new Error('the game page has no canvas');
  const scale = window.devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  pen.scale(scale, scale);
  return pen;
}
