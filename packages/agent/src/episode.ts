import { randomUUID } from 'node:crypto';
import { Random } from '@gyre/engine';
import type { Lake } from '@gyre/lake';
import {
  AgentAction,
  type Episode,
  type EpisodeEnd,
  type EpisodeStart,
  type Fork,
  GyreError,
  isSdkCall,
  type Surface,
  type Task,
  type Turn,
  type Verdict,
} from '@gyre/protocol';
import type { Frame, Session } from '@gyre/sandbox';
import { untilAborted } from './abort.js';
import type { Assignment, Context, Decision, Oracle, PastTurn, Policy } from './policy.js';
import { callSdk } from './sdk/callSdk.js';
import { offeredTools } from './sdk/mcpTool.js';
import type { SearchService } from './sdk/searchService.js';
import type { TaskRun } from './taskRun.js';

/** Screenshots in the context unless told: what the public UI-TARS harness keeps; the report does not state its N. */
export const defaultScreenshots = 5;

export interface EpisodeOptions {
  readonly session: Session;
  /** Resets the session to the task's start. */
  readonly start: (session: Session) => Promise<TaskRun>;
  readonly task: Task;
  readonly policy: Policy | Oracle;
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
  /** Told of every turn with the screen after it, for a live view. */
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
 * | `out_of_budget` | `task.stepBudget` turns were played | yes |
 * | `stuck` | `2 * repeats` turns in a row had the same actions and left the screen as it was; half-way it was told so | yes |
 * | `infra_error` | a GyreError 'infra' came from the session, the task or the policy, or 'held': a person took the session over | no |
 * | `cut` | `signal` was aborted | no |
 *
 * An action that is malformed, or that the session refuses with 'bad_input', wastes the rest of its turn; the turn's
 * `observation.results` say so, after what the calls of the SDK gave. Every screenshot is in the lake before the turn that names it.
 *
 * @throws GyreError 'infra' if the session failed before its first screenshot: no episode had begun.
 * @throws GyreError 'bad_input' if `screenshots` is not a positive integer.
 * @throws what the policy or the lake throws otherwise; the episode is then closed as `cut`.
 */
export async function runEpisode(options: EpisodeOptions): Promise<Episode> {
  const { session, lake, signal, screenshots = defaultScreenshots } = options;
  if (!Number.isInteger(screenshots) || screenshots < 1) {
    throw new GyreError('bad_input', `screenshots is ${screenshots}`, {
      field: 'screenshots',
      fix: 'give an integer of 1 or more',
    });
  }
  const run = await options.start(session);
  const { surfaces } = options.task;
  const task: Task = {
    ...options.task,
    ...(run.instruction !== undefined && { instruction: run.instruction }),
    ...(options.search && !surfaces.includes('search') && { surfaces: [...surfaces, 'search'] }),
  };
  const frame = await session.screen.observe();
  await lake?.putScreenshot(frame.png, frame.hash);
  const start: EpisodeStart = {
    id: options.id ?? randomUUID(),
    task,
    policy: options.policy.name,
    purpose: options.purpose,
    seed: options.seed,
    startedAt: (options.now?.() ?? new Date()).toISOString(),
    observation: { screenshot: frame.hash, size: frame.size },
    ...(options.fork && { fork: options.fork }),
  };
  const writer = await lake?.begin(start);
  const turns: Turn[] = [];

  let end: EpisodeEnd;
  let verdict: Verdict | undefined;
  try {
    const state = await play({ ...options, task }, run, start.id, frame, screenshots, async (turn) => {
      await writer?.append(turn);
      turns.push(turn);
    });
    if (state !== 'cut') verdict = await run.verdict();
    end = { state };
  } catch (error) {
    if (!isInfra(error)) {
      // The error that broke the episode is the one to tell, also where closing the episode fails for the same reason.
      await writer?.finish({ state: 'cut' }).catch(() => undefined);
      throw error;
    }
    // Ctrl-C reaches the browser too: what breaks after it is no failure of the machine.
    end = signal?.aborted ? { state: 'cut' } : { state: 'infra_error', message: error.message };
  }
  await writer?.finish(end, verdict);
  return { ...start, turns, end, ...(verdict && { verdict }) };
}

/** Not the policy's doing: the machine failed, or a person has taken the session over, whose deeds are not the policy's. */
export function isInfra(error: unknown): error is GyreError {
  return error instanceof GyreError && (error.code === 'infra' || error.code === 'held');
}

async function play(
  { session, task, policy, lake, seed, search, signal, onTurn, repeats = Infinity }: EpisodeOptions,
  run: TaskRun,
  episodeId: string,
  firstFrame: Frame,
  screenshots: number,
  record: (turn: Turn) => Promise<void>,
): Promise<'finished' | 'out_of_budget' | 'stuck' | 'cut'> {
  const { instruction, surfaces, screen, stepBudget } = task;
  const assignment: Assignment = {
    ...{ instruction, surfaces, screen, stepBudget },
    ...(surfaces.includes('tools') && { tools: await offeredTools(session) }),
  };
  const generator = new Random(seed);
  const random = (): number => generator.next();
  const past: PastTurn[] = [];
  let frames: Frame[] = [firstFrame];
  /** Turns in a row, up to the last, that did the same and changed nothing. */
  let same = 0;

  for (let index = 0; index < stepBudget; index++) {
    if (signal?.aborted) return 'cut';
    const context: Context = { task: assignment, screenshots: frames, turns: [...past], random, episodeId };
    const decision = await untilAborted(
      'solve' in policy ? policy.solve({ oracle: () => run.oracle() }, context) : policy.decide(context),
      signal,
    );
    if (decision === undefined) return 'cut';

    const { actions, stopped, told } = await carryOut(decision, session, surfaces, search);
    const frame = await session.screen.observe();
    const said = actions.find((action) => action.type === 'finished');
    const [{ reward, done }] = await Promise.all([run.step(said), lake?.putScreenshot(frame.png, frame.hash)]);
    const still = frame.hash === frames.at(-1)?.hash;
    same = !still ? 0 : same > 0 && equal(actions, past.at(-1)?.actions) ? same + 1 : 1;
    const results = [
      ...told,
      ...(same === repeats ? [`the screen has not changed in ${same} turns of the same: do something else`] : []),
    ];
    const seen: PastTurn = {
      index,
      ...(decision.thought !== undefined && { thought: decision.thought }),
      actions,
      ...(decision.text !== undefined && { text: decision.text }),
      ...(decision.sample !== undefined && { sample: decision.sample }),
      observation: {
        screenshot: frame.hash,
        size: frame.size,
        ...(results.length > 0 && { results }),
      },
    };
    const turn: Turn = { ...seen, reward };
    await record(turn);
    onTurn?.(turn, frame);
    if (done || stopped) return 'finished';
    if (same >= 2 * repeats) return 'stuck';
    past.push(seen);
    frames = [...frames, frame].slice(-screenshots);
  }
  return 'out_of_budget';
}

const equal = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/**
 * Carries out a decision's actions up to the first that ends the episode or is refused; `refused` says why, for whoever decided. Throws
 * what the session throws but for `bad_input`.
 */
export async function carryOut(
  decision: Decision,
  session: Session,
  surfaces: readonly Surface[],
  search?: SearchService,
): Promise<{ actions: AgentAction[]; stopped: boolean; told: string[] }> {
  const actions: AgentAction[] = [];
  if (decision.refused !== undefined) return { actions, stopped: false, told: [decision.refused] };
  const told: string[] = [];
  for (const candidate of decision.actions) {
    const parsed = AgentAction.safeParse(candidate);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      told.push(`malformed action: ${issue?.path.join('.')} ${issue?.message}`);
      return { actions, stopped: false, told };
    }
    const action = parsed.data;
    actions.push(action);
    if (action.type === 'finished' || action.type === 'call_user') return { actions, stopped: true, told };
    try {
      if (isSdkCall(action)) told.push(await callSdk(action, { session, surfaces, search }));
      else await session.screen.act(action);
    } catch (error) {
      if (!(error instanceof GyreError && error.code === 'bad_input')) throw error;
      const { fix } = error.detail;
      // Who calls a function can mend it; an action of the screen is another one next time.
      const mended = isSdkCall(action) && fix !== undefined ? ` (${fix})` : '';
      told.push(`refused ${action.type}: ${error.message}${mended}`);
      return { actions, stopped: false, told };
    }
  }
  return { actions, stopped: false, told };
}
