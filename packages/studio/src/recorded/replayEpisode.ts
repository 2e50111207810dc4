import { type Environment, type Episode, type Frame, onScreen, type Turn, type Verdict } from '@gyre/protocol';

export interface ReplayResult {
  readonly episode: string;
  readonly task: string;
  readonly turns: number;
  readonly identical: boolean;
  /** -1 is the first screen. */
  readonly firstDifference?: number;
  /** Uncontrolled time or randomness that the page used. */
  readonly uncontrolled?: readonly string[];
  readonly verdict: Verdict | undefined;
  /** True also if no verdict was recorded. */
  readonly sameVerdict: boolean;
}

/**
 * Replays recorded turns and compares frames and verdict. Throws what the environment throws.
 *
 * @param environment of an exclusive session; it is not closed.
 * @param options.onFrame receives no turn for the first screen.
 */
export async function replayEpisode(
  { id, task, observation, turns, verdict: recorded }: Episode,
  environment: Environment,
  { signal, onFrame }: { signal: AbortSignal; onFrame?: (turn: Turn | undefined, same: boolean, frame: Frame) => void },
): Promise<ReplayResult> {
  let firstDifference: number | undefined;
  const compare = (frame: Frame, turn?: Turn): void => {
    const same = frame.hash === (turn?.observation ?? observation).screenshot;
    if (!same) firstDifference ??= turn?.index ?? -1;
    onFrame?.(turn, same, frame);
  };
  compare(await environment.reset());
  for (const turn of turns) {
    signal.throwIfAborted();
    // A refused action is refused again. SDK calls do not change a page.
    const step = await environment.step(onScreen(turn.actions));
    compare(step.observation, turn);
  }
  const verdict = await environment.verdict();
  const { uncontrolled = [] } = environment;
  return {
    episode: id,
    task: task.id,
    turns: turns.length,
    identical: firstDifference === undefined,
    ...(firstDifference !== undefined && { firstDifference }),
    ...(uncontrolled.length > 0 && { uncontrolled }),
    verdict,
    sameVerdict: recorded === undefined || recorded.success === verdict?.success,
  };
}

/** Formats `identical: 7 frames, success`, or the differences. */
export function replayLine({ turns, firstDifference, verdict, sameVerdict, uncontrolled }: ReplayResult): string {
  const used = uncontrolled ? `; the page uses ${uncontrolled.join(', ')}` : '';
  if (firstDifference === undefined && sameVerdict)
    return `identical: ${turns + 1} frames, ${verdict?.success ? 'success' : 'failed'}${used}`;
  const frame =
    firstDifference === undefined
      ? []
      : [firstDifference < 0 ? 'from the first screen on' : `first after turn ${firstDifference + 1}`];
  return `different: ${[...frame, ...(sameVerdict ? [] : [`the verdict is ${verdict?.success ? 'success' : 'failed'}`])].join(', ')}${used}`;
}
