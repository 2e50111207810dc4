import { parse } from 'csv-parse/sync';
import type { Template } from '../family/machine/template.js';
import { pointAt, click, hotkey, isWindowInFront, turnWhen, turn, type, wait } from '../family/machine/turns.js';
import { calcReady, calcTemplate, goToCell, openInCalc, withRetry, save, savedSheets } from './calcApp.js';
import { drawTable, matches } from './calcTable.js';
import { columnName, textsOf } from './spreadsheet.js';

const { screen } = calcTemplate;

const markRow = (row: number) => [...goToCell(`A${row}`), hotkey('shift space')];

const sortButton = { ascending: pointAt(574, 52, screen), descending: pointAt(599, 52, screen) };

const sort: Template = {
  ...calcTemplate,
  name: 'calc.sort',
  description: 'Sort the rows of a table by one of its columns.',
  draw(cast) {
    const drawn = drawTable(cast, { rows: [5, 10], columns: 2 });
    const column = cast.between(0, 2);
    const order = cast.pick(['ascending', 'descending'] as const);
    const sign = order === 'ascending' ? 1 : -1;
    const sorted = drawn.rows.toSorted((a, b) => {
      const [left = '', right = ''] = [a[column], b[column]];
      return sign * (left < right ? -1 : 1);
    });
    // About one table in a thousand is drawn sorted.
    const isDone = drawn.rows.every((row, index) => row === sorted[index]);
    const table = isDone ? { ...drawn, rows: drawn.rows.toReversed() } : drawn;
    const heading = table.heads[column] ?? '';
    return {
      instruction: cast.say(
        {
          both: [
            'Sort the rows by "{heading}" in {order} order, keeping the headings on top, and save the file.',
            'Bring the table into {order} order of "{heading}", then save.',
            '按“{heading}”{zh}排列表格的各行（标题行保持在最上面），然后保存。',
          ],
          heldOut: ['The rows should stand in {order} order by "{heading}", each whole. Sort them and save.'],
        },
        { heading, order, zh: order === 'ascending' ? '升序' : '降序' },
      ),
      difficulty: 2,
      ...openInCalc(table.file, [{ name: table.sheet, rows: [table.heads, ...table.rows] }]),
      async judge(evidence) {
        const sheet = (await savedSheets(evidence, table.file))?.[0];
        const rows = textsOf(sheet);
        const whole = (each: readonly unknown[]) => each.map(String).join('\t');
        return {
          rows: rows.slice(1).map(whole).toSorted().join('\n') === table.rows.map(whole).toSorted().join('\n'),
          order: matches(sheet, { heads: table.heads, rows: sorted }),
        };
      },
      ...withRetry([
        turnWhen(
          calcReady(table.file),
          turn(
            `Sorting goes by the column that the cursor is in: ${heading}.`,
            ...goToCell(`${columnName(column)}2`),
            click(sortButton[order]),
            wait(0.5),
          ),
        ),
        ...save(),
      ]),
    };
  },
};

const deleteRows: Template = {
  ...calcTemplate,
  name: 'calc.deleteRows',
  description: 'Delete one or two whole rows of a table without leaving a gap.',
  draw(cast) {
    const table = drawTable(cast, { rows: [5, 10], columns: 2 });
    const doomed = cast.shuffle(table.rows).slice(0, cast.between(1, 2));
    const names = doomed.map(([name]) => String(name));
    const remainingRows = table.rows.filter((row) => !doomed.includes(row));
    // From below, so that the rows above keep their numbers.
    const numbers = doomed.map((row) => table.rows.indexOf(row) + 2).sort((a, b) => b - a);
    return {
      instruction: cast.say(
        {
          both: [
            'Delete the rows of {names}, so that no empty rows stay, and save the file.',
            'Remove {names} from the table, the whole row each time, then save.',
            '删除 {names} 所在的整行，不要留下空行，然后保存。',
          ],
          heldOut: ['{names} should be gone from the table without leaving a gap. Delete what belongs to it and save.'],
        },
        { names: names.join(' and ') },
      ),
      difficulty: names.length === 1 ? 2 : 3,
      ...openInCalc(table.file, [{ name: table.sheet, rows: [table.heads, ...table.rows] }]),
      async judge(evidence) {
        const sheet = (await savedSheets(evidence, table.file))?.[0];
        const texts = textsOf(sheet).map(([name]) => name);
        return {
          ...Object.fromEntries(
            names.map((name, index) => [`gone${index + 1}`, sheet !== undefined && !texts.includes(name)]),
          ),
          rest:
            matches(sheet, { heads: table.heads, rows: remainingRows }) && texts.length === remainingRows.length + 1,
        };
      },
      ...withRetry([
        ...numbers.map((row, index) =>
          turnWhen(
            calcReady(table.file),
            turn(`Row ${row} goes${index > 0 ? ', too' : ''}.`, ...markRow(row), hotkey('ctrl -'), wait(0.5)),
          ),
        ),
        ...save(),
      ]),
    };
  },
};

