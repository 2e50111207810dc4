import { shownText } from '@gyre/protocol';

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
