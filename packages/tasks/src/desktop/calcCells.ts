import type { Cast } from '../family/machine/cast.js';
import type { Template } from '../family/machine/template.js';
import { hotkey, turnWhen, turn, type, wait } from '../family/machine/turns.js';
import { calcReady, calcTemplate, goToCell, openInCalc, withRetry, save, savedSheets } from './calcApp.js';
import { drawTable, matches, type Table } from './calcTable.js';
import { cellAt, columnName } from './spreadsheet.js';

const solvedBy = (file: string, thought: string, place: string, text: string) =>
  withRetry([turnWhen(calcReady(file), turn(thought, ...goToCell(place), type(text), wait(0.3))), ...save()]);

const statistics = [
  { name: 'AVERAGE', en: 'average', zh: '平均值', compute: (all: readonly number[]) => sumOf(all) / all.length },
  { name: 'MAX', en: 'largest value', zh: '最大值', compute: (all: readonly number[]) => Math.max(...all) },
  { name: 'MIN', en: 'smallest value', zh: '最小值', compute: (all: readonly number[]) => Math.min(...all) },
] as const;

const sumOf = (all: readonly number[]) => all.reduce((sum, value) => sum + value, 0);

function drawFormula(
  cast: Cast,
  { name, en, zh, compute }: { name: string; en: string; zh: string; compute: (all: readonly number[]) => number },
  difficulty: 1 | 2,
) {
  const table = drawTable(cast, { rows: [4, 7], columns: 2 });
  const column = cast.between(1, 2);
  const place = `${columnName(column)}${table.rows.length + cast.between(2, 3)}`;
  const expectedValue = compute(table.rows.map((row) => Number(row[column])));
  const slots = { column: table.heads[column] ?? '', place, en, zh, file: table.file };
  return {
    instruction: cast.say(
      {
        both: [
          'Put the {en} of the column "{column}" into cell {place} with a formula, then save the file.',
          'In {place}, calculate the {en} of "{column}" by a formula and save.',
          '用公式在单元格 {place} 中计算“{column}”列的{zh}，然后保存文件。',
        ],
        heldOut: [
          'Cell {place} of {file} should hold a formula for the {en} of everything under "{column}". Save it afterwards.',
          '请在 {place} 里写一个公式，求出“{column}”这一列的{zh}，并保存。',
        ],
      },
      slots,
    ),
    difficulty,
    ...openInCalc(table.file, [{ name: table.sheet, rows: [table.heads, ...table.rows] }]),
    judge: async (evidence: Parameters<typeof savedSheets>[0]) => {
      const sheet = (await savedSheets(evidence, table.file))?.[0];
      const cell = cellAt(sheet, place);
      return {
        value: cell.value !== undefined && Math.abs(cell.value - expectedValue) < 1e-6,
        formula: cell.formula?.includes(`.${columnName(column)}`) === true,
        rest: matches(sheet, table),
      };
    },
    ...solvedBy(
      table.file,
      `The ${en} of ${table.heads[column]} goes into ${place}.`,
      place,
      `=${name}(${columnName(column)}2:${columnName(column)}${table.rows.length + 1})\n`,
    ),
  };
}

const sum: Template = {
  ...calcTemplate,
  name: 'calc.sum',
  description: 'Enter a formula for the sum of a column in a spreadsheet cell.',
  draw: (cast) => drawFormula(cast, { name: 'SUM', en: 'sum', zh: '总和', compute: sumOf }, 1),
};

const statistic: Template = {
  ...calcTemplate,
  name: 'calc.statistic',
  description: 'Enter a formula for the average, maximum or minimum of a column in a cell.',
  draw: (cast) => drawFormula(cast, cast.pick(statistics), 2),
};

const rowOf = ({ rows }: Table, name: string) => rows.findIndex((row) => row[0] === name) + 2;

const correct: Template = {
  ...calcTemplate,
  name: 'calc.correct',
  description: 'Correct a number in a spreadsheet.',
  draw(cast) {
    const table = drawTable(cast, { rows: [5, 12], columns: cast.between(1, 3) });
    const row = cast.pick(table.rows);
    const column = cast.between(1, table.heads.length - 1);
    const value = cast.number(100, 9_999);
    const name = String(row[0]);
    const place = `${columnName(column)}${rowOf(table, name)}`;
    const right = table.rows.map((each) =>
      each === row ? each.map((old, index) => (index === column ? value : old)) : each,
    );
    return {
      instruction: cast.say(
        {
          both: [
            'The "{column}" of {name} is wrong: it should be {value}. Correct it and save the file.',
            'Change "{column}" of {name} to {value}, then save.',
            '{name} 的“{column}”有误，应为 {value}。请改正并保存文件。',
          ],
          heldOut: [
            'Somebody mistyped "{column}" for {name}. Set it to {value} and save.',
            '把 {name} 的“{column}”改成 {value}，改完保存。',
          ],
        },
        { column: table.heads[column] ?? '', name, value },
      ),
      difficulty: 1,
      ...openInCalc(table.file, [{ name: table.sheet, rows: [table.heads, ...table.rows] }]),
      async judge(evidence) {
        const sheet = (await savedSheets(evidence, table.file))?.[0];
        return {
          value: cellAt(sheet, place).value === value,
          rest: matches(sheet, { ...table, rows: right }, [place]),
        };
      },
      ...solvedBy(
        table.file,
        `${name} stands in row ${rowOf(table, name)}; the value goes into ${place}.`,
        place,
        `${value}\n`,
      ),
    };
  },
};

