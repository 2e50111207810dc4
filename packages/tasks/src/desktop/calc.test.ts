import { describe, expect, it } from 'vitest';
import { expectJudged, type Home, taskWith } from '../family/machine/home.test.support.js';
import { desktopTemplates } from './families.js';
import { range, rowsOf, sheetFile, type Written } from './sheets.test.support.js';
import { cellAt, readSheets } from './spreadsheet.js';

const task = (name: string, pattern: RegExp) => taskWith(desktopTemplates, name, pattern);

/** Changes the sheets of the one spreadsheet of a home, as Calc would save them. */
function resave(
  home: Home,
  file: string,
  change: (rows: Written[][], other: Written[][]) => Written[][],
  names: readonly (string | undefined)[] = [],
): void {
  const bytes = home.bytes(file);
  const [first, second] = [rowsOf(bytes), rowsOf(bytes, 1)];
  const others = second.name === '' ? [] : [{ ...second, name: names[1] ?? second.name }];
  const rows = change(first.rows, second.rows);
  home.write(file, sheetFile([{ name: names[0] ?? first.name, rows }, ...others]));
}

const fileOf = (drawn: { files?: object }) =>
  Object.keys(drawn.files ?? {}).find((path) => path.endsWith('.ods')) ?? '';

describe('spreadsheets', () => {
  it('are read as they were written: texts, numbers, formulas, bold letters, repeated cells', () => {
    const sheets = readSheets(
      sheetFile([
        {
          name: 'A & B',
          rows: [
            ['x', ''],
            [{ bold: 'y' }, { formula: '=SUM([.B1:.B2])', value: 4.5 }],
          ],
        },
      ]),
    );
    expect(sheets).toEqual([
      {
        name: 'A & B',
        rows: [
          [{ text: 'x', value: undefined, formula: undefined, bold: false }],
          [
            { text: 'y', value: undefined, formula: undefined, bold: true },
            { text: '4.5', value: 4.5, formula: '=SUM([.B1:.B2])', bold: false },
          ],
        ],
      },
    ]);
    expect(cellAt(sheets?.[0], 'B2').value).toBe(4.5);
    expect(cellAt(sheets?.[0], 'Z9').text).toBe('');
  });

  it('are none where something else stands in their place', () => {
    expect(readSheets(new Uint8Array([1, 2, 3]))).toBeUndefined();
    expect(readSheets(new TextEncoder().encode('<xml>'))).toBeUndefined();
  });
});

