import { type Episode, type Fork, GyreError } from '@gyre/protocol';
import type { Context, Decision, Oracle, PastTurn, Policy } from '../policy/policy.js';

/**
 * A policy that goes on from another episode: it decides on the first `turn` turns as it was decided there, samples included, and leaves
 * all others to `policy`. Before each of them the screen must be, bit for bit, what it was: a policy that says otherwise throws
 * `bad_input`, which ends the episode as `cut`. Play it on the same task, with `fork` in the options of the episode.
 *
 * Of the turns before its own the policy is told as if it had played them, but for what another policy printed: that may be another
 * language than its own.
 *
 * @throws GyreError `bad_input` for a turn after which that episode was over, or no turns are left.
 */
export function forkOf(
  episode: Episode,
  turn: number,
  policy: Policy | Oracle,
): { readonly policy: Policy | Oracle; readonly fork: Fork } {
  expectTurn(episode, turn);
  const fork: Fork = { episode: episode.id, turn };
  const past = episode.turns.slice(0, turn).map(({ reward: _, ...seen }): PastTurn => {
    if (policy.name === episode.policy) return seen;
    const { text: _text, ...told } = seen;
    return told;
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
  // What ended the episode would end it again.
  const most = Math.min(end.state === 'finished' ? turns.length - 1 : turns.length, task.stepBudget - 1);
  if (Number.isInteger(turn) && turn >= 0 && turn <= most) return;
  throw new GyreError('bad_input', `episode ${id} of ${turns.length} turns cannot be forked after turn ${turn}`, {
    field: 'turn',
    fix: most < 1 ? 'take a longer one' : `give a number from 0 to ${most}`,
  });
}

/** What was decided there in the turn that begins; undefined where the turns of the fork's own begin. */
function recorded({ id, observation, turns }: Episode, turn: number, context: Context): Decision | undefined {
  const index = context.turns.length;
  if (index > turn) return undefined;
  const before = index === 0 ? observation : turns[index - 1]?.observation;
  if (context.screenshots.at(-1)?.hash !== before?.screenshot) {
    const where = index === 0 ? 'the first screen' : `the screen after turn ${index}`;
    throw new GyreError('bad_input', `${where} is not the one that episode ${id} has recorded`, {
      field: 'episode',
      fix: `fork one that \`gyre replay\` finds identical: the task, the browser or the fonts have changed since`,
    });
  }
  const said = turns[index];
  if (index === turn || !said) return undefined;
  const { actions, thought, text, sample, observation: after } = said;
  const refused = after.results?.find(({ kind }) => kind !== 'notice');
  return {
    actions,
    ...(thought !== undefined && { thought }),
    ...(text !== undefined && { text }),
    ...(sample && { sample }),
    // It did nothing then, and was told why.
    ...(actions.length === 0 && refused !== undefined && { refused: refused.text }),
  };
}
