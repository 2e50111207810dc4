import type { Turn } from '@gyre/protocol';
import { shortened } from '@gyre/sandbox';
import { describe } from './describe.js';

/** Characters of what came back that are shown. */
const mostShown = 1_000;

/** A turn as a line for people: what was done, what came back, what it earned, and why it was done. */
export function turnLine({ index, actions, observation, reward, thought }: Turn): string {
  const parts = [
    actions.map(describe).join(', ') || 'nothing',
    ...(observation.results ?? []).map(({ text }) => shortened({ head: text, cap: mostShown }).text),
    ...(reward === 0 ? [] : [`reward ${reward.toFixed(2)}`]),
    ...(thought === undefined ? [] : [`(${thought})`]),
  ];
  return `${String(index + 1).padStart(3)}  ${parts.join('  ')}`;
}