describe('the verifiers of Calc', () => {
  it('take a sum as a formula in its cell alone', async () => {
    const { drawn, groups: said } = task('calc.sum', /sum of the column "(\w+)" into cell ([A-C])(\d+)/);
    const [heading, , row] = said;
    const file = fileOf(drawn);
    const with_ =
      (cell: (rows: Written[][], column: number) => Written, at = Number(row)) =>
      (home: Home) =>
        resave(home, file, (rows) => {
          const column = rows[0]?.indexOf(heading ?? '') ?? 0;
          const more = Array.from({ length: at - rows.length }, (): Written[] => ['', '', '']);
          const all = [...rows, ...more];
          all[at - 1]![column] = cell(rows, column);
          return all;
        });
    const sum = (rows: Written[][], column: number) =>
      rows.slice(1).reduce((all, cells) => all + Number(cells[column]), 0);
    const formula = (rows: Written[][], column: number) => ({
      formula: `=SUM(${range(column, rows.length)})`,
      value: sum(rows, column),
    });
    await expectJudged(drawn, with_(formula), {
      'a number without a formula': with_(sum),
      'another cell': with_(formula, Number(row) + 1),
      'one row too few': with_((rows, column) => ({
        formula: `=SUM(${range(column, rows.length - 1)})`,
        value: sum(rows.slice(0, -1), column),
      })),
      'no file any more': (home) => home.remove(file),
    });
  });

  it('take a corrected number where nothing else has changed', async () => {
    const { drawn, groups: said } = task('calc.correct', /The "(\w+)" of (\w+) is wrong: it should be (\d+)/);
    const [heading = '', name = '', value] = said;
    const file = fileOf(drawn);
    const set = (of: string, to: Written) => (home: Home) =>
      resave(home, file, (rows) => {
        const column = rows[0]?.indexOf(heading) ?? 0;
        return rows.map((row) => (row[0] === of ? row.map((cell, index) => (index === column ? to : cell)) : row));
      });
    const other = String(
      rowsOf(Buffer.from((drawn.files?.[file] as { base64: string }).base64, 'base64')).rows.find(
        ([first], index) => index > 0 && first !== name,
      )?.[0],
    );
    await expectJudged(drawn, set(name, Number(value)), {
      'a text instead of a number': set(name, `${value} `),
      'another row': set(other, Number(value)),
      'another row as well': (home) => {
        set(name, Number(value))(home);
        set(other, Number(value))(home);
      },
      'almost the number': set(name, Number(value) + 1),
    });
  });

  it('take a new last row, whole and in its place', async () => {
    const { drawn, groups: said } = task('calc.enter', /below the last one: (\w+), (\d+) for "\w+" and (\d+)/);
    const [name = '', first, second] = said;
    const file = fileOf(drawn);
    const add =
      (...rows: Written[][]) =>
      (home: Home) =>
        resave(home, file, (old) => [...old, ...rows]);
    await expectJudged(drawn, add([name, Number(first), Number(second)]), {
      'the numbers exchanged': add([name, Number(second), Number(first)]),
      'a row between': add(['', '', ''], [name, Number(first), Number(second)]),
      'in place of the last': (home) =>
        resave(home, file, (old) => [...old.slice(0, -1), [name, Number(first), Number(second)]]),
      'two rows': add([name, Number(first), Number(second)], ['x', 1, 1]),
    });
  });

  it('take products of all rows, as formulas', async () => {
    const { drawn, groups: said } = task('calc.product', /Add a column "(\w+)" in D/);
    const file = fileOf(drawn);
    const fill = (cell: (row: Written[], index: number) => Written) => (home: Home) =>
      resave(home, file, (rows) =>
        rows.map((row, index) => [...row, index === 0 ? (said[0] ?? '') : cell(row, index)]),
      );
    const product = (row: Written[]) => Number(row[1]) * Number(row[2]);
    const formula = (row: Written[], index: number) => ({
      formula: `=[.B${index + 1}]*[.C${index + 1}]`,
      value: product(row),
    });
    await expectJudged(drawn, fill(formula), {
      'numbers without formulas': fill(product),
      'sums instead': fill((row, index) => ({ ...formula(row, index), value: Number(row[1]) + Number(row[2]) })),
      'one row left out': fill((row, index) => (index === 1 ? '' : formula(row, index))),
    });
  });

  it('take rows in their order, each whole, below the headings', async () => {
    const { drawn, groups: said } = task('calc.sort', /Sort the rows by "(\w+)" in (ascending|descending) order/);
    const file = fileOf(drawn);
    const [heading = '', order] = said;
    const sort = (rows: Written[][], sign: number, from = 1) => {
      const column = rows[0]?.indexOf(heading) ?? 0;
      const less = (a: Written[], b: Written[]) => ((a[column] ?? 0) < (b[column] ?? 0) ? -1 : 1);
      return [...rows.slice(0, from), ...rows.slice(from).sort((a, b) => sign * less(a, b))];
    };
    const sign = order === 'ascending' ? 1 : -1;
    await expectJudged(drawn, (home) => resave(home, file, (rows) => sort(rows, sign)), {
      'the other order': (home) => resave(home, file, (rows) => sort(rows, -sign)),
      'the column alone': (home) =>
        resave(home, file, (rows) => {
          const [column, sorted] = [rows[0]?.indexOf(heading) ?? 0, sort(rows, sign)];
          return rows.map((row, index) => row.map((cell, at) => (at === column ? (sorted[index]?.[at] ?? '') : cell)));
        }),
      'the headings too': (home) =>
        resave(home, file, (rows) =>
          sort([['', '', ''], ...rows], sign)
            .slice(1)
            .reverse(),
        ),
    });
  });

  it('take rows that are gone without a gap', async () => {
    const { drawn, groups: said } = task('calc.deleteRows', /Delete the rows of (\w+),/);
    const file = fileOf(drawn);
    const without = (change: (row: Written[]) => Written[][]) => (home: Home) =>
      resave(home, file, (rows) => rows.flatMap((row) => (row[0] === said[0] ? change(row) : [row])));
    await expectJudged(
      drawn,
      without(() => []),
      {
        'a gap': without(() => [['', '', '']]),
        'the name alone': without((row) => [['', ...row.slice(1)]]),
        'another row too': (home) => {
          without(() => [])(home);
          resave(home, file, (rows) => rows.slice(0, -1));
        },
      },
    );
  });

  it('take a sheet that has its new name', async () => {
    const { drawn, groups: said } = task('calc.renameSheet', /Rename the sheet "(\w+)" to "(\w+)"/);
    const file = fileOf(drawn);
    const [old, name] = said;
    await expectJudged(drawn, (home) => resave(home, file, (rows) => rows, [name]), {
      'the other sheet': (home) => resave(home, file, (rows) => rows, [old, name]),
      'small letters': (home) => resave(home, file, (rows) => rows, [name?.toLowerCase()]),
      'an empty sheet of the name': (home) => resave(home, file, () => [], [name]),
    });
  });

  it('take what is bold where the rest is not', async () => {
    const { drawn, groups: said } = task('calc.bold', /Make the row of (\w+) bold/);
    const file = fileOf(drawn);
    const embolden = (which: (row: Written[], index: number) => boolean) => (home: Home) =>
      resave(home, file, (rows) =>
        rows.map((row) => row.map((cell, index) => (which(row, index) ? { bold: cell as string } : cell))),
      );
    await expectJudged(
      drawn,
      embolden(([first]) => first === said[0]),
      {
        'the first cell alone': embolden(([first], index) => first === said[0] && index === 0),
        everything: embolden(() => true),
        'another row': embolden(([first]) => first !== said[0]),
      },
    );
  });

  it('take a number on the other sheet', async () => {
    const { drawn, groups: said } = task('calc.transfer', /Look up (\w+) on the sheet .* into cell B(\d)/);
    const file = fileOf(drawn);
    const put = (sheet: 0 | 1, row: number, value: (right: number) => Written) => (home: Home) => {
      const bytes = home.bytes(file);
      const [first, second] = [rowsOf(bytes), rowsOf(bytes, 1)];
      const right = Number(first.rows.find(([name]) => name === said[0])?.[1]);
      const target = [first, second][sheet]!;
      const rows = [...target.rows, ...Array.from({ length: 6 }, (): Written[] => ['', ''])];
      rows[row - 1] = [rows[row - 1]?.[0] ?? '', value(right)];
      home.write(file, sheetFile([first, second].map((each) => (each === target ? { ...each, rows } : each))));
    };
    const row = Number(said[1]);
    await expectJudged(
      drawn,
      put(1, row, (value) => value),
      {
        'one row below': put(1, row + 1, (value) => value),
        'another number': put(1, row, (value) => value + 1),
        'on the first sheet': put(0, row + 20, (value) => value),
      },
    );
  });

  it('take a file of comma separated values, row by row', async () => {
    const { drawn, groups: said } = task('calc.exportCsv', /the name (\w+)\.csv/);
    const file = fileOf(drawn);
    const save = (as: string, write: (rows: (string | number)[][]) => string) => (home: Home) =>
      home.write(as, write(rowsOf(home.bytes(file)).rows));
    const csv = (by: string) => (rows: (string | number)[][]) => `${rows.map((row) => row.join(by)).join('\n')}\n`;
    await expectJudged(drawn, save(`${said[0]}.csv`, csv(',')), {
      semicolons: save(`${said[0]}.csv`, csv(';')),
      'another name': save('other.csv', csv(',')),
      'without headings': save(`${said[0]}.csv`, (rows) => csv(',')(rows.slice(1))),
      'the spreadsheet under that name': (home) => home.write(`${said[0]}.csv`, home.bytes(file)),
    });
  });

  it('take the right answer alone', async () => {
    const { drawn, groups: said } = task('calc.highest', /Which entry has the (lowest|highest) "/);
    const rows = rowsOf(Buffer.from((drawn.files?.[fileOf(drawn)] as { base64: string }).base64, 'base64')).rows.slice(
      1,
    );
    const sorted = rows.sort((a, b) => Number(a[1]) - Number(b[1]));
    const at = (index: number) => String(sorted.at(index)?.[0]);
    const [right, wrong] = said[0] === 'lowest' ? [at(0), at(-1)] : [at(-1), at(0)];
    const answer = (text: string) => (home: Home) => void (home.answer = text);
    await expectJudged(drawn, answer(` ${right.toLowerCase()} `), {
      'the other end': answer(wrong),
      'two names': answer(`${right} ${wrong}`),
      nothing: answer(''),
    });
  });

  it('take averages and extremes as formulas', async () => {
    const { drawn, groups: said } = task(
      'calc.statistic',
      /Put the largest value of the column "(\w+)" into cell ([A-C])(\d+)/,
    );
    const file = fileOf(drawn);
    const put = (cell: (values: number[], column: number) => Written) => (home: Home) =>
      resave(home, file, (rows) => {
        const column = rows[0]?.indexOf(said[0] ?? '') ?? 0;
        const all = [...rows, ...Array.from({ length: Number(said[2]) - rows.length }, (): Written[] => ['', '', ''])];
        all.at(-1)![column] = cell(
          rows.slice(1).map((row) => Number(row[column])),
          column,
        );
        return all;
      });
    const last = 9;
    await expectJudged(
      drawn,
      put((values, column) => ({ formula: `=MAX(${range(column, last)})`, value: Math.max(...values) })),
      {
        'the smallest': put((values, column) => ({
          formula: `=MIN(${range(column, last)})`,
          value: Math.min(...values),
        })),
        'no formula': put((values) => Math.max(...values)),
      },
    );
  });
});
