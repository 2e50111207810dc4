import { randomUUID } from 'node:crypto';
import { Random } from '@gyre/engine';
import type { Lake } from '@gyre/lake';
import {
  type ActionResult,
  type AgentAction,
  type Episode,
  type EpisodeEnd,
  type EpisodeStart,
  type Fork,
  GyreError,
  type Task,
  type Turn,
  type Verdict,
} from '@gyre/protocol';
import type { Frame, Session } from '@gyre/sandbox';
import { untilAborted } from './abort.js';
import { EpisodeControl } from './episodeControl.js';
import type { Assignment, Context, Decision, Oracle, PastTurn, Policy } from '../policy/policy.js';
import { offeredTools } from '../tools/mcpTool.js';
import type { SearchService } from '../tools/searchService.js';
import { type Acted, AgentFault, Stage } from './stage.js';
import type { TaskRun } from './taskRun.js';

/** Screenshots in the context unless told: what the public UI-TARS harness keeps; the report does not state its N. */
export const defaultScreenshots = 5;

export interface EpisodeOptions {
  readonly session: Session;
  /** Resets the session to the task's start. */
  readonly start: (session: Session) => Promise<TaskRun>;
  readonly task: Task;
  readonly policy: Policy | Oracle;
  /**
   * Gives up the session and leases a fresh one like it, alone in its browser: tells whose fault it is when a session breaks (see `Stage`). Leave it out where
   * actions must not be carried out twice.
   */
  readonly replace?: (() => Promise<Session>) | undefined;
  /** How often the policy is asked again for a decision that it failed to give. Default 1. */
  readonly retries?: number | undefined;
  /** Called with each fault that did not end the episode: it continues in a fresh session, or the policy is asked again. */
  readonly onRetry?: ((fault: GyreError) => void) | undefined;
  /** Where the episode is kept, turn by turn as it happens. */
  readonly lake?: Pick<Lake, 'putScreenshot' | 'begin'> | undefined;
  /** Why it is run: `demonstration`, `ppo`, `eval`, ... */
  readonly purpose: string;
  /** Seeds the policy's randomness in this episode. */
  readonly seed: number;
  /** How many screenshots the policy sees, at most. Default 5. */
  readonly screenshots?: number | undefined;
  /**
   * After so many turns in a row of the same actions that left the screen as it was, the policy is told so, once; after as many more the
   * episode ends as `stuck`. Default: it may go on.
   */
  readonly repeats?: number | undefined;
  /** The episode that it goes on from, where `policy` is one of `forkOf`. */
  readonly fork?: Fork | undefined;
  /** Where the agent may search for pages and read them: its task then has the surface `search`. Default: nowhere. */
  readonly search?: SearchService | undefined;
  /** Ends the episode as `cut` after the turn in progress. */
  readonly signal?: AbortSignal | undefined;
  /** By which somebody pauses it, takes it over or stops it; for this episode alone. */
  readonly control?: EpisodeControl | undefined;
  /** The longest that the policy may take for one decision, in ms. Default: as long as it takes. */
  readonly decisionMs?: number | undefined;
  /** After so long, in ms and without the time in which it waited for a person, no other turn begins. Default: no limit. */
  readonly episodeMs?: number | undefined;
  /** Told of every turn with the screen after it, for a live view: before anybody waits, and before the lake has it. */
  readonly onTurn?: ((turn: Turn, frame: Frame) => void) | undefined;
  readonly id?: string;
  readonly now?: (() => Date) | undefined;
}

