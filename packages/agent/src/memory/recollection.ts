import type { PastTurn } from '../policy/policy.js';
import type { Memory } from './memoryFile.js';

/** `to` is exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly summary: string;
}

export interface Recollection {
  readonly earlier: readonly Memory[];
  /** Gapless from this episode's first turn. */
  readonly spans: readonly Span[];
}

export const firstWhole = ({ spans }: Pick<Recollection, 'spans'>): number => spans.at(-1)?.to ?? 0;

/** Counts characters. */
export function lengthOf(turns: readonly PastTurn[]): number {
  const lengths = turns.map(({ text, thought, actions, observation: { results = [] } }) => {
    const printed = text ?? `${thought ?? ''}${JSON.stringify(actions)}`;
    return results.reduce((sum, result) => sum + result.text.length, printed.length);
  });
  return lengths.reduce((sum, length) => sum + length, 0);
}

export const spanText = ({ from, to, summary }: Span): string =>
  `Your turns ${from + 1} to ${to}, as you have summed them up: ${summary}`;

export const earlierText = ({ instruction, end, summary }: Memory): string =>
  `What you remember of an earlier task, "${instruction}" (${ends[end]}): ${summary}`;

const ends: Readonly<Record<Memory['end'], string>> = {
  finished: 'it came to an end',
  out_of_budget: 'there were no turns left',
  agent_fault: 'your last actions broke the page or the machine',
  stuck: 'you went round in circles',
};

const form = 'Answer with at most 80 words of plain text, without an action.';

export const spanQuestion = ({ from, to }: Pick<Span, 'from' | 'to'>): string =>
  `Do not go on yet. Your turns ${from + 1} to ${to} will not be shown to you any more. Sum them up for yourself: what you meant to do, what came of it, and what you have found out and still need. ${form}`;

export const endQuestion = (end: Memory['end']): string =>
  `The task is over: ${ends[end]}. Sum it up for yourself, for tasks to come: what you were asked, what you did, what came of it as far as the screen shows, and what you would do otherwise. ${form}`;
