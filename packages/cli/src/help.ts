import { styleText } from 'node:util';
import type { HelpConfiguration } from 'commander';

/** No line of any help is longer. */
export const helpColumns = 100;

const bold = (text: string) => styleText('bold', text);
const cyan = (text: string) => styleText('cyan', text);

/** How commander prints help. It removes the colours where the output has none, or NO_COLOR is set. */
export const helpConfiguration: HelpConfiguration = {
  helpWidth: Math.min(process.stdout.columns || helpColumns, helpColumns),
  // Without commander's own `help`, which takes a group of its own.
  visibleCommands: ({ commands }) => [...commands],
  subcommandTerm: (command) => command.name(),
  styleTitle: bold,
  styleSubcommandText: cyan,
  styleOptionText: cyan,
  styleArgumentText: cyan,
};

/** Returns a summary as a description. */
export const sentence = (summary: string) => `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;

/** Lines of examples under a title, each cut at its flags to fit. */
export function exampleText(lines: readonly string[]): string {
  const title = lines.length > 1 ? 'Examples:' : 'Example:';
  return `\n${bold(title)}\n${lines.flatMap(fitted).join('\n')}`;
}

function fitted(line: string): string[] {
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