const renameSheet: Template = {
  ...calcTemplate,
  name: 'calc.renameSheet',
  description: 'Rename a sheet.',
  draw(cast) {
    const table = drawTable(cast, { rows: [3, 6], columns: 1 });
    const otherSheet = cast.name();
    const name = cast.name();
    const rows = [table.heads, ...table.rows];
    return {
      instruction: cast.say(
        {
          both: [
            'Rename the sheet "{old}" to "{name}" and save the file.',
            'Give the sheet "{old}" the name "{name}", then save.',
            '把工作表“{old}”重命名为“{name}”，然后保存。',
          ],
          heldOut: ['The tab "{old}" should read "{name}" instead. Change it and save.'],
        },
        { old: table.sheet, name },
      ),
      difficulty: 2,
      ...openInCalc(table.file, [
        { name: table.sheet, rows },
        { name: otherSheet, rows: [] },
      ]),
      async judge(evidence) {
        const sheets = await savedSheets(evidence, table.file);
        return {
          name: sheets?.[0]?.name === name,
          rest: sheets?.length === 2 && sheets[1]?.name === otherSheet && matches(sheets[0], table),
        };
      },
      ...withRetry([
        turnWhen(
          calcReady(table.file),
          turn('The name is on the tab below.', { type: 'double_click', point: pointAt(149, 608, screen) }, wait(1.5)),
        ),
        turn('Write the new name.', hotkey('ctrl a'), type(`${name}\n`), wait(0.5)),
        ...save(),
      ]),
    };
  },
};

const bold: Template = {
  ...calcTemplate,
  name: 'calc.bold',
  description: 'Make the headings of a table, or one of its rows, bold.',
  draw(cast) {
    const table = drawTable(cast, { rows: [4, 8], columns: 2 });
    const heads = cast.random.chance(0.5);
    const name = String(cast.pick(table.rows)[0]);
    const row = heads ? 1 : table.rows.findIndex(([first]) => first === name) + 2;
    return {
      instruction: heads
        ? cast.say({
            both: [
              'Make the headings in the first row bold and save the file.',
              'Set row 1 in bold, nothing else, then save.',
              '把第一行的标题设为粗体，然后保存。',
            ],
            heldOut: ['The headings should stand out: make them bold. Save the file.'],
          })
        : cast.say(
            {
              both: [
                'Make the row of {name} bold, all three cells, and save the file.',
                'Set everything in the row of {name} in bold, then save.',
                '把 {name} 这一行设为粗体，然后保存。',
              ],
              heldOut: ['{name} should stand out: make the whole row bold. Save the file.'],
            },
            { name },
          ),
      difficulty: 2,
      ...openInCalc(table.file, [{ name: table.sheet, rows: [table.heads, ...table.rows] }]),
      async judge(evidence) {
        const sheet = (await savedSheets(evidence, table.file))?.[0];
        const isBold = (number: number) => sheet?.rows[number - 1]?.map((cell) => cell.bold) ?? [];
        const others = table.rows
          .map((_, index) => index + 1)
          .concat(table.rows.length + 1)
          .filter((number) => number !== row);
        return {
          bold: isBold(row).length === 3 && isBold(row).every(Boolean),
          rest: matches(sheet, table) && !others.some((number) => isBold(number).includes(true)),
        };
      },
      ...withRetry([
        turnWhen(calcReady(table.file), turn(`Mark row ${row}.`, ...markRow(row))),
        turn('Make it bold.', hotkey('ctrl b'), wait(0.4)),
        ...save(),
      ]),
    };
  },
};

