import type { Action, Point } from '@gyre/protocol';
import { pointOf } from '../family/pointOf.js';
import type { SolvedTurn, TaskState } from '../family/pageVerifier.js';

/** Throws if the page has no such element. */
export function named(name: string): HTMLElement {
  const element = document.querySelector<HTMLElement>(`[data-name="${name}"]`);
  if (!element) throw new Error(`no element on the page is named ${name}`);
  return element;
}

/** `across` and `down` are fractions of the element's size. */
export const point = (name: string, across?: number, down?: number): Point => pointOf(named(name), across, down);

/** Passes '' if a trusted click hits no name. */
export function onPress(press: (name: string) => void): void {
  document.addEventListener(
    'click',
    (event) => {
      if (!event.isTrusted || !(event.target instanceof Element)) return;
      press(event.target.closest<HTMLElement>('[data-name]')?.dataset.name ?? '');
    },
    true,
  );
}

interface GoalParts {
  readonly parts: () => Record<string, boolean>;
  readonly done: () => boolean;
  readonly evidence: () => Record<string, unknown>;
}

/**
 * Half of the reward is for parts that became right since the start, and is taken back when they become wrong; the
 * other half is for success.
 */
export function scoreParts({ parts, done, evidence }: GoalParts): () => TaskState {
  const count = (states: Record<string, boolean>) => Object.values(states).filter(Boolean).length;
  const initial = count(parts());
  return () => {
    const states = parts();
    const right = count(states);
    const total = Object.keys(states).length;
    const success = done() && right === total;
    return {
      done: done(),
      success,
      score: success ? 1 : Math.min(right / total, 1 - 1 / (2 * total)),
      reward: (right - initial) / (2 * total) + (success ? 0.5 : 0),
      evidence: { parts: states, ...evidence() },
    };
  };
}

export const turn = (thought: string, ...actions: Action[]): SolvedTurn => ({ thought, actions });