/**
 * Plays one episode: observe, decide, act, and again, until one of these ends it.
 *
 * | end | when | verdict |
 * |---|---|---|
 * | `finished` | the task is over, or the policy said `finished` or `call_user` | yes |
 * | `out_of_budget` | `task.stepBudget` turns were played, or `episodeMs` had passed when a turn was over | yes |
 * | `stuck` | `2 * repeats` turns in a row had the same actions and left the screen as it was; half-way it was told so | yes |
 * | `agent_fault` | a turn broke the page or the machine, in fresh sessions too: see `Stage` | a failure |
 * | `infra_error` | a GyreError 'infra' came from the session, the task or the policy, and again after that was replaced or asked again; a decision took longer than `decisionMs`; or 'held': a person took the session over, where no `control` was given | no |
 * | `cut` | `signal` was aborted, or `control` was told to stop | no |
 *
 * `episodeMs` breaks off no decision: a model server that is dead when the time is up is an `infra_error` all the same, by the limits of
 * whoever asks it or by `decisionMs`.
 *
 * An action that is malformed, or that the session refuses with 'bad_input', wastes the rest of its turn; the turn's
 * `observation.results` say so, after what the calls of the SDK gave. Every screenshot is in the lake before the turn that names it.
 *
 * Where a person had the session after a turn, by `control`, that turn's observation is the screen as the person left it, and its results
 * say who it was; what the person did earns no reward, and the names are `takenOver` of the verdict's evidence.
 *
 * @throws GyreError 'infra' if the session failed before its first screenshot: no episode had begun.
 * @throws GyreError 'bad_input' if `screenshots` is not a positive integer, a time limit not above 0, or `control` of another episode.
 * @throws what the policy or the lake throws otherwise; the episode is then closed as `cut`.
 */
export async function runEpisode(options: EpisodeOptions): Promise<Episode> {
  check(options);
  const { session, lake, signal, control, policy } = options;
  // Of this episode alone: nothing that listens to it outlives it.
  const stopping = control ?? new EpisodeControl();
  const stop = (): void => {
    if (stopping.state !== 'ended') stopping.stop();
  };
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const { search } = options;
    const surfaces = [...new Set([...options.task.surfaces, ...(search ? (['search'] as const) : [])])];
    const stage = await Stage.open(
      {
        ...{ session, search, surfaces, start: options.start, replace: options.replace, onRetry: options.onRetry },
        ...{ awaited: control !== undefined, signal: stopping.signal },
      },
      async () => control?.settle(session),
    );
    const { frame, instruction = options.task.instruction } = stage;
    const task: Task = { ...options.task, instruction, surfaces };
    await lake?.putScreenshot(frame.png, frame.hash);
    const start: EpisodeStart = {
      id: options.id ?? randomUUID(),
      task,
      policy: policy.name,
      purpose: options.purpose,
      seed: options.seed,
      startedAt: (options.now?.() ?? new Date()).toISOString(),
      observation: { screenshot: frame.hash, size: frame.size },
      ...(options.fork && { fork: options.fork }),
    };
    const writer = await lake?.begin(start);
    const turns: Turn[] = [];

    let played: Played | undefined;
    let end: EpisodeEnd;
    let verdict: Verdict | undefined;
    try {
      played = await play({ ...options, task }, stage, start.id, stopping.signal, async (turn) => {
        await writer?.append(turn);
        turns.push(turn);
      });
      const { takenOver } = played;
      ({ end } = played);
      if (end.state === 'agent_fault') verdict = failureOf(end);
      else if (end.state !== 'cut') {
        try {
          verdict = await stage.verdict();
        } catch (error) {
          if (!(error instanceof AgentFault)) throw error;
          end = faultEnd(error);
          verdict = failureOf(end);
        }
      }
      if (verdict && takenOver.length > 0) verdict = { ...verdict, evidence: { ...verdict.evidence, takenOver } };
    } catch (error) {
      if (!isInfra(error)) {
        // The error that broke the episode is the one to tell, also where closing the episode fails for the same reason.
        await writer?.finish({ state: 'cut' }).catch(() => undefined);
        throw error;
      }
      // Ctrl-C reaches the browser too: what breaks after it is no failure of the machine.
      const { part } = error.detail;
      end = stopping.signal.aborted
        ? { state: 'cut' }
        : { state: 'infra_error', message: error.message, ...(part && { part }) };
    }
    await writer?.finish(end, verdict);
    if (played && 'decide' in policy && end.state !== 'cut' && end.state !== 'infra_error')
      await policy.conclude?.(played.context, end.state);
    return { ...start, turns, end, ...(verdict && { verdict }) };
  } finally {
    signal?.removeEventListener('abort', stop);
    stopping.end();
  }
}

const faultEnd = ({ message, part }: AgentFault): Extract<EpisodeEnd, { state: 'agent_fault' }> => ({
  ...{ state: 'agent_fault', message },
  ...(part && { part }),
});

