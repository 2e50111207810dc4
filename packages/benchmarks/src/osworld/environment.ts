import { join } from 'node:path';
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
import type { Bridge } from '../bridge/bridge.js';
import type { Pool, Pooled } from '../bridge/pool.js';
import { ResultFolder } from './results.js';
import type { OfficialTask } from './task.js';

/** Set-ups download, start applications and sleep. */
const startMs = 10 * 60_000;
const finishMs = 5 * 60_000;

/** For what the set-up has started, in s. OSWorld's own runner waits 60. */
export const settleAfterStart = 4;

/** For what the agent has started, in s. OSWorld's own runner waits 20. */
const settleBeforeJudging = 2;

/** The machine's server is another one after each reset. */
const Started = z.object({ instruction: z.string(), url: z.url() });

/** A machine with the official code that judges it. */
export interface JudgedMachine extends Pooled {
  readonly bridge: Bridge;
  /** Restarts the machine before a task. Default: the official set-up does. */
  renew?(): Promise<void>;
}

export interface OsworldEnvironmentOptions {
  readonly task: Task;
  readonly official: OfficialTask;
  readonly seats: Pool<JudgedMachine>;
  readonly sandbox: Sandbox;
  /** Folder of the domains' results. */
  readonly results?: string | undefined;
  /** Whether they have the file that WindowsAgentArena-V2's `count.py` reads. */
  readonly counted?: boolean;
}

/** A task that OSWorld, or a benchmark made from it, sets up and judges, on a machine that gyre acts on by OSWorld's in-VM protocol. */
export class OsworldEnvironment extends EnvironmentWrapper {
  readonly #options: OsworldEnvironmentOptions;
  readonly #place: { seat?: JudgedMachine };
  #last: AgentAction | undefined;
  #results: ResultFolder | undefined;

  constructor(options: OsworldEnvironmentOptions) {
    const { task, seats, sandbox, official } = options;
    const place: { seat?: JudgedMachine } = {};
    const machines = {
      lease: async () => {
        const seat = (place.seat ??= await seats.acquire());
        await seat.renew?.();
        const terms = { task: official.json, settle: settleAfterStart };
        const { url } = await seat.bridge.call('start', terms, Started, { timeoutMs: startMs });
        return sandbox.lease({ kind: 'remote', protocol: 'osworld', url });
      },
    };
    super(new SessionEnvironment({ task, machines, machine: 'desktop' }));
    this.#options = options;
    this.#place = place;
  }

  override async reset(options?: ResetOptions): Promise<Frame> {
    const { results, counted, official } = this.#options;
    this.#last = undefined;
    const frame = await super.reset(options);
    if (results !== undefined)
      this.#results = await ResultFolder.create(join(results, official.domain, official.task.id), counted);
    return frame;
  }

  override async step(actions: readonly AgentAction[], options?: StepOptions): Promise<StepResult> {
    const result = await super.step(actions, options);
    this.#last = result.actions.at(-1) ?? this.#last;
    await this.#results?.step(result.actions, result.observation, result.done);
    return result;
  }

  /** Throws `infra` for an exception of OSWorld's evaluator, which its own runner does not score either. */
  override async verdict(): Promise<Verdict> {
    const { seat } = this.#place;
    if (!seat) throw notReset();
    const last = endingOf(this.#last);
    const terms = { last: last ?? null, settle: settleBeforeJudging };
    try {
      const { score } = await seat.bridge.call('finish', terms, z.object({ score: z.number() }), {
        timeoutMs: finishMs,
      });
      await this.#results?.score(score);
      const { domain, task } = this.#options.official;
      return {
        success: score >= 1,
        score: Math.min(1, Math.max(0, score)),
        source: 'verifier',
        evidence: { official: `${domain}/${task.id}`, score, ...(last && { ending: last }) },
      };
    } catch (error) {
      await this.#results?.error((error as Error).message);
      throw error;
    }
  }

  override async close(): Promise<void> {
    await super.close().catch(() => undefined);
    const { seat } = this.#place;
    delete this.#place.seat;
    if (seat) await this.#options.seats.release(seat);
  }
}

/**
 * Returns OSWorld's last action. An agent says that a task is infeasible by `call_user`, or by an answer with that
 * word, as OSWorld's own UI-TARS agent does. One that ran out of turns has said nothing.
 */
export function endingOf(last: AgentAction | undefined): 'DONE' | 'FAIL' | undefined {
  if (last?.type === 'call_user') return 'FAIL';
  if (last?.type !== 'finished') return undefined;
  return /\binfeasible\b/i.test(last.answer ?? '') ? 'FAIL' : 'DONE';
}
