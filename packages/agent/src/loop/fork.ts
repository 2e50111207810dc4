import { type Episode, type Fork, GyreError } from '@gyre/protocol';
import { type Context, type Decision, type Oracle, type PastTurn, pastTurn, type Policy } from '../policy/policy.js';

/**
 * Replays an episode's first `turn` decisions, samples included, then lets `policy` decide. Throws `bad_input` if a
 * screen differs in any bit. Use the same task, and `fork` in the episode's options.
 *
 * `policy` sees replayed turns as its own, without another policy's text, whose language may differ.
 *
 * @throws GyreError `bad_input` if the episode was over at that turn, or no budget remains.
 */
export function forkOf(
  episode: Episode,
  turn: number,
  policy: Policy | Oracle,
): { readonly policy: Policy | Oracle; readonly fork: Fork } {
  expectTurn(episode, turn);
  const fork: Fork = { episode: episode.id, turn };
  const past = episode.turns.slice(0, turn).map((each): PastTurn => {
    const seen = pastTurn(each);
    if (policy.name === episode.policy) return seen;
    const { text: _text, ...withoutText } = seen;
    return withoutText;
  });
  const remembering = (context: Context): Context => ({ ...context, turns: [...past, ...context.turns.slice(turn)] });
  if ('solve' in policy) {
    const solve: Oracle['solve'] = async (solution, context) =>
      recorded(episode, turn, context) ?? policy.solve(solution, remembering(context));
    return { policy: { ...policy, solve }, fork };
  }
  const decide: Policy['decide'] = async (context) =>
    recorded(episode, turn, context) ?? policy.decide(remembering(context));
  return { policy: { ...policy, decide }, fork };
}

function expectTurn({ id, turns, end, task }: Episode, turn: number): void {
  // Replaying the final turn would end the fork too.
  const maxTurn = Math.min(end.state === 'finished' ? turns.length - 1 : turns.length, task.stepBudget - 1);
  if (Number.isInteger(turn) && turn >= 0 && turn <= maxTurn) return;
  throw new GyreError('bad_input', `cannot fork episode ${id}, which has ${turns.length} turns, after turn ${turn}`, {
    field: 'turn',
    fix: maxTurn < 1 ? 'use a longer episode' : `use a turn from 0 to ${maxTurn}`,
  });
}

function recorded({ id, observation, turns }: Episode, turn: number, context: Context): Decision | undefined {
  const index = context.turns.length;
  if (index > turn) return undefined;
  const before = index === 0 ? observation : turns[index - 1]?.observation;
  if (context.screenshots.at(-1)?.hash !== before?.screenshot) {
    const where = index === 0 ? 'the first screen' : `the screen after turn ${index}`;
    throw new GyreError('bad_input', `${where} differs from the recording of episode ${id}`, {
      field: 'episode',
      fix: 'fork an episode that `gyre replay` reproduces exactly: the task, the browser or the fonts have changed',
    });
  }
  const recordedTurn = turns[index];
  if (index === turn || !recordedTurn) return undefined;
  const { by, actions, thought, text, sample, reading, observation: after } = recordedTurn;
  const refused = after.results?.find(({ kind }) => kind !== 'notice');
  return {
    actions,
    ...(by !== undefined && { by }),
    ...(thought !== undefined && { thought }),
    ...(text !== undefined && { text }),
    ...(sample && { sample }),
    ...(reading && { reading }),
    // It had no effect.
    ...(actions.length === 0 && refused !== undefined && { refused: refused.text }),
  };
}
