import { setUpTask } from '../family/environment.js';
import type { AnyFamily } from '../family/family.js';
import { type AttackTargets, lease, surfaceOf } from './playAttack.js';

/** A rule that answers from the description; undefined if it does not fit one. */
interface GuessRule {
  readonly name: string;
  readonly answer: (instruction: string) => string | undefined;
}

const constant = (answer: string): GuessRule => ({ name: `always "${answer}"`, answer: () => answer });

/** Matches counted from 1, in the order of the text. */
function matchOf(name: string, pattern: RegExp, index: number): GuessRule {
  return { name: `${name} ${index}`, answer: (text) => [...text.matchAll(pattern)][index - 1]?.slice(1).find(Boolean) };
}

const quoted = /"([^"]+)"|“([^”]+)”|'([^']+)'|「([^」]+)」|«([^»]+)»/g;
const number = /(?<![\w.])(\d+(?:[.,:]\d+)*)/g;
const capitalised = /(?<=\S\s)(\p{Lu}\p{L}+)/gu;

const guessRules: readonly GuessRule[] = [
  ...['', 'yes', 'no', 'none', 'true', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10'].map(constant),
  ...[1, 2].flatMap((index) => [
    matchOf('quoted text', quoted, index),
    matchOf('number', number, index),
    matchOf('capitalised word', capitalised, index),
  ]),
];

export interface GuessResult {
  readonly family: string;
  readonly rule: string;
  readonly tasks: number;
  readonly successes: number;
  /** Declared by the family. */
  readonly chance: number;
  /** Chance of as many successes by luck, times the number of rules. */
  readonly p: number;
  readonly resisted: boolean;
}

/** Share of families that may fail by luck. */
const significance = 0.01;

/** Families whose answers are neither few nor in the description. */
const defaultChance = 0.05;

/**
 * Answers tasks by rules that never see a screen. A family fails if a rule succeeds significantly more often than its
 * declared chance. Returns nothing for families without answers.
 *
 * @param tasks number of tasks, from `seed` on
 */
export async function playGuesses(
  targets: AttackTargets,
  family: AnyFamily,
  seed: number,
  tasks: number,
): Promise<GuessResult[]> {
  if (surfaceOf(family) !== 'page') return [];
  const successes = new Map<string, number>();
  for (let index = 0; index < tasks; index++) {
    const right = await rightRules(targets, family, seed + index);
    if (!right) return [];
    for (const rule of right) successes.set(rule, (successes.get(rule) ?? 0) + 1);
  }
  return guessRules.map(({ name }) => guessResult(family, name, successes.get(name) ?? 0, tasks, guessRules.length));
}

/** Returns the rules that solve a task; undefined if it takes no answer. */
async function rightRules(targets: AttackTargets, family: AnyFamily, seed: number): Promise<string[] | undefined> {
  const instance = family.create('test', seed);
  const session = await lease(targets, instance, 'page');
  const right: string[] = [];
  const tried = new Map<string, boolean>();
  try {
    for (const { name, answer } of guessRules) {
      const guess = answer(instance.task.instruction);
      if (guess === undefined) continue;
      let success = tried.get(guess);
      if (success === undefined) {
        // A page takes one answer.
        const verifier = await setUpTask(session, instance, family);
        if (!takesAnswer(await verifier.verdict())) return undefined;
        await verifier.step({ answer: guess });
        success = (await verifier.verdict()).success;
        tried.set(guess, success);
      }
      if (success) right.push(name);
    }
  } finally {
    await session.release();
  }
  return right;
}

const takesAnswer = ({ evidence }: { readonly evidence: Readonly<Record<string, unknown>> }) => 'answer' in evidence;

/** Returns P(X >= k) for X ~ Binomial(n, p). */
export function upperTail(k: number, n: number, p: number): number {
  if (p >= 1) return k <= n ? 1 : 0;
  let [term, tail] = [(1 - p) ** n, 0];
  for (let i = 0; i <= n; i++) {
    if (i >= k) tail += term;
    term *= ((n - i) / (i + 1)) * (p / (1 - p));
  }
  return Math.min(1, tail);
}

/**
 * Judges a rule by its successes at `tasks` tasks.
 * @param rules tried at the same tasks
 */
export function guessResult(
  { name, chance = defaultChance }: Pick<AnyFamily, 'name' | 'chance'>,
  rule: string,
  successes: number,
  tasks: number,
  rules: number,
): GuessResult {
  const p = Math.min(1, rules * upperTail(successes, tasks, chance));
  return { family: name, rule, tasks, successes, chance, p, resisted: p >= significance };
}
