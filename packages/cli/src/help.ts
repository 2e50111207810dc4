import { styleText } from 'node:util';
import type { HelpConfiguration } from 'commander';

export const helpColumns = 100;

const bold = (text: string) => styleText('bold', text);
const cyan = (text: string) => styleText('cyan', text);

export const helpConfiguration: HelpConfiguration = {
  helpWidth: Math.min(process.stdout.columns || helpColumns, helpColumns),
  // Hides commander's own `help`.
  visibleCommands: ({ commands }) => [...commands],
  subcommandTerm: (command) => command.name(),
  styleTitle: bold,
  styleSubcommandText: cyan,
  styleOptionText: cyan,
  styleArgumentText: cyan,
};

export const sentence = (summary: string) => `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;

export function exampleText(lines: readonly string[]): string {
  const title = lines.length > 1 ? 'Examples:' : 'Example:';
  return `\n${bold(title)}\n${lines.flatMap(wrapExample).join('\n')}`;
}

function wrapExample(line: string): string[] {
  const rows: string[] = [];
  let row = '  ';
  for (const part of line.split(/ (?=--)/)) {
    const longer = row.trim() === '' ? `${row}${part}` : `${row} ${part}`;
    if (longer.length + 2 <= helpColumns) row = longer;
    else {
      rows.push(`${row} \\`);
      row = `      ${part}`;
    }
  }
  return [...rows, row];
}