const failureOf = ({ message, part }: Extract<EpisodeEnd, { state: 'agent_fault' }>): Verdict => ({
  ...{ success: false, score: 0, source: 'verifier' },
  evidence: { fault: message, ...(part && { part }) },
});

function check({ screenshots = defaultScreenshots, decisionMs, episodeMs, control }: EpisodeOptions): void {
  if (!Number.isInteger(screenshots) || screenshots < 1) {
    throw new GyreError('bad_input', `screenshots is ${screenshots}`, {
      field: 'screenshots',
      fix: 'give an integer of 1 or more',
    });
  }
  for (const [field, ms] of Object.entries({ decisionMs, episodeMs })) {
    if (ms === undefined || ms > 0) continue;
    throw new GyreError('bad_input', `${field} is ${ms}`, { field, fix: 'give a time above 0 ms, or leave it out' });
  }
  if (control?.state === 'ended' && !control.signal.aborted) {
    throw new GyreError('bad_input', 'the control is of an episode that is over', {
      field: 'control',
      fix: 'make one for each episode',
    });
  }
}

/**
 * Not the policy's doing: the machine failed, or a person has taken the session over, whose deeds are not the policy's. A model server that
 * refuses a request has failed this episode, and perhaps no other.
 */
export function isInfra(error: unknown): error is GyreError {
  if (!(error instanceof GyreError)) return false;
  return error.code === 'infra' || error.code === 'held' || error.detail.part === 'model_server';
}

/** How the turns of an episode ended. */
interface Played {
  readonly end: Exclude<EpisodeEnd, { state: 'infra_error' }>;
  /** What the policy would decide on next. */
  readonly context: Context;
  /** Persons who had the session. */
  readonly takenOver: readonly string[];
}

async function play(
  options: EpisodeOptions,
  stage: Stage,
  episodeId: string,
  stop: AbortSignal,
  record: (turn: Turn) => Promise<void>,
): Promise<Played> {
  const { task, policy, lake, seed, control, onTurn } = options;
  const { repeats = Infinity, screenshots = defaultScreenshots, episodeMs = Infinity } = options;
  const { instruction, surfaces, screen, stepBudget } = task;
  const assignment: Assignment = {
    ...{ instruction, surfaces, screen, stepBudget },
    ...(surfaces.includes('tools') && { tools: await offeredTools(stage.session) }),
  };
  const generator = new Random(seed);
  const random = (): number => generator.next();
  const past: PastTurn[] = [];
  let frames: Frame[] = [stage.frame];
  let earned = 0;
  /** Turns in a row, up to the last, that did the same and changed nothing. */
  let same = 0;
  const takenOver = new Set<string>();
  let waitedMs = 0;
  const began = performance.now();

  const contextFor = (signal: AbortSignal): Context => {
    return { task: assignment, screenshots: frames, turns: [...past], random, episodeId, signal };
  };
  const ended = (end: Played['end']): Played => ({ end, context: contextFor(stop), takenOver: [...takenOver] });
  const over = (state: Exclude<Played['end']['state'], 'agent_fault'>): Played => ended({ state });

  for (let index = 0; index < stepBudget; index++) {
    if (stop.aborted) return over('cut');
    if (performance.now() - began - waitedMs >= episodeMs) return over('out_of_budget');
    const decide = (signal: AbortSignal): Promise<Decision> => {
      const context = contextFor(signal);
      return 'solve' in policy ? policy.solve({ oracle: () => stage.oracle() }, context) : policy.decide(context);
    };
    let decision: Decision | undefined;
    try {
      decision = await decided(decide, options, stop);
    } catch (error) {
      // An oracle reads the session, which its own actions can have broken.
      if (error instanceof AgentFault) return ended(faultEnd(error));
      throw error;
    }
    if (decision === undefined) return over('cut');

    const { thought, text, sample } = decision;
    const turnOf = (
      actions: readonly AgentAction[],
      { hash, size }: Frame,
      results: readonly ActionResult[],
    ): PastTurn => ({
      index,
      ...(thought !== undefined && { thought }),
      actions: [...actions],
      ...(text !== undefined && { text }),
      ...(sample !== undefined && { sample }),
      observation: { screenshot: hash, size, ...(results.length > 0 && { results: [...results] }) },
    });
    // The screen is stored while the reward is read.
    let stored: Promise<unknown> | undefined;
    const store = ({ png, hash }: Frame): void => {
      stored = lake?.putScreenshot(png, hash);
      stored?.catch(() => undefined);
    };
    let acted: Acted;
    try {
      acted = await stage.act(decision, store);
    } catch (error) {
      if (!(error instanceof AgentFault)) throw error;
      // Nobody sees a screen after it, and what was earned is lost, as for a page that the agent has left.
      await record({ ...turnOf(error.actions, stage.frame, [notice('fault', error.message)]), reward: 0 - earned });
      return ended(faultEnd(error));
    }
    await stored;
    const { actions, stopped, reward, done } = acted;
    let { frame } = acted;
    earned += reward;
    const still = frame.hash === frames.at(-1)?.hash;
    same = !still ? 0 : same > 0 && equal(actions, past.at(-1)?.actions) ? same + 1 : 1;
    const results = [
      ...acted.results,
      ...(same === repeats
        ? [notice('notice', `the screen has not changed in ${same} turns of the same: do something else`)]
        : []),
    ];
    let turn = turnOf(actions, frame, results);
    onTurn?.({ ...turn, reward }, frame);
    let isOver = done || stopped;
    try {
      const wait = isOver ? undefined : await control?.settle(stage.session);
      if (wait && !stop.aborted) {
        waitedMs += wait.ms;
        same = 0;
        const looked = await stage.look();
        // What a person has earned is not the policy's, but it may be the end.
        if (wait.by.length > 0) isOver = await stage.isOver();
        await lake?.putScreenshot(looked.png, looked.hash);
        frame = looked;
        for (const name of wait.by) takenOver.add(name);
        turn = turnOf(actions, frame, [...results, ...wait.by.map(leftBy)]);
      }
    } finally {
      await record({ ...turn, reward });
    }
    past.push(turn);
    frames = [...frames, frame].slice(-screenshots);
    if (isOver) return over('finished');
    if (same >= 2 * repeats) return over('stuck');
  }
  return over('out_of_budget');
}

