import { type Family, type Interval, percent, signed } from '@gyre/studio';
import { table } from './table.js';

export function resultTable(
  families: readonly Pick<Family, 'family' | 'n' | 'random' | 'start' | 'trained' | 'oracle' | 'gain'>[],
  gain: Family['gain'],
): string[] {
  const rows = families.map(({ family, n, random, start, trained, oracle, gain: familyGain }) => [
    family,
    String(n),
    ...[random, start, trained].map(share),
    signed(familyGain),
    share(oracle),
  ]);
  const meanOf = (policy: 'random' | 'start' | 'trained' | 'oracle'): string =>
    `${percent(families.reduce((sum, family) => sum + family[policy].success, 0) / families.length)} %`;
  const episodes = String(families.reduce((sum, { n }) => sum + n, 0));
  const mean = [
    'mean',
    episodes,
    ...(['random', 'start', 'trained'] as const).map(meanOf),
    signed(gain),
    meanOf('oracle'),
  ];
  return table(
    ['family', 'episodes', 'random', 'start', 'trained', 'gain', 'oracle'],
    families.length > 1 ? [...rows, mean] : rows,
  );
}

/** Formats `74 % (70–78)`. */
export function share({ success, low, high }: Interval): string {
  return `${percent(success)} % (${percent(low)}–${percent(high)})`;
}
