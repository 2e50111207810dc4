import { describeAction, type Turn } from '@gyre/protocol';
import { shortenText } from '@gyre/sandbox';

const maxResultCharacters = 1_000;

export function turnLine({ index, actions, observation, reward, thought }: Turn): string {
  const parts = [
    actions.map(describeAction).join(', ') || 'nothing',
    ...(observation.results ?? []).map(({ text }) => shortenText({ head: text, cap: maxResultCharacters }).text),
    ...(reward === 0 ? [] : [`reward ${reward.toFixed(2)}`]),
    ...(thought === undefined ? [] : [`(${thought})`]),
  ];
  return `${String(index + 1).padStart(3)}  ${parts.join('  ')}`;
}