const notice = (kind: ActionResult['kind'], text: string): ActionResult => ({ kind, text });

const leftBy = (name: string): ActionResult =>
  notice('notice', `${name} has used the session meanwhile; this is the screen as it is now`);

/**
 * Resolves to a decision, or to undefined once `stop` is aborted. A policy that fails, or takes longer than `decisionMs`, is asked again
 * in the same state, so that nobody wins by failing; not where a model server refuses, which it would again. Throws `infra` of the part that failed,
 * `policy` unless told, after the last try.
 */
async function decided(
  decide: (signal: AbortSignal) => Promise<Decision>,
  { policy, decisionMs, retries = 1, onRetry }: Pick<EpisodeOptions, 'policy' | 'decisionMs' | 'retries' | 'onRetry'>,
  stop: AbortSignal,
): Promise<Decision | undefined> {
  for (let tries = 0; ; tries++) {
    try {
      return await decidedOnce(decide, policy.name, stop, decisionMs);
    } catch (error) {
      // An oracle asks the session, which was replaced already.
      if (!isInfra(error) || error.code === 'held' || 'solve' in policy) throw error;
      const isFinal = tries === retries || error.code !== 'infra';
      if (isFinal)
        throw new GyreError('infra', error.message, { ...error.detail, part: error.detail.part ?? 'policy' });
      onRetry?.(error);
    }
  }
}

async function decidedOnce(
  decide: (signal: AbortSignal) => Promise<Decision>,
  name: string,
  stop: AbortSignal,
  ms: number | undefined,
): Promise<Decision | undefined> {
  const late = new AbortController();
  const timer = ms === undefined ? undefined : setTimeout(() => late.abort(), ms);
  const signal = ms === undefined ? stop : AbortSignal.any([stop, late.signal]);
  try {
    const decision = await untilAborted(decide(signal), signal);
    if (decision !== undefined) return decision;
  } catch (error) {
    // A policy that hears of it may fail before anybody has stopped to wait for it.
    if (!signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  if (stop.aborted) return undefined;
  throw new GyreError('infra', `${name} has not decided within ${(ms ?? 0) / 1000} s`, {
    field: 'decisionMs',
    part: 'policy',
    fix: 'see whether what it asks answers, or give it longer',
  });
}

const equal = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
