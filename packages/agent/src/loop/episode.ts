import { randomUUID } from 'node:crypto';
import { Random } from '@gyre/engine';
import type { Lake } from '@gyre/lake';
import {
  type ActionResult,
  type AgentAction,
  type Environment,
  type Episode,
  type EpisodeEnd,
  type EpisodeStart,
  type Fork,
  type Frame,
  GyreError,
  type StepResult,
  type Turn,
  type Verdict,
} from '@gyre/protocol';
import type { Assignment, Context, Decision, Oracle, PastTurn, Policy } from '../policy/policy.js';
import { untilAborted } from './abort.js';
import { act } from './act.js';
import { EpisodeControl } from './episodeControl.js';
import { AgentFault, Stage } from './stage.js';

/** Screenshots in the context by default, as in the public UI-TARS harness; the report does not state its N. */
export const defaultScreenshots = 5;

export interface EpisodeOptions {
  /** Is reset at the start. Whoever opened it closes it. */
  readonly environment: Environment;
  readonly policy: Policy | Oracle;
  /** Tells whose fault it is when the environment breaks (see `Stage`). Leave it out where actions must not be carried out twice. */
  readonly reproduce?: boolean | undefined;
  /** How often the policy is asked again for a decision that it failed to give. Default 1. */
  readonly retries?: number | undefined;
  /** Receives each fault that did not end the episode: it continues on a fresh machine, or the policy is asked again. */
  readonly onRetry?: ((fault: GyreError) => void) | undefined;
  /** Stores the episode, turn by turn as it happens. */
  readonly lake?: Pick<Lake, 'putScreenshot' | 'begin'> | undefined;
  /** Why it is run: `demonstration`, `ppo`, `eval`, ... */
  readonly purpose: string;
  /** Seeds the policy's randomness in this episode. */
  readonly seed: number;
  /** The most screenshots in the policy's context. Default 5. */
  readonly screenshots?: number | undefined;
  /**
   * After so many identical turns in a row that left the screen unchanged, the policy gets one notice; after as many more the episode ends
   * as `stuck`. Default: no limit.
   */
  readonly repeats?: number | undefined;
  /** The episode that this one branches from, where `policy` is from `forkOf`. */
  readonly fork?: Fork | undefined;
  /** Ends the episode as `cut` after the turn in progress. */
  readonly signal?: AbortSignal | undefined;
  /** Lets a person pause, take over or stop this episode. */
  readonly control?: EpisodeControl | undefined;
  /** Time limit of one decision, in ms. Default: none. */
  readonly decisionMs?: number | undefined;
  /** No turn begins after this time, in ms, in which waiting for a person does not count. Default: no limit. */
  readonly episodeMs?: number | undefined;
  /** Receives every turn with the screen after it, for a live view: before anybody waits, and before it is stored. */
  readonly onTurn?: ((turn: Turn, frame: Frame) => void) | undefined;
  readonly id?: string;
  readonly now?: (() => Date) | undefined;
}

/**
 * Plays one episode: observe, decide, step, until one of these ends it.
 *
 * | end | when | verdict |
 * |---|---|---|
 * | `finished` | the environment is done, or the policy said `finished` or `call_user` | yes |
 * | `out_of_budget` | `task.stepBudget` turns were played, or `episodeMs` had passed when a turn was over | yes |
 * | `stuck` | `2 * repeats` identical turns in a row left the screen unchanged; the policy got a notice half-way | yes |
 * | `agent_fault` | a turn broke the page or the machine, on fresh ones too: see `Stage` | a failure |
 * | `infra_error` | the environment or the policy failed with 'infra', and failed again after a reset or another try; a decision took longer than `decisionMs`; or 'held': a person took the session over, and there is no `control` | no |
 * | `cut` | `signal` was aborted, or `control` was stopped | no |
 *
 * `episodeMs` interrupts no decision: a dead model server is an `infra_error` by its own limits or by `decisionMs`.
 *
 * A malformed or refused action wastes the rest of its turn; `observation.results` say so, after the output of SDK calls. Every screenshot
 * is in the lake before the turn that names it.
 *
 * When a person had the session after a turn, that turn's observation is the screen that the person left, and its results name the person.
 * The person's reward is not the policy's. The names are `takenOver` in the verdict's evidence.
 *
 * @throws GyreError 'infra' if the environment failed before its first observation: no episode had begun.
 * @throws GyreError 'bad_input' if `screenshots` is not a positive integer, a time limit not above 0, or `control` of another episode.
 * @throws any other error of the policy, the environment or the lake; the episode is then closed as `cut`.
 */
