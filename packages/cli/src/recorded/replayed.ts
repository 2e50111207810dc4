import { carryOut } from '@gyre/agent';
import { type Episode, onScreen, type Turn, type Verdict } from '@gyre/protocol';
import type { Session } from '@gyre/sandbox';
import { type AnyInstance, startTask } from '@gyre/tasks';

/** What came of an episode when it was played again. */
export interface Replayed {
  readonly episode: string;
  readonly task: string;
  readonly turns: number;
  /** Every frame was the same, bit for bit. */
  readonly identical: boolean;
  /** Index of the first turn whose frame differs; -1 is the first screen. */
  readonly firstDifference?: number;
  /** What the page has used that keeps the browser's own time or randomness: frames may differ because of it. */
  readonly uncontrolled?: readonly string[];
  readonly verdict: Verdict;
  /** The verdict is the same as then; also where there was none then, as of an episode that was cut. */
  readonly sameVerdict: boolean;
}

/**
 * Carries out the recorded turns again on the same task, in a session that is not used for anything else, and compares every frame and
 * the verdict. Throws what the session and the task throw.
 *
 * @param options.onFrame told of each frame: the turn that led to it, none for the first screen.
 */
export async function replayed(
  { id, task, observation, turns, verdict: recorded }: Episode,
  instance: AnyInstance,
  session: Session,
  { signal, onFrame }: { signal: AbortSignal; onFrame?: (turn: Turn | undefined, same: boolean) => void },
): Promise<Replayed> {
  const run = await startTask(session, instance);
  let firstDifference: number | undefined;
  const compare = async (turn?: Turn): Promise<void> => {
    const { hash } = await session.screen.observe();
    const same = hash === (turn?.observation ?? observation).screenshot;
    if (!same) firstDifference ??= turn?.index ?? -1;
    onFrame?.(turn, same);
  };
  await compare();
  for (const turn of turns) {
    signal.throwIfAborted();
    // An action that was refused then is refused now; that is part of what is compared. Calls of the SDK leave a page as it is.
    await carryOut({ actions: onScreen(turn.actions) }, session, task.surfaces);
    await compare(turn);
    await run.step(turn.actions.find((action) => action.type === 'finished'));
  }
  const verdict = await run.verdict();
  const { uncontrolled = [] } = session.browser ?? {};
  return {
    ...{ episode: id, task: task.id, turns: turns.length, identical: firstDifference === undefined },
    ...(firstDifference !== undefined && { firstDifference }),
    ...(uncontrolled.length > 0 && { uncontrolled }),
    ...{ verdict, sameVerdict: recorded === undefined || recorded.success === verdict.success },
  };
}

/** `identical: 7 frames, success`, or what is different; then what of the page keeps its own time. */
export function replayLine({ turns, firstDifference, verdict, sameVerdict, uncontrolled }: Replayed): string {
  const used = uncontrolled ? `; the page uses ${uncontrolled.join(', ')}` : '';
  if (firstDifference === undefined && sameVerdict)
    return `identical: ${turns + 1} frames, ${verdict.success ? 'success' : 'failed'}${used}`;
  const frame =
    firstDifference === undefined
      ? []
      : [firstDifference < 0 ? 'from the first screen on' : `first after turn ${firstDifference + 1}`];
  return `different: ${[...frame, ...(sameVerdict ? [] : [`the verdict is ${verdict.success ? 'success' : 'failed'}`])].join(', ')}${used}`;
}
