import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exportTable } from './exportTable.js';

/** Reads CSV by RFC 4180. */
function rowsOf(text: string): string[][] {
  const rows: string[][] = [];
  let [row, cell, quoted]: [string[], string, boolean] = [[], '', false];
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (quoted && character === '"' && text[i + 1] === '"') cell += text[++i]!;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && character === ',') [row, cell] = [[...row, cell], ''];
    else if (!quoted && character === '\r' && text[i + 1] === '\n') {
      rows.push([...row, cell]);
      [row, cell] = [[], ''];
      i++;
    } else cell += character;
  }
  return rows;
}

test('any table survives CSV', () => {
  const cell = fc.oneof(fc.string(), fc.constantFrom('a,b', '"', 'two\r\nlines', '63 % (31–86), n = 8'));
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(table, (rows) => {
      expect(rowsOf(exportTable(rows, 'csv'))).toEqual(rows);
    }),
  );
});

test('Markdown and LaTeX have every cell in its place, and its text means nothing to them', () => {
  const table = [
    ['family', 'a|b'],
    ['x_1 & 50 %', '\\end{tabular}'],
  ];
  expect(exportTable(table, 'md')).toBe('| family | a\\|b |\n| --- | ---: |\n| x_1 & 50 % | \\\\end{tabular} |\n');
  const latex = exportTable(table, 'tex');
  expect(latex).toContain('x\\_1 \\& 50 \\% & \\textbackslash{}end\\{tabular\\} \\\\');
  expect(latex.match(/\\end\{tabular\}/g)).toHaveLength(1);
});