export async function runEpisode(options: EpisodeOptions): Promise<Episode> {
  check(options);
  const { environment, lake, signal, control, policy, reproduce, onRetry } = options;
  // Its own signal: nothing that listens to it outlives this episode.
  const stopping = control ?? new EpisodeControl();
  const stop = (): void => {
    if (stopping.state !== 'ended') stopping.stop();
  };
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const awaited = control !== undefined;
    const stage = new Stage(environment, { reproduce, onRetry, awaited, signal: stopping.signal });
    let frame = await stage.reset();
    if (await control?.settle(stage)) frame = await stage.observe();
    const { task } = stage;
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
      played = await play(options, stage, frame, start.id, stopping.signal, async (turn) => {
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
        // Closing the episode can fail for the same reason; the first error is the one to report.
        await writer?.finish({ state: 'cut' }).catch(() => undefined);
        throw error;
      }
      // Ctrl-C reaches the browser too: an error after it is no failure of the machine.
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
 * Tells whether an error is not the policy's doing: an outside part failed, or a person has taken the session over. A model server that
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
  first: Frame,
  episodeId: string,
  stop: AbortSignal,
  record: (turn: Turn) => Promise<void>,
): Promise<Played> {
  const { policy, lake, seed, control, onTurn } = options;
  const { repeats = Infinity, screenshots = defaultScreenshots, episodeMs = Infinity } = options;
  const { instruction, surfaces, screen, stepBudget } = stage.task;
  const assignment: Assignment = {
    ...{ instruction, surfaces, screen, stepBudget },
    ...(surfaces.includes('tools') && { tools: await stage.tools() }),
  };
  const generator = new Random(seed);
  const random = (): number => generator.next();
  const past: PastTurn[] = [];
  let frames: Frame[] = [first];
  /** Sum of the rewards so far. */
  let earned = 0;
  /** Identical turns in a row, up to the last, that left the screen unchanged. */
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
    let step: StepResult;
    try {
      step = await act(stage, decision, { onObservation: store });
    } catch (error) {
      if (!(error instanceof AgentFault)) throw error;
      // There is no screen after it. Earlier rewards are lost, as when the agent leaves the page.
      await record({ ...turnOf(error.actions, stage.frame, [notice('fault', error.message)]), reward: 0 - earned });
      return ended(faultEnd(error));
    }
    await stored;
    const { actions, reward, done } = step;
    let frame = step.observation;
    earned += reward;
    const still = frame.hash === frames.at(-1)?.hash;
    same = !still ? 0 : same > 0 && equal(actions, past.at(-1)?.actions) ? same + 1 : 1;
    const results = [
      ...step.results,
      ...(same === repeats
        ? [notice('notice', `the screen has not changed in ${same} turns of the same: do something else`)]
        : []),
    ];
    let turn = turnOf(actions, frame, results);
    onTurn?.({ ...turn, reward }, frame);
    let isOver = done;
    try {
      const wait = isOver ? undefined : await control?.settle(stage);
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a signal may abort while this waits
      if (wait && !stop.aborted) {
        waitedMs += wait.ms;
        same = 0;
        frame = await stage.observe();
        const meanwhile: ActionResult[] = [];
        if (wait.by.length > 0) {
          // The reward is the person's, not the policy's. But the task may be over.
          const looked = await stage.step([]);
          ({ observation: frame, done: isOver } = looked);
          meanwhile.push(...looked.results);
        }
        await lake?.putScreenshot(frame.png, frame.hash);
        for (const name of wait.by) takenOver.add(name);
        turn = turnOf(actions, frame, [...results, ...meanwhile, ...wait.by.map(leftBy)]);
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
 * in the same state, so that no policy gains by failing; a model server that refuses is not. Throws `infra` of the part that failed,
 * `policy` by default, after the last try.
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
      // An oracle reads the session, which was replaced already.
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
