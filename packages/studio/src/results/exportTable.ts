/** Rows of text, of which the first is the header. */
export type TextTable = readonly (readonly string[])[];

export const exportFormats = ['md', 'csv', 'tex'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Writes a table as Markdown (GitHub's), CSV (RFC 4180) or LaTeX (booktabs). */
export function exportTable(table: TextTable, format: ExportFormat): string {
  return { md: markdown, csv, tex: latex }[format](table);
}

function markdown([header = [], ...rows]: TextTable): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')).join(' | ')} |`;
  const rule = header.map((_, i) => (i === 0 ? '---' : '---:'));
  return `${[header, rule, ...rows].map(line).join('\n')}\n`;
}

function csv(table: TextTable): string {
  const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return table.map((row) => `${row.map(quoted).join(',')}\r\n`).join('');
}

const special: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '^': '\\textasciicircum{}',
  '~': '\\textasciitilde{}',
  '–': '--',
  '−': '$-$',
  '→': '$\\to$',
  '·': '$\\cdot$',
};

function latex([header = [], ...rows]: TextTable): string {
  const escaped = (cell: string): string =>
    cell.replaceAll(/\s+/g, ' ').replace(/[\\^~–−→·#$%&_{}]/g, (character) => special[character] ?? `\\${character}`);
  const line = (cells: readonly string[]): string => `${cells.map(escaped).join(' & ')} \\\\`;
  return [
    `\\begin{tabular}{l${'r'.repeat(Math.max(0, header.length - 1))}}`,
    '\\toprule',
    line(header),
    '\\midrule',
    ...rows.map(line),
    '\\bottomrule',
    '\\end{tabular}',
    '',
  ].join('\n');
}
