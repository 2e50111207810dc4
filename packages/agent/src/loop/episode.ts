import { randomUUID } from 'node:crypto';
import { Random } from '@gyre/engine';
import type { Lake } from '@gyre/lake';
import {
  type ActionResult,
  type Advice,
  type AgentAction,
  type Environment,
  type Episode,
  type EpisodeEnd,
  type EpisodeStart,
  type Fork,
  type Frame,
  GyreError,
  type Observation,
  type StepResult,
  type Turn,
  type Verdict,
} from '@gyre/protocol';
import type { Assignment, Context, Decision, Oracle, PastTurn, Policy } from '../policy/policy.js';
import { untilAborted } from './abort.js';
import { act } from './act.js';
import { EpisodeControl, type PersonTurn } from './episodeControl.js';
import { AgentFault, Stage } from './stage.js';
import { traceDecision, traceEpisode, traceStep } from './traceEpisode.js';

/** As in the public UI-TARS harness; the report does not state its N. */
export const defaultScreenshots = 5;

export interface EpisodeOptions {
  /** The caller closes it. */
  readonly environment: Environment;
  readonly policy: Policy | Oracle;
  /** Attributes failures (see `Stage`). Omit it if actions must not be repeated. */
  readonly reproduce?: boolean | undefined;
  /** Per decision. Default 1. */
  readonly retries?: number | undefined;
  /** Called for each survived fault. */
  readonly onRetry?: ((fault: GyreError) => void) | undefined;
  readonly lake?: Pick<Lake, 'putScreenshot' | 'begin'> | undefined;
  /** `demonstration`, `ppo`, `eval`, ... */
  readonly purpose: string;
  readonly seed: number;
  /** Default 5. */
  readonly screenshots?: number | undefined;
  /**
   * After this many identical turns without a screen change comes a notice; after as many again the episode is `stuck`.
   * Default: no limit.
   */
  readonly repeats?: number | undefined;
  /** Records what the oracle would do in the state before each turn, as a label for training. Default false. */
  readonly advise?: boolean | undefined;
  /** Set with a policy of `forkOf`. */
  readonly fork?: Fork | undefined;
  /** Ends the episode as `cut` after the current turn. */
  readonly signal?: AbortSignal | undefined;
  /** Lets a person pause, take over or stop the episode. */
  readonly control?: EpisodeControl | undefined;
  /** Default: none. */
  readonly decisionMs?: number | undefined;
  /** Starts no turn after this many ms, excluding waits for a person. Default: none. */
  readonly episodeMs?: number | undefined;
  /** Called with every turn and its screen, before storage. */
  readonly onTurn?: ((turn: Turn, frame: Frame) => void) | undefined;
  readonly id?: string;
  readonly now?: (() => Date) | undefined;
}

/**
 * Plays one episode: observe, decide and step until it ends. With an OpenTelemetry SDK, it is one trace.
 *
 * | end | when | verdict |
 * |---|---|---|
 * | `finished` | the environment is done, or the policy said `finished` or `call_user` | yes |
 * | `out_of_budget` | after `task.stepBudget` turns or `episodeMs` | yes |
 * | `stuck` | `2 * repeats` identical turns left the screen unchanged | yes |
 * | `agent_fault` | a turn broke fresh machines too: see `Stage` | a failure |
 * | `infra_error` | 'infra' after retries; a timeout by `decisionMs`; or 'held': a take-over without `control` | no |
 * | `cut` | `signal` aborted, or `control` stopped | no |
 *
 * `episodeMs` interrupts no decision. A malformed or refused action skips the rest of its turn and is reported in
 * `observation.results`. Screenshots are stored before turns that refer to them.
 *
 * Actions of a person that `control` carries out are turns with their name (`by`), which use no budget. Whoever takes the
 * session over beside it leaves no turns, and earns nothing. Both are named in the results of the last turn before the
 * policy's next one, and in the verdict's `takenOver`.
 *
 * @throws GyreError 'infra' before the first observation; 'bad_input' for invalid options.
 * @throws other errors of policy, environment or lake, after closing the episode as `cut`.
 */
export async function runEpisode(options: EpisodeOptions): Promise<Episode> {
  check(options);
  const { id = randomUUID() } = options;
  return traceEpisode({ ...options, id }, () => playEpisode(options, id));
}

