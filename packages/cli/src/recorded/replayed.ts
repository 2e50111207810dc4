import { type Environment, type Episode, type Frame, onScreen, type Turn, type Verdict } from '@gyre/protocol';

/** The result of a replay. */
export interface Replayed {
  readonly episode: string;
  readonly task: string;
  readonly turns: number;
  /** Every frame was the same, bit for bit. */
  readonly identical: boolean;
  /** Index of the first turn whose frame differs; -1 is the first screen. */
  readonly firstDifference?: number;
  /** Sources of the browser's own time or randomness that the page used, because of which frames may differ. */
  readonly uncontrolled?: readonly string[];
  readonly verdict: Verdict | undefined;
  /** The verdict is the recorded one, or none was recorded, as of an episode that was cut. */
  readonly sameVerdict: boolean;
}

/**
 * Carries out the recorded turns again on the same task, and compares every frame and the verdict. Throws what the environment throws.
 *
 * @param environment of a session that nothing else uses. It is not closed.
 * @param options.onFrame receives each frame: the turn that led to it, none for the first screen.
 */
export async function replayed(
  { id, task, observation, turns, verdict: recorded }: Episode,
  environment: Environment,
  { signal, onFrame }: { signal: AbortSignal; onFrame?: (turn: Turn | undefined, same: boolean) => void },
): Promise<Replayed> {
  let firstDifference: number | undefined;
  const compare = ({ hash }: Frame, turn?: Turn): void => {
    const same = hash === (turn?.observation ?? observation).screenshot;
    if (!same) firstDifference ??= turn?.index ?? -1;
    onFrame?.(turn, same);
  };
  compare(await environment.reset());
  for (const turn of turns) {
    signal.throwIfAborted();
    // A refused action is refused again; that is part of the comparison. SDK calls leave a page as it is.
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

/** Prints `identical: 7 frames, success`, or the differences; then what of the page keeps its own time. */
export function replayLine({ turns, firstDifference, verdict, sameVerdict, uncontrolled }: Replayed): string {
  const used = uncontrolled ? `; the page uses ${uncontrolled.join(', ')}` : '';
  if (firstDifference === undefined && sameVerdict)
    return `identical: ${turns + 1} frames, ${verdict?.success ? 'success' : 'failed'}${used}`;
  const frame =
    firstDifference === undefined
      ? []
      : [firstDifference < 0 ? 'from the first screen on' : `first after turn ${firstDifference + 1}`];
  return `different: ${[...frame, ...(sameVerdict ? [] : [`the verdict is ${verdict?.success ? 'success' : 'failed'}`])].join(', ')}${used}`;
}
