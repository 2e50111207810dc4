import {
  type AgentAction,
  EnvironmentWrapper,
  type Frame,
  type ResetOptions,
  type StepOptions,
  type StepResult,
  type Task,
  type Verdict,
} from '@gyre/protocol';
import { type Sandbox, SessionEnvironment } from '@gyre/sandbox';
import { z } from 'zod';
import { notReset } from '../bridge/notReset.js';
import type { Pool } from '../bridge/pool.js';
import { type JsonAction, jsonActionOf } from './actions.js';
import type { PhoneSeat } from './seat.js';

/** A set-up restores the data of apps, and fills them through their screens. */
const startMs = 10 * 60_000;
const finishMs = 5 * 60_000;

/** Some goals name the time of the set-up. */
const Started = z.object({ instruction: z.string().min(1) });

const Judged = z.object({ score: z.number(), reached: z.number() });

export interface AndroidWorldEnvironmentOptions {
  readonly task: Task;
  /** AndroidWorld's name of the task. */
  readonly official: string;
  readonly seats: Pool<PhoneSeat>;
  readonly sandbox: Sandbox;
  /** Port of adb's server. */
  readonly port: number;
  readonly results?: { readonly folder: string; readonly player: string } | undefined;
}

/** A task that AndroidWorld sets up and judges, on a phone that gyre acts on by ADB. */
export class AndroidWorldEnvironment extends EnvironmentWrapper {
  readonly #options: AndroidWorldEnvironmentOptions;
  readonly #place: { seat?: PhoneSeat; instruction?: string };
  #actions: JsonAction[] = [];
  #turns = 0;
  #last: AgentAction | undefined;

  constructor(options: AndroidWorldEnvironmentOptions) {
    const { task, official, seats, sandbox, port } = options;
    const place: { seat?: PhoneSeat; instruction?: string } = {};
    const machines = {
      lease: async () => {
        const { bridge, serial, hello } = (place.seat ??= await seats.acquire());
        const started = await bridge.call('start', { task: official }, Started, { timeoutMs: startMs });
        place.instruction = started.instruction;
        return sandbox.lease({ kind: 'phone', serial, port, names: hello.apps });
      },
    };
    super(new SessionEnvironment({ task, machines, machine: 'desktop' }));
    this.#options = options;
    this.#place = place;
  }

  override get task(): Task {
    const { instruction = super.task.instruction } = this.#place;
    return { ...super.task, instruction };
  }

  override async reset(options?: ResetOptions): Promise<Frame> {
    [this.#actions, this.#turns, this.#last] = [[], 0, undefined];
    return super.reset(options);
  }

  override async step(actions: readonly AgentAction[], options?: StepOptions): Promise<StepResult> {
    const result = await super.step(actions, options);
    this.#turns++;
    this.#actions.push(...result.actions.map((action) => jsonActionOf(action, this.#options.task.screen)));
    this.#last = result.actions.at(-1) ?? this.#last;
    return result;
  }

  /** Throws `infra` for an exception of AndroidWorld's evaluator, which its own runner leaves out of its mean. */
  override async verdict(): Promise<Verdict> {
    const { seat } = this.#place;
    if (!seat) throw notReset();
    const { official, results } = this.#options;
    const answer = this.#last?.type === 'finished' ? this.#last.answer : undefined;
    const done = this.#last?.type === 'finished' || this.#last?.type === 'call_user';
    const terms = {
      ...{ done, answer: answer ?? null, actions: this.#actions, turns: this.#turns },
      ...{ results: results?.folder ?? null, player: results?.player ?? null },
    };
    const { score, reached } = await seat.bridge.call('finish', terms, Judged, { timeoutMs: finishMs });
    return {
      // As AndroidWorld's runner prints it.
      success: score > 0.5,
      score: Math.min(1, Math.max(0, score)),
      source: 'verifier',
      evidence: { official, score, reached, done },
    };
  }

  override async close(): Promise<void> {
    await super.close().catch(() => undefined);
    const { seat } = this.#place;
    delete this.#place.seat;
    if (seat) await this.#options.seats.release(seat);
  }
}
