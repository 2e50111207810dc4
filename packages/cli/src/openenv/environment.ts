import { randomUUID } from 'node:crypto';
import { AgentFault, Stage } from '@gyre/agent';
import { GyreError, type Size, type Task, turnFormat, type Verdict } from '@gyre/protocol';
import type { Frame, LeaseOptions, Session } from '@gyre/sandbox';
import { startTask, type TaskInstance } from '@gyre/tasks';
import { Failure } from './failure.js';
import type { Reset, Result, State, StepAction } from './wire.js';

export interface EnvironmentOptions {
  readonly lease: (options: LeaseOptions) => Promise<Session>;
  /** The task that a client asks for. */
  readonly choose: (wanted: Reset) => TaskInstance;
}

/** A task that is being played. */
interface Play {
  readonly id: string;
  readonly stage: Stage;
  readonly task: Task;
  steps: number;
  /** The rewards so far. */
  earned: number;
  done: boolean;
  /** What the last call was answered with. */
  last?: Result;
}

/** Tasks one after another for one client, in one session. Its calls must not overlap. */
export class Environment {
  readonly #options: EnvironmentOptions;
  #session: Session | undefined;
  #play: Play | undefined;
  #closed = false;

  constructor(options: EnvironmentOptions) {
    this.#options = options;
  }

  get state(): State {
    const { id = null, steps = 0, task, done = false } = this.#play ?? {};
    return { episode_id: id, step_count: steps, task: task?.id ?? null, done };
  }

  /** What the last reset or step was answered with, while its episode is there. */
  get last(): Result | undefined {
    return this.#play?.last;
  }

  /**
   * Begins a task; one that was being played is dropped.
   *
   * @throws Failure `FACTORY_ERROR` where no session can be had.
   * @throws GyreError `bad_input` where there is no such task, `infra` where the session failed: the next reset takes another.
   */
  async reset(wanted: Reset): Promise<Result> {
    const instance = this.#options.choose(wanted);
    this.#play = undefined;
    const session = await this.#sessionOf(instance.task.screen);
    return this.#unlessBroken(async () => {
      const stage = await Stage.open({
        session,
        start: (fresh) => startTask(fresh, instance),
        surfaces: instance.task.surfaces,
        replace: async () => {
          await this.#giveBack();
          return this.#sessionOf(instance.task.screen, true);
        },
      });
      const { instruction = instance.task.instruction } = stage;
      const task = { ...instance.task, instruction };
      const play: Play = { id: wanted.episode_id ?? randomUUID(), stage, task, steps: 0, earned: 0, done: false };
      this.#play = play;
      return (play.last = { ...observed(play, stage.frame), reward: null });
    });
  }

  /**
   * Carries out one turn. What cannot be read or done wastes it, and the observation says so. Actions that break the page end the
   * episode as a failure.
   *
   * @throws Failure `EXECUTION_ERROR` where no episode is going on.
   * @throws GyreError `infra` where the session failed for another reason than the actions: the episode is lost.
   */
  async step(action: StepAction): Promise<Result> {
    const play = this.#play;
    if (!play) throw new Failure('EXECUTION_ERROR', 'there is no episode: reset first');
    if (play.done) throw new Failure('EXECUTION_ERROR', 'the episode is over: reset first');
    return this.#unlessBroken(async () => {
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
    const { stopped, results, frame, reward, done } = await stage.act(decisionOf(action, task.screen));
    play.steps += 1;
    play.earned += reward;
    const finished = done || stopped;
    play.done = finished || play.steps >= task.stepBudget;
    const verdict = play.done ? await stage.verdict() : undefined;
    const textsOf = (isNotice: boolean) =>
      results.filter(({ kind }) => (kind === 'notice') === isNotice).map(({ text }) => text);
    const refused = textsOf(false).join('\n') || undefined;
    const ending = verdict && { end: finished ? ('finished' as const) : ('out_of_budget' as const), verdict };
    return (play.last = { ...observed(play, frame, { refused, ending, notices: textsOf(true) }), reward });
  }

  /** Gives the session back. Twice is once. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#play = undefined;
    await this.#giveBack();
  }

  /** A session whose screen is of this size. */
  async #sessionOf(size: Size, alone = false): Promise<Session> {
    const held = this.#session;
    const fits = held?.screen.size.width === size.width && held.screen.size.height === size.height;
    if (held && fits && held.state === 'leased') return held;
    await this.#giveBack();
    // The connection's idle time bounds the lease.
    const session = await this.#options.lease({ size, alone, ttlMs: 2 ** 31 - 1 }).catch((cause: unknown) => {
      throw new Failure('FACTORY_ERROR', `no session can be had: ${(cause as Error).message}`, { retry: true });
    });
    this.#session = session;
    if (this.#closed) await this.#giveBack();
    return session;
  }

  async #giveBack(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    // One that cannot be given back whole has broken, and the pool replaces it.
    await session?.release().catch(() => undefined);
  }

  /** Drops episode and session where the session breaks in a work. */
  async #unlessBroken(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GyreError && error.code === 'infra')) throw error;
      this.#play = undefined;
      await this.#giveBack();
      throw error;
    }
  }
}

/** What a turn decides, in the words of the agent's loop. */
function decisionOf(action: StepAction, screen: Size): Parameters<Stage['act']>[0] {
  if ('type' in action) return { actions: [action] };
  const { text, format = /<seed:tool_call>|<function/.test(text) ? 't5' : 'doubao' } = action;
  const parsed = turnFormat(format, screen).parse(text);
  if (parsed.ok) return { actions: parsed.actions, ...(parsed.notices && { notices: parsed.notices }) };
  return { actions: [], refused: `not understood as ${format}, at ${parsed.error.at}: ${parsed.error.message}` };
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
