import { randomUUID } from 'node:crypto';
import { act, AgentFault, KeptSession, Stage } from '@gyre/agent';
import {
  type Environment,
  type Frame,
  GyreError,
  type Size,
  type Task,
  turnFormat,
  type Verdict,
} from '@gyre/protocol';
import type { LeaseOptions, Session } from '@gyre/sandbox';
import { type AnyFamily, type AnyInstance, openTask } from '@gyre/tasks';
import { Failure } from './failure.js';
import type { Reset, Result, State, StepAction } from './wire.js';

export interface OpenenvEnvironmentOptions {
  readonly lease: (options: LeaseOptions) => Promise<Session>;
  readonly choose: (request: Reset) => { readonly instance: AnyInstance; readonly family: AnyFamily };
}

interface Play {
  readonly id: string;
  readonly stage: Stage;
  readonly task: Task;
  steps: number;
  earned: number;
  done: boolean;
  last?: Result;
}

/** Serves tasks to one client in one session. Calls must not overlap. */
export class OpenenvEnvironment {
  readonly #options: OpenenvEnvironmentOptions;
  readonly #machines: KeptSession;
  #environment: Environment | undefined;
  #play: Play | undefined;
  #closed = false;

  constructor(options: OpenenvEnvironmentOptions) {
    this.#options = options;
    // The connection's idle time bounds the lease.
    this.#machines = new KeptSession({
      lease: (needs) =>
        options.lease({ ...needs, ttlMs: 2 ** 31 - 1 }).catch((cause: unknown) => {
          throw new Failure('FACTORY_ERROR', `cannot lease a session: ${(cause as Error).message}`, {
            retry: true,
          });
        }),
    });
  }

  get state(): State {
    const { id = null, steps = 0, task, done = false } = this.#play ?? {};
    return { episode_id: id, step_count: steps, task: task?.id ?? null, done };
  }

  /** Result of the last reset or step of the current episode. */
  get last(): Result | undefined {
    return this.#play?.last;
  }

  /**
   * Starts a task and drops the current one.
   *
   * @throws Failure `FACTORY_ERROR` if no session can be leased.
   * @throws GyreError `bad_input` for an unknown task; `infra` if the session failed: the next reset leases another.
   */
  async reset(request: Reset): Promise<Result> {
    const { instance, family } = this.#options.choose(request);
    this.#play = undefined;
    await this.#environment?.close();
    const environment = openTask(instance, this.#machines, family);
    this.#environment = environment;
    return this.#dropIfBroken(async () => {
      const stage = new Stage(environment, { reproduce: true });
      const frame = await stage.reset();
      const { task } = stage;
      const play: Play = { id: request.episode_id ?? randomUUID(), stage, task, steps: 0, earned: 0, done: false };
      this.#play = play;
      if (this.#closed) await this.close();
      return (play.last = { ...observed(play, frame), reward: null });
    });
  }

  /**
   * Executes one turn. A malformed or refused action wastes it. Actions that break the page fail the episode.
   *
   * @throws Failure `EXECUTION_ERROR` without an episode in progress.
   * @throws GyreError `infra` if the session failed for another reason: the episode is lost.
   */
  async step(action: StepAction): Promise<Result> {
    const play = this.#play;
    if (!play) throw new Failure('EXECUTION_ERROR', 'no episode has started: reset first');
    if (play.done) throw new Failure('EXECUTION_ERROR', 'the episode is over: reset first');
    return this.#dropIfBroken(async () => {
      try {
        return await this.#stepOf(play, action);
      } catch (error) {
        if (!(error instanceof AgentFault)) throw error;
        const { message, part } = error;
        play.steps += 1;
        play.done = true;
        const evidence = { fault: message, ...(part && { part }) };
        const verdict: Verdict = { success: false, score: 0, source: 'verifier', evidence };
        const ending = { end: 'agent_fault' as const, verdict };
        return (play.last = {
          ...observed(play, play.stage.frame, { refused: message, ending }),
          reward: 0 - play.earned,
        });
      }
    });
  }

  async #stepOf(play: Play, action: StepAction): Promise<Result> {
    const { stage, task } = play;
    const { results, observation, reward, done } = await act(stage, decisionOf(action, task.screen));
    play.steps += 1;
    play.earned += reward;
    play.done = done || play.steps >= task.stepBudget;
    const verdict = play.done ? await stage.verdict() : undefined;
    const textsOf = (isNotice: boolean) =>
      results.filter(({ kind }) => (kind === 'notice') === isNotice).map(({ text }) => text);
    const refused = textsOf(false).join('\n') || undefined;
    const ending = verdict && { end: done ? ('finished' as const) : ('out_of_budget' as const), verdict };
    return (play.last = { ...observed(play, observation, { refused, ending, notices: textsOf(true) }), reward });
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#play = undefined;
    await this.#release();
  }

  /** Ignores errors: the pool replaces a broken session. */
  async #release(): Promise<void> {
    await this.#environment?.close().catch(() => undefined);
    this.#environment = undefined;
    await this.#machines.close().catch(() => undefined);
  }

  /** Drops episode and session if `work` breaks the session. */
  async #dropIfBroken(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GyreError && error.code === 'infra')) throw error;
      this.#play = undefined;
      await this.#release();
      throw error;
    }
  }
}

function decisionOf(action: StepAction, screen: Size): Parameters<typeof act>[1] {
  if ('type' in action) return { actions: [action] };
  const { text, format = /<seed:tool_call>|<function/.test(text) ? 't5' : 'doubao' } = action;
  const parsed = turnFormat(format, screen).parse(text);
  if (parsed.ok) return { actions: parsed.actions, ...(parsed.notices && { notices: parsed.notices }) };
  return {
    actions: [],
    refused: `cannot parse the text as ${format}, at character ${parsed.error.offset}: ${parsed.error.message}`,
  };
}

function observed(
  { task, steps, done }: Play,
  { png, hash, size }: Frame,
  {
    refused,
    ending,
    notices = [],
  }: {
    refused?: string | undefined;
    notices?: readonly string[];
    ending?: { end: 'finished' | 'out_of_budget' | 'agent_fault'; verdict: Verdict } | undefined;
  } = {},
): Omit<Result, 'reward'> {
  const observation = {
    instruction: task.instruction,
    screenshot: Buffer.from(png).toString('base64'),
    screenshot_sha256: hash,
    size,
    surfaces: task.surfaces,
    step: steps,
    step_budget: task.stepBudget,
    last_action_error: refused ?? null,
    end: ending?.end ?? null,
    verdict: ending?.verdict ?? null,
    metadata: { notices: [...notices] },
  };
  return { observation, done };
}