const transfer: Template = {
  ...calcTemplate,
  name: 'calc.transfer',
  description: 'Look up a number on one sheet and enter it on another.',
  draw(cast) {
    const table = drawTable(cast, { rows: [6, 12], columns: 1 });
    const second = cast.name();
    const [name = '', value = 0] = cast.pick(table.rows);
    const row = cast.between(2, 5);
    return {
      instruction: cast.say(
        {
          both: [
            'Look up {name} on the sheet "{first}" and write its "{column}" into cell B{row} of the sheet "{second}". Save the file.',
            'The "{column}" of {name} (sheet "{first}") belongs into B{row} on the sheet "{second}". Enter it there and save.',
            '在工作表“{first}”中找到 {name} 的“{column}”，写入工作表“{second}”的单元格 B{row}，然后保存。',
          ],
          heldOut: [
            'B{row} of "{second}" should show what "{first}" gives as "{column}" for {name}. Fill it in and save.',
          ],
        },
        { name, first: table.sheet, second, column: table.heads[1] ?? '', row },
      ),
      difficulty: 3,
      ...openInCalc(table.file, [
        { name: table.sheet, rows: [table.heads, ...table.rows] },
        { name: second, rows: [['', table.heads[1] ?? '']] },
      ]),
      async judge(evidence) {
        const sheets = await savedSheets(evidence, table.file);
        return {
          value: sheets?.[1]?.name === second && sheets[1].rows[row - 1]?.[1]?.value === value,
          rest: sheets?.length === 2 && matches(sheets[0], table),
        };
      },
      ...withRetry([
        turnWhen(
          calcReady(table.file),
          turn(`${name} has ${value}. The other sheet is the next one.`, hotkey('ctrl pagedown'), wait(0.5)),
        ),
        turn(`Write it into B${row}.`, ...goToCell(`B${row}`), type(`${value}\n`), wait(0.3)),
        ...save(),
      ]),
    };
  },
};

const exportCsv: Template = {
  ...calcTemplate,
  name: 'calc.exportCsv',
  description: 'Save a sheet as a CSV file under another name.',
  draw(cast) {
    const table = drawTable(cast, { rows: [3, 8], columns: 2 });
    const name = cast.letters();
    return {
      instruction: cast.say(
        {
          both: [
            'Save a copy of this table as a CSV file with the name {name}.csv in the home folder.',
            'Export the sheet as {name}.csv (text, separated by commas), beside the file that is open.',
            '把这个表格另存为 CSV 文件 {name}.csv，放在主文件夹中。',
          ],
          heldOut: [
            'Another program needs this table as comma separated text: save it as {name}.csv in the home folder.',
          ],
        },
        { name },
      ),
      difficulty: 3,
      ...openInCalc(table.file, [{ name: table.sheet, rows: [table.heads, ...table.rows] }]),
      async judge(evidence) {
        const text = await evidence.text(`${name}.csv`);
        const expectedRows = [table.heads, ...table.rows].map((row) => row.map(String));
        return {
          file: text !== undefined,
          rows: text !== undefined && JSON.stringify(csvRows(text)) === JSON.stringify(expectedRows),
        };
      },
      script: [
        turnWhen(calcReady(table.file), turn('Save it under another name.', hotkey('ctrl shift s'), wait(1))),
        turnWhen(
          isWindowInFront('Save'),
          turn(
            'It is to be CSV, by the name that is asked for.',
            hotkey('alt t'),
            type('Text CSV'),
            wait(0.3),
            hotkey('alt n'),
            hotkey('ctrl a'),
            type(`${name}.csv\n`),
            wait(1),
          ),
        ),
        turnWhen(isWindowInFront('Export'), turn('Commas between the fields are right.', hotkey('enter'), wait(0.5))),
      ],
    };
  },
};

/** Parses comma-separated values; undefined if malformed. */
function csvRows(text: string): string[][] | undefined {
  try {
    return parse(text, { bom: true, relax_column_count: true });
  } catch {
    return undefined;
  }
}

export const sheetTemplates: readonly Template[] = [sort, deleteRows, renameSheet, bold, transfer, exportCsv];
