import { describeAction, type Turn } from '@gyre/protocol';
import { shortenText } from '@gyre/sandbox';

/** Maximum characters of a result. */
const mostShown = 1_000;

/** Formats a turn as one line: actions, results, reward, thought. */
export function turnLine({ index, actions, observation, reward, thought }: Turn): string {
  const parts = [
    actions.map(describeAction).join(', ') || 'nothing',
    ...(observation.results ?? []).map(({ text }) => shortenText({ head: text, cap: mostShown }).text),
    ...(reward === 0 ? [] : [`reward ${reward.toFixed(2)}`]),
    ...(thought === undefined ? [] : [`(${thought})`]),
  ];
  return `${String(index + 1).padStart(3)}  ${parts.join('  ')}`;
}
