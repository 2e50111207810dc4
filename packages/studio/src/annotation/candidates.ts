import type { Context, Decision, Oracle, Policy, Solution } from '@gyre/agent';
import { type AgentAction, type Candidate, pointsOf, type Reading, type Size } from '@gyre/protocol';
import { Random } from '@gyre/tasks';

/** Points of the same action are at most this far apart, in px per axis. */
const nearPx = 8;

export interface Proposal {
  /** The most frequent first, then the most probable. None is chosen. */
  readonly candidates: readonly Candidate[];
  /** The answers as they were printed, by candidate. */
  readonly texts: readonly (string | undefined)[];
  /** The text that the policy read on the screen. */
  readonly reading: Reading | undefined;
  /** Samples without an action that could be read. */
  readonly malformed: number;
}

export interface ProposalTerms {
  readonly policy: Policy | Oracle;
  readonly solution: Solution;
  readonly context: Omit<Context, 'random'>;
  /** Size of the last screenshot. */
  readonly size: Size;
  /** An oracle gives one. */
  readonly samples: number;
  readonly seed: string;
}

/** Samples a policy's turn several times in one state, and merges those with the same actions. */
export async function propose({ policy, solution, context, size, samples, seed }: ProposalTerms): Promise<Proposal> {
  const sample = (number: number): Promise<Decision> => {
    const random = new Random(`${seed} ${number}`);
    const seeded: Context = { ...context, random: () => random.next() };
    return 'solve' in policy ? policy.solve(solution, seeded) : policy.decide(seeded);
  };
  const count = 'solve' in policy ? 1 : samples;
  const decisions = await Promise.all(Array.from({ length: count }, (_, number) => sample(number)));
  const valid = decisions.filter(({ actions, refused }) => actions.length > 0 && refused === undefined);
  const groups: Decision[][] = [];
  for (const decision of valid) {
    const group = groups.find(([first]) => first && areSame(first.actions, decision.actions, size));
    if (group) group.push(decision);
    else groups.push([decision]);
  }
  const merged = groups
    .map((group) => ({ samples: group.length, best: group.reduce((a, b) => (rankOf(b) > rankOf(a) ? b : a)) }))
    .sort((a, b) => b.samples - a.samples || rankOf(b.best) - rankOf(a.best));
  return {
    candidates: merged.map(({ samples: alike, best }) => candidateOf(best, alike)),
    texts: merged.map(({ best }) => best.text),
    reading: decisions.find(({ reading }) => reading)?.reading,
    malformed: decisions.length - valid.length,
  };
}

const logprobOf = ({ sample }: Decision): number | undefined =>
  sample?.logprobs.reduce((sum, logprob) => sum + logprob, 0);
const rankOf = (decision: Decision): number => logprobOf(decision) ?? -Infinity;

function candidateOf(decision: Decision, samples: number): Candidate {
  const { thought, actions, sample } = decision;
  const logprob = logprobOf(decision);
  return {
    ...(thought !== undefined && { thought }),
    actions: [...actions],
    ...(logprob !== undefined && Number.isFinite(logprob) && { logprob }),
    ...(sample && { policyVersion: sample.policyVersion }),
    ...{ samples, chosen: false },
  };
}

/** Tells whether actions do the same on a screen of this size: their points may lie a few px apart. */
export function areSame(a: readonly AgentAction[], b: readonly AgentAction[], { width, height }: Size): boolean {
  const [pointsA, pointsB] = [a.flatMap(pointsOf), b.flatMap(pointsOf)];
  return (
    withoutPoints(a) === withoutPoints(b) &&
    pointsA.every((point, index) => {
      const { x, y } = pointsB[index]!;
      return Math.abs(point.x - x) * width <= nearPx && Math.abs(point.y - y) * height <= nearPx;
    })
  );
}

function withoutPoints(actions: readonly AgentAction[]): string {
  const sorted = actions.map((action) => Object.entries(action).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(sorted, (_, value: unknown) =>
    typeof value === 'object' && value !== null && 'x' in value && 'y' in value ? 'point' : value,
  );
}

/** Returns the share of samples that had the first candidate's actions; 0 without candidates. */
export function topShare(candidates: readonly Candidate[]): number {
  const total = candidates.reduce((sum, { samples }) => sum + samples, 0);
  return total === 0 ? 0 : candidates[0]!.samples / total;
}
