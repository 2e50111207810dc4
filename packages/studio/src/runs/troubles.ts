import type { UpdatePoint } from './updateLine.js';

/** Something that may hold a run back. */
export interface Trouble {
  /** `bad` is wrong; `plain` may be. */
  readonly kind: 'bad' | 'plain';
  readonly text: string;
  /** `environmentSteps` of the update that shows it. */
  readonly steps?: number;
}

/** Updates that count as recent. */
const recent = 8;
/** k3 estimate in nats a token; see docs/reference/training.md: a healthy update moves a policy by 0.05 to 0.12. */
const largeKl = 0.3;
const spike = 4;
const manyErrors = 0.05;
const collapsed = 0.01;
/** Above this, a served run stops. */
const largeGap = 0.03;

/** Says in words what the last updates of a run show; empty if nothing is conspicuous. */
export function troublesOf(updates: readonly UpdatePoint[]): Trouble[] {
  const last = updates.slice(-recent);
  if (last.length === 0) return [];
  return [...filtered(last), ...settled(last), ...spikes(updates), ...errors(last), ...others(last)];
}

function filtered(last: readonly UpdatePoint[]): Trouble[] {
  const groups = last.flatMap(({ groups: each }) => each ?? []);
  const sum = (field: 'tasks' | 'allSucceeded' | 'allFailed') => groups.reduce((total, each) => total + each[field], 0);
  const [tasks, solved, failed] = [sum('tasks'), sum('allSucceeded'), sum('allFailed')];
  if (tasks === 0 || solved + failed < tasks / 2) return [];
  const text = `${share((solved + failed) / tasks)} of the groups taught nothing in ${over(last)}: all attempts solved ${solved} of ${tasks} tasks, none solved ${failed}.`;
  const fix = failed > solved ? 'Choose easier tasks, or larger groups.' : 'Choose harder tasks.';
  return [{ kind: 'bad', text: `${text} ${fix}` }];
}

function settled(last: readonly UpdatePoint[]): Trouble[] {
  const families = [...new Set(last.flatMap(({ success = {} }) => Object.keys(success)))];
  const isAlways = (family: string, value: number): boolean => {
    const shares = last.flatMap(({ success }) => success?.[family] ?? []);
    return shares.length > 1 && shares.every((each) => each === value);
  };
  const [lost, done] = [families.filter((family) => isAlways(family, 0)), families.filter((family) => isAlways(family, 1))];
  return [
    ...(lost.length > 0
      ? [
          {
            kind: 'bad',
            text: `Nothing was solved in ${over(last)} of ${lost.join(', ')}: without a success there is nothing to reinforce. Add demonstrations, or start with easier tasks.`,
          } as const,
        ]
      : []),
    ...(done.length > 0
      ? [
          {
            kind: 'plain',
            text: `Everything was solved in ${over(last)} of ${done.join(', ')}: these tasks teach nothing more.`,
          } as const,
        ]
      : []),
  ];
}

function spikes(updates: readonly UpdatePoint[]): Trouble[] {
  const troubles: Trouble[] = [];
  for (const [i, { kl, environmentSteps }] of updates.entries()) {
    if (kl === undefined || i < updates.length - recent) continue;
    const before = updates.slice(Math.max(0, i - 10), i).flatMap((each) => each.kl ?? []);
    const usual = median(before);
    if (kl < largeKl && !(before.length >= 3 && kl > spike * usual && kl > largeKl / spike)) continue;
    const times = before.length >= 3 && usual > 0 ? `, ${(kl / usual).toFixed(1)} times what is usual` : '';
    const text = `The update at ${environmentSteps.toLocaleString('en')} steps moved the policy by a KL of ${kl.toFixed(2)} nats a token${times}. Lower ppo.learningRate if it recurs.`;
    troubles.push({ kind: 'bad', text, steps: environmentSteps });
  }
  return troubles;
}

function errors(last: readonly UpdatePoint[]): Trouble[] {
  const sum = (field: 'infraErrors' | 'episodes') => last.reduce((total, each) => total + (each[field] ?? 0), 0);
  const [count, episodes] = [sum('infraErrors'), sum('episodes')];
  if (count === 0) return [];
  const rate = count / (count + episodes);
  const text = `${count} of ${count + episodes} rollouts in ${over(last)} ended by faults of the infrastructure (${share(rate)}) and were left out.`;
  const fix = rate > manyErrors ? ' gyre doctor looks for the cause.' : '';
  return [{ kind: rate > manyErrors ? 'bad' : 'plain', text: text + fix }];
}

function others(last: readonly UpdatePoint[]): Trouble[] {
  const { entropy, gap, environmentSteps } = last.at(-1)!;
  const troubles: Trouble[] = [];
  if (entropy !== undefined && entropy < collapsed) {
    const text = `The entropy is ${entropy.toFixed(3)} nats a token: the policy hardly tries anything else. ppo.entropy keeps it up.`;
    troubles.push({ kind: 'bad', text, steps: environmentSteps });
  }
  if (gap !== undefined && gap > largeGap) {
    const text = `Sampler and trainer disagree by ${gap.toFixed(2)} nats a token: the ratios of the update are wrong by that much.`;
    troubles.push({ kind: 'bad', text, steps: environmentSteps });
  }
  const variances = last.flatMap(({ explainedVariance }) => explainedVariance ?? []);
  if (variances.length > 1 && variances.every((each) => each <= 0)) {
    const text = `The critic explains none of the variance of the returns in ${over(last)}: its values are no better than a constant.`;
    troubles.push({ kind: 'plain', text });
  }
  return troubles;
}

const over = (last: readonly UpdatePoint[]): string =>
  last.length === 1 ? 'the last update' : `the last ${last.length} updates`;
const share = (value: number): string => `${Math.round(100 * value)} %`;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? NaN;
}
