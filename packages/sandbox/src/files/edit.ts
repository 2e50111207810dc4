import { GyreError } from '@gyre/protocol';
import { linesOf } from './text.js';

export type Edit =
  /** Occurs exactly once. */
  | { readonly replace: string; readonly with: string }
  /** Line counted from 1; 0 is the start. */
  | { readonly insert: string; readonly afterLine: number };

export interface Edited {
  readonly text: string;
  /** First new line, from 1. */
  readonly line: number;
}

/** Throws `bad_input` with the number and lines of occurrences. */
export function edited(text: string, edit: Edit): Edited {
  return 'replace' in edit ? replaced(text, edit.replace, edit.with) : inserted(text, edit.insert, edit.afterLine);
}

function replaced(text: string, old: string, replacement: string): Edited {
  if (old === '') {
    throw new GyreError('bad_input', 'the string to replace is empty', {
      field: 'replace',
      fix: 'pass the string to replace, or insert lines',
    });
  }
  const occurrences: number[] = [];
  for (let index = text.indexOf(old); index >= 0; index = text.indexOf(old, index + 1)) occurrences.push(index);
  const [index] = occurrences;
  if (index === undefined) {
    const loose = (part: string): string => part.replace(/\s+/g, ' ').trim();
    const near = loose(old) !== '' && loose(text).includes(loose(old));
    throw new GyreError('bad_input', 'the string to replace does not occur', {
      field: 'replace',
      fix: near ? 'it occurs with different whitespace: copy it exactly' : 'read the file and copy the string from it',
    });
  }
  if (occurrences.length > 1) {
    const lines = occurrences.slice(0, 10).map((at) => lineAt(text, at));
    const more = occurrences.length > lines.length ? ', …' : '';
    throw new GyreError(
      'bad_input',
      `the string to replace occurs ${occurrences.length} times: lines ${lines.join(', ')}${more}`,
      {
        field: 'replace',
        fix: 'include more of the surrounding text, so that it occurs once',
      },
    );
  }
  return { text: text.slice(0, index) + replacement + text.slice(index + old.length), line: lineAt(text, index) };
}

function inserted(text: string, insert: string, afterLine: number): Edited {
  const lines = linesOf(text);
  if (!Number.isInteger(afterLine) || afterLine < 0 || afterLine > lines.length) {
    throw new GyreError('bad_input', `there is no line ${afterLine}`, {
      field: 'afterLine',
      fix: `use a line from 0 to ${lines.length}`,
    });
  }
  const before = lines.slice(0, afterLine).join('');
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  const end = insert.endsWith('\n') || (afterLine === lines.length && !text.endsWith('\n')) ? '' : '\n';
  return { text: before + gap + insert + end + lines.slice(afterLine).join(''), line: afterLine + 1 };
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let next = text.indexOf('\n'); next >= 0 && next < index; next = text.indexOf('\n', next + 1)) line += 1;
  return line;
}
