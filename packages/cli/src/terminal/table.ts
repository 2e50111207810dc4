import { shownText } from '@gyre/protocol';
import { type Family, type Interval, percent, signed } from '@gyre/studio';

export function table(
  titles: readonly string[],
  body: readonly (readonly string[])[],
  leftAligned: readonly number[] = [0],
): string[] {
  const header = titles.map(shownText);
  const rows = body.map((row) => row.map(shownText));
  const widths = header.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (leftAligned.includes(i) ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join('   ')
      .trimEnd();
  const rule = '─'.repeat(widths.reduce((sum, width) => sum + width + 3, -3));
  return [line(header), rule, ...rows.map(line)];
}

export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(markdownText).join(' | ')} |`;
  return [line(header), line(header.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)];
}

export function markdownText(text: string): string {
  return shownText(text).replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

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
