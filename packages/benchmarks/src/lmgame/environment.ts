import {
  type AgentAction,
  carryOut,
  type Environment,
  type Frame,
  Size,
  type StepResult,
  type Task,
  type Verdict,
} from '@gyre/protocol';
import { frameOf } from '@gyre/sandbox';
import { z } from 'zod';
import type { Bridge } from '../bridge/bridge.js';
import { notReset } from '../bridge/notReset.js';
import type { Pool } from '../bridge/pool.js';
import { GameInputs, type LmgameName } from './inputs.js';

/** Candy Crush compiles its rules at first. */
const startMs = 180_000;
const stepMs = 120_000;

const Observed = z.object({
  picture: z.base64(),
  size: Size,
  /** Empty unless it was asked for. */
  text: z.string(),
  score: z.number(),
  terminated: z.boolean(),
  truncated: z.boolean(),
});
type Observed = z.infer<typeof Observed>;

const Board = z.object({ rows: z.int().positive(), columns: z.int().positive(), tile: z.int().positive() });
const Started = Observed.extend({ board: Board.optional() });

const Finished = z.object({
  score: z.number(),
  steps: z.int().nonnegative(),
  reward: z.number(),
  perf: z.number(),
  won: z.boolean(),
});

export interface LmgameRun {
  readonly game: LmgameName;
  /** The first is 1. */
  readonly run: number;
  readonly seed: number;
  /** The most of the game's own steps. */
  readonly steps: number;
}

export interface LmgameEnvironmentOptions {
  readonly task: Task;
  readonly official: LmgameRun;
  readonly bridges: Pool<Bridge>;
  /** Names the agent in the result files. */
  readonly player: string;
  /** Folder of the run's result files, which is replaced. Default: none. */
  readonly folder?: string | undefined;
  /** Shows the game's text in addition to the picture. */
  readonly text?: boolean | undefined;
}

/** One run of a game in LMGame-Bench's environment. Every input of the game is one of its steps. */
export class LmgameEnvironment implements Environment {
  readonly #options: LmgameEnvironmentOptions;
  #task: Task;
  #bridge: Bridge | undefined;
  #inputs: GameInputs | undefined;
  #frame: Frame | undefined;
  #observed: Observed | undefined;

  constructor(options: LmgameEnvironmentOptions) {
    this.#options = options;
    this.#task = options.task;
  }

  get task(): Task {
    return this.#task;
  }

  async reset(): Promise<Frame> {
    await this.close();
    const { task, official, bridges, player, folder, text } = this.#options;
    this.#bridge = await bridges.acquire();
    const { game, run, seed, steps } = official;
    const terms = { game, seed, steps, episode: run, player, folder: folder ?? null, mode: text ? 'both' : 'vision' };
    const started = await this.#call('start', terms, Started, startMs);
    this.#inputs = new GameInputs(game, started.board);
    const instruction = text ? `${task.instruction}\n\n${started.text}` : task.instruction;
    this.#task = { ...task, instruction, screen: started.size };
    return this.#show(started);
  }

  async step(actions: readonly AgentAction[]): Promise<StepResult> {
    const { score } = this.#shown;
    const texts: string[] = [];
    const carried = await carryOut(actions, async (action) => {
      const { size, terminated, truncated } = this.#shown;
      if (terminated || truncated) return;
      const input = this.#inputs?.read(action, size);
      if (!input) return;
      const isMove = 'action' in input;
      const observed = await this.#call(isMove ? 'step' : 'mark', isMove ? input : input.select, Observed, stepMs);
      this.#show(observed);
      if (observed.text !== '') texts.push(observed.text);
    });
    const { terminated, truncated, score: earned } = this.#shown;
    const notices = texts.slice(-1).map((text) => ({ kind: 'notice' as const, text }));
    const results = [...carried.results, ...notices];
    const done = carried.ended || terminated || truncated;
    return { ...carried, results, observation: await this.observe(), reward: earned - score, done };
  }

  observe(): Promise<Frame> {
    return this.#frame ? Promise.resolve(this.#frame) : Promise.reject(notReset());
  }

  /** LMGame-Bench has scores and no success. A run succeeds if the game is won: all levels solved, or a tile of 2048. */
  async verdict(): Promise<Verdict> {
    const { score, steps, reward, perf, won } = await this.#call('finish', {}, Finished, stepMs);
    const { official } = this.#options;
    const { terminated } = this.#shown;
    return {
      ...{ success: won, score: won ? 1 : 0, source: 'verifier' },
      evidence: { report: { game: official.game, score }, official, steps, reward, perf, terminated },
    };
  }

  async close(): Promise<void> {
    const bridge = this.#bridge;
    [this.#bridge, this.#frame, this.#observed] = [undefined, undefined, undefined];
    if (bridge) await this.#options.bridges.release(bridge);
  }

  get #shown(): Observed {
    if (this.#observed) return this.#observed;
    throw notReset();
  }

  #call<Schema extends z.ZodType>(op: string, terms: object, schema: Schema, timeoutMs: number) {
    if (this.#bridge) return this.#bridge.call(op, terms, schema, { timeoutMs });
    throw notReset();
  }

  #show(observed: Observed): Frame {
    this.#observed = observed;
    return (this.#frame = frameOf(Buffer.from(observed.picture, 'base64'), observed.size));
  }
}