const enter: Template = {
  ...calcTemplate,
  name: 'calc.enter',
  description: 'Append a row to a table in a spreadsheet.',
  draw(cast) {
    const table = drawTable(cast, { rows: [3, 7], columns: 2 });
    const added = [cast.name(), cast.number(100, 9_999), cast.number(100, 9_999)];
    const last = table.rows.length + 2;
    const [name = '', first = 0, second = 0] = added;
    return {
      instruction: cast.say(
        {
          both: [
            'Add a row below the last one: {name}, {a} for "{heading}" and {b} for "{other}". Save the file.',
            'Enter {name} with "{heading}" {a} and "{other}" {b} as a new last row of the table, then save.',
            '在表格末尾添加一行：{name}，“{heading}”为 {a}，“{other}”为 {b}。然后保存。',
          ],
          heldOut: [
            '{name} is missing. Append it to the table, with {a} under "{heading}" and {b} under "{other}", and save.',
          ],
        },
        { name, a: first, b: second, heading: table.heads[1] ?? '', other: table.heads[2] ?? '' },
      ),
      difficulty: 2,
      ...openInCalc(table.file, [{ name: table.sheet, rows: [table.heads, ...table.rows] }]),
      async judge(evidence) {
        const sheet = (await savedSheets(evidence, table.file))?.[0];
        return {
          name: cellAt(sheet, `A${last}`).text === name,
          first: cellAt(sheet, `B${last}`).value === first,
          second: cellAt(sheet, `C${last}`).value === second,
          rest: matches(sheet, table) && sheet?.rows.length !== undefined && sheet.rows.length <= last,
        };
      },
      ...solvedBy(table.file, `The table ends in row ${last - 1}.`, `A${last}`, `${name}\t${first}\t${second}\n`),
    };
  },
};

const product: Template = {
  ...calcTemplate,
  name: 'calc.product',
  description: 'Fill a column with the product of two others, row by row.',
  draw(cast) {
    const table = drawTable(cast, { rows: [3, 6], columns: 2 });
    const heading = cast.name();
    const [, first = '', second = ''] = table.heads;
    const rows = table.rows.map((_, index) => index + 2);
    return {
      instruction: cast.say(
        {
          both: [
            'Add a column "{heading}" in D: in each row "{first}" times "{second}", by a formula. Save the file.',
            'Write "{heading}" into D1 and below it, for every row, a formula that multiplies "{first}" by "{second}". Then save.',
            '在 D 列添加“{heading}”：每一行用公式计算“{first}”乘以“{second}”，然后保存。',
          ],
          heldOut: [
            'Column D is to be called "{heading}" and to give the product of "{first}" and "{second}" of its row, as a formula. Save it.',
          ],
        },
        { heading, first, second },
      ),
      difficulty: 3,
      ...openInCalc(table.file, [{ name: table.sheet, rows: [table.heads, ...table.rows] }]),
      async judge(evidence) {
        const sheet = (await savedSheets(evidence, table.file))?.[0];
        const products = table.rows.map((row) => Number(row[1]) * Number(row[2]));
        return {
          heading: cellAt(sheet, 'D1').text === heading,
          values: rows.every((row, index) => cellAt(sheet, `D${row}`).value === products[index]),
          formulas: rows.every((row) => cellAt(sheet, `D${row}`).formula !== undefined),
          rest: matches(sheet, table),
        };
      },
      ...solvedBy(
        table.file,
        'The heading first, then one formula for each row.',
        'D1',
        `${[heading, ...rows.map((row) => `=B${row}*C${row}`)].join('\n')}\n`,
      ),
    };
  },
};

const highest: Template = {
  ...calcTemplate,
  name: 'calc.highest',
  description: 'Find the row of a long table with the highest or lowest number, and report its name.',
  draw(cast) {
    const table = drawTable(cast, { rows: [26, 34], columns: 1 });
    const lowest = cast.random.chance(0.5);
    const values = table.rows.map((row) => Number(row[1]));
    const expectedName = table.rows[values.indexOf(lowest ? Math.min(...values) : Math.max(...values))]?.[0] as string;
    const slots = { column: table.heads[1] ?? '', en: lowest ? 'lowest' : 'highest', zh: lowest ? '最小' : '最大' };
    return {
      instruction: cast.say(
        {
          both: [
            'Which entry has the {en} "{column}"? Answer with its name.',
            'Find the row with the {en} "{column}" and give the name in its first column as the answer.',
            '哪一行的“{column}”{zh}？请回答它的名称。',
          ],
          heldOut: ['Look for the {en} number under "{column}". Whose is it? Answer with the name.'],
        },
        slots,
      ),
      difficulty: 2,
      ...openInCalc(table.file, [{ name: table.sheet, rows: [table.heads, ...table.rows] }]),
      judge: ({ answer }) => Promise.resolve({ answer: answer?.trim().toLowerCase() === expectedName.toLowerCase() }),
      script: [
        turnWhen(calcReady(table.file), turn('The table may go on below.', hotkey('ctrl end'), wait(0.3))),
        {
          thought: `${expectedName} has the ${slots.en} ${slots.column}.`,
          actions: [{ type: 'finished', answer: expectedName }],
        },
      ],
    };
  },
};

export const cellTemplates: readonly Template[] = [sum, statistic, correct, enter, product, highest];