async function playEpisode(options: EpisodeOptions, id: string): Promise<Episode> {
  const { environment, lake, signal, control, policy, reproduce, onRetry } = options;
  // No listener outlives this episode.
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
    if (control?.player === undefined && (await control?.settle(stage))) frame = await stage.observe();
    const { task } = stage;
    await lake?.putScreenshot(frame.png, frame.hash);
    const start: EpisodeStart = {
      id,
      task,
      policy: policy.name,
      purpose: options.purpose,
      seed: options.seed,
      startedAt: (options.now?.() ?? new Date()).toISOString(),
      observation: observationOf(frame),
      ...(options.fork && { fork: options.fork }),
    };
    const writer = await lake?.begin(start);
    const turns: Turn[] = [];

    let played: Played | undefined;
    let end: EpisodeEnd;
    let verdict: Verdict | undefined;
    try {
      played = await play(options, stage, frame, start.id, stopping.signal, {
        append: async (turn) => {
          await writer?.append(turn);
          turns.push(turn);
        },
        see: async (observation) => {
          await writer?.see(observation);
          turns.push({ ...turns.pop()!, observation });
        },
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
        // Report the first error: closing may fail for the same reason.
        await writer?.finish({ state: 'cut' }).catch(() => undefined);
        throw error;
      }
      // Ctrl-C also reaches the browser: a later error is no machine failure.
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
    throw new GyreError('bad_input', `the number of screenshots ${screenshots} is invalid`, {
      field: 'screenshots',
      fix: 'use an integer of 1 or more',
    });
  }
  for (const [field, ms] of Object.entries({ decisionMs, episodeMs })) {
    if (ms === undefined || ms > 0) continue;
    throw new GyreError('bad_input', `the value ${ms} of ${field} is invalid`, {
      field,
      fix: 'use a time above 0 ms, or omit it',
    });
  }
  if (control?.state === 'ended' && !control.signal.aborted) {
    throw new GyreError('bad_input', 'the control belongs to an episode that has ended', {
      field: 'control',
      fix: 'create one control per episode',
    });
  }
}

/**
 * Returns whether a part failed or a person took over. A model server's refusal fails this episode, but perhaps no
 * other.
 */
export function isInfra(error: unknown): error is GyreError {
  if (!(error instanceof GyreError)) return false;
  return error.code === 'infra' || error.code === 'held' || error.detail.part === 'model_server';
}

interface Recorder {
  readonly append: (turn: Turn) => Promise<void>;
  /** Replaces the last turn's observation. */
  readonly see: (observation: Observation) => Promise<void>;
}

interface Played {
  readonly end: Exclude<EpisodeEnd, { state: 'infra_error' }>;
  readonly context: Context;
  readonly takenOver: readonly string[];
}

async function play(
  options: EpisodeOptions,
  stage: Stage,
  first: Frame,
  episodeId: string,
  stop: AbortSignal,
  record: Recorder,
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
  let earned = 0;
  /** Consecutive turns. */
  let same = 0;
  const takenOver = new Set<string>();
  let waitedMs = 0;
  const began = performance.now();

  const contextFor = (signal: AbortSignal): Context => {
    return {
      task: assignment,
      screenshots: frames,
      start: observationOf(first),
      turns: [...past],
      random,
      episodeId,
      signal,
    };
  };
  const ended = (end: Played['end']): Played => ({ end, context: contextFor(stop), takenOver: [...takenOver] });
  const over = (state: Exclude<Played['end']['state'], 'agent_fault'>): Played => ended({ state });
  const add = (turn: PastTurn, frame: Frame): void => {
    past.push(turn);
    frames = [...frames, frame].slice(-screenshots);
  };
  const takeTurn = async (by: string, actions: readonly AgentAction[]): Promise<PersonTurn> => {
    stage.touch();
    const reading = frames.at(-1)?.reading;
    const actedAt = (options.now?.() ?? new Date()).toISOString();
    const step = await stage.step(actions);
    const { observation: frame, reward, done, targets, results } = step;
    await lake?.putScreenshot(frame.png, frame.hash);
    const turn: PastTurn = {
      ...{ index: past.length, by, actions: [...step.actions] },
      ...(reading && { reading }),
      observation: observationOf(frame, results),
    };
    const whole = { ...turn, at: actedAt, ...(targets && { targets: [...targets] }), reward };
    earned += reward;
    onTurn?.(whole, frame);
    await record.append(whole);
    add(turn, frame);
    return { turn: whole, done };
  };
  /** Returns whether the task is over after a person's part. */
  const settle = async (): Promise<boolean> => {
    const wait = await control?.settle(stage, takeTurn);
    if (!wait || stop.aborted) return false;
    waitedMs += wait.ms;
    same = 0;
    for (const name of wait.by) takenOver.add(name);
    if (wait.isOver) return true;
    const meanwhile: ActionResult[] = [];
    let frame = await stage.observe();
    let isOver = false;
    if (wait.by.length > 0 && wait.turns === 0) {
      // The reward is the person's, but the task may be over.
      const looked = await stage.step([]);
      ({ observation: frame, done: isOver } = looked);
      meanwhile.push(...looked.results);
    }
    await lake?.putScreenshot(frame.png, frame.hash);
    frames = [...frames.slice(0, -1), frame];
    const last = past.pop();
    if (!last) return isOver;
    const notices = wait.by.map((name, index) => leftBy(name, index === wait.by.length - 1 ? wait.note : undefined));
    const observation = observationOf(frame, [...(last.observation.results ?? []), ...meanwhile, ...notices]);
    past.push({ ...last, observation });
    if (!equal(observation, last.observation)) await record.see(observation);
    return isOver;
  };

  if (control?.player !== undefined && (await settle())) return over('finished');
  for (let decisions = 0; decisions < stepBudget; decisions++) {
    if (stop.aborted) return over('cut');
    if (performance.now() - began - waitedMs >= episodeMs) return over('out_of_budget');
    const decide = (signal: AbortSignal): Promise<Decision> => {
      const context = contextFor(signal);
      return 'solve' in policy ? policy.solve({ oracle: () => stage.oracle() }, context) : policy.decide(context);
    };
    let decision: Decision | undefined;
    let advice: Advice | undefined;
    try {
      advice = options.advise ? await stage.advise() : undefined;
      decision = await traceDecision(past.length, () => decided(decide, options, stop));
    } catch (error) {
      // An oracle's actions may have broken the session it reads.
      if (error instanceof AgentFault) return ended(faultEnd(error));
      throw error;
    }
    if (decision === undefined) return over('cut');

    const { by, thought, text, sample, reading = frames.at(-1)?.reading } = decision;
    const turnOf = (actions: readonly AgentAction[], seen: Frame, results: readonly ActionResult[]): PastTurn => ({
      index: past.length,
      ...(by !== undefined && { by }),
      ...(thought !== undefined && { thought }),
      actions: [...actions],
      ...(text !== undefined && { text }),
      ...(sample !== undefined && { sample }),
      ...(reading !== undefined && { reading }),
      observation: observationOf(seen, results),
    });
    let stored: Promise<unknown> | undefined;
    const store = ({ png, hash }: Frame): void => {
      stored = lake?.putScreenshot(png, hash);
      stored?.catch(() => undefined);
    };
    let step: StepResult;
    try {
      const { actions } = decision;
      step = await traceStep(past.length, actions, () => act(stage, decision, { onObservation: store }));
    } catch (error) {
      if (!(error instanceof AgentFault)) throw error;
      // No screen follows. Earlier rewards are lost.
      const broken = turnOf(error.actions, stage.frame, [notice('fault', error.message)]);
      await record.append({ ...broken, ...(advice && { advice }), reward: 0 - earned });
      return ended(faultEnd(error));
    }
    await stored;
    const { actions, reward, done, targets } = step;
    // The policy never sees them.
    const labels = { ...(targets && { targets: [...targets] }), ...(advice && { advice }) };
    const frame = step.observation;
    earned += reward;
    const still = frame.hash === frames.at(-1)?.hash;
    same = !still ? 0 : same > 0 && equal(actions, past.at(-1)?.actions) ? same + 1 : 1;
    const results = [
      ...step.results,
      ...(same === repeats
        ? [notice('notice', `the screen has not changed after ${same} identical turns: try something else`)]
        : []),
    ];
    const turn = turnOf(actions, frame, results);
    const whole = { ...turn, ...labels, reward };
    onTurn?.(whole, frame);
    await record.append(whole);
    add(turn, frame);
    if (done || (await settle())) return over('finished');
    if (same >= 2 * repeats) return over('stuck');
  }
  return over('out_of_budget');
}

function observationOf({ hash, size }: Frame, results: readonly ActionResult[] = []): Observation {
  return {
    ...{ screenshot: hash, size },
    ...(results.length > 0 && { results: [...results] }),
  };
}

const notice = (kind: ActionResult['kind'], text: string): ActionResult => ({ kind, text });

const leftBy = (name: string, note = ''): ActionResult =>
  notice(
    'notice',
    `${name} used the session in the meantime; this is the current screen${note === '' ? '' : `. ${name} says: ${note}`}`,
  );

/**
 * Resolves to undefined once `stop` aborts. Retries in the same state, so that failing never helps; a model server's
 * refusal is final. Finally throws `infra` of the failed part.
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
      // An oracle reads the session, already replaced.
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
    // A policy may react to the abort before the loop does.
    if (!signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  if (stop.aborted) return undefined;
  throw new GyreError('infra', `${name} did not decide within ${(ms ?? 0) / 1000} s`, {
    field: 'decisionMs',
    part: 'policy',
    fix: 'check that its model server answers, or raise the time limit',
  });
}

const equal = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
