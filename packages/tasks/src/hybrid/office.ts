import { calcReady, calcTemplate, goToCell, openInCalc, withRetry, save, savedSheets } from '../desktop/calcApp.js';
import { drawTable, matches } from '../desktop/calcTable.js';
import { launchEditor, editorReady, editorTemplate, fileOf, hasLines, saveTurns } from '../desktop/editorApp.js';
import { cellAt } from '../desktop/spreadsheet.js';
import type { Template } from '../family/machine/template.js';
import { hotkey, turnWhen, turn, type, wait } from '../family/machine/turns.js';
import { commandTurn } from './hybridTemplate.js';

/** Templates with an open application and a shell. */

const surfaces = ['screen', 'shell', 'files'] as const satisfies Template['surfaces'];

const sheetTotal: Template = {
  ...calcTemplate,
  surfaces,
  name: 'hybrid.sheetTotal',
  description: 'Add up the numbers of many files in the shell and enter the sum in the open spreadsheet.',
  draw(cast) {
    const table = drawTable(cast, { rows: [2, 4], columns: 1 });
    const folder = cast.letters();
    const name = cast.name();
    const days = Array.from({ length: cast.between(12, 24) }, (_, index) => ({
      file: `day${String(index + 1).padStart(2, '0')}.txt`,
      value: cast.between(10, 400),
    }));
    const total = days.reduce((sum, { value }) => sum + value, 0);
    const row = table.rows.length + 2;
    return {
      instruction: cast.say(
        {
          both: [
            'Add up the numbers in all files of ~/{folder} with the shell. In the spreadsheet, add a row below the last one: {name} and the sum. Save the file.',
            'Each file of ~/{folder} has one number. Enter {name} with their sum as a new last row of the open table, and save it.',
            '用终端把 ~/{folder} 中所有文件里的数字相加，在打开的表格末尾添加一行：{name} 和总和，然后保存。',
          ],
          heldOut: [
            'The table lacks {name}: its number is the sum over the files of ~/{folder}. Compute it, append the row, save.',
          ],
        },
        { folder, name },
      ),
      difficulty: 4,
      ...withFiles(
        openInCalc(table.file, [{ name: table.sheet, rows: [table.heads, ...table.rows] }]),
        Object.fromEntries(days.map(({ file, value }) => [`${folder}/${file}`, `${value}\n`])),
      ),
      async judge(evidence) {
        const sheet = (await savedSheets(evidence, table.file))?.[0];
        return {
          name: cellAt(sheet, `A${row}`).text === name,
          total: cellAt(sheet, `B${row}`).value === total,
          rest: matches(sheet, table),
        };
      },
      ...withRetry([
        commandTurn('Add them up.', `cat ~/${folder}/* | awk '{ sum += $1 } END { print sum }'`),
        turnWhen(
          calcReady(table.file),
          turn(`The sum is ${total}.`, ...goToCell(`A${row}`), type(`${name}\t${total}\n`), wait(0.3)),
        ),
        ...save(),
      ]),
    };
  },
};

const report: Template = {
  ...editorTemplate,
  surfaces,
  name: 'hybrid.report',
  description: 'Find a fact with the shell and write it into the letter open in an editor.',
  draw(cast) {
    const [folder, letter] = [cast.letters(), `${cast.letters()}.txt`];
    const people = cast.words(cast.between(3, 5));
    const hours = people.flatMap((person) =>
      Array.from({ length: cast.between(4, 12) }, () => ({ person, hours: cast.between(1, 9) })),
    );
    const person = cast.pick(people);
    const total = hours.reduce((sum, entry) => sum + (entry.person === person ? entry.hours : 0), 0);
    const lines = [`Dear ${cast.name()},`, `this is how many hours ${person} has worked:`];
    return {
      instruction: cast.say(
        {
          both: [
            'Sum up the hours of {person} in ~/{folder}/hours.csv with the shell, write the number as the last line of the letter that is open, and save the letter.',
            'The open letter ends before the number of hours that {person} worked. ~/{folder}/hours.csv has them: add up, write the sum on a line of its own below, save.',
            '用终端统计 ~/{folder}/hours.csv 中 {person} 的总工时，把数字写在打开的信的最后一行，然后保存。',
          ],
          heldOut: [
            'Complete the letter in the editor: {person} is in ~/{folder}/hours.csv several times, and all hours together go below the last line. Save it.',
          ],
        },
        { person, folder },
      ),
      difficulty: 3,
      files: {
        [letter]: fileOf(lines),
        [`${folder}/hours.csv`]: `${['person,hours', ...cast.shuffle(hours).map((entry) => `${entry.person},${entry.hours}`)].join('\n')}\n`,
      },
      programs: launchEditor(letter),
      async judge(evidence) {
        const text = await evidence.text(letter);
        return {
          hours: hasLines(text, [...lines, String(total)]),
          rest: text?.startsWith(fileOf(lines).trimEnd()) === true,
        };
      },
      script: [
        commandTurn(
          'Add them up.',
          `awk -F, '$1 == "${person}" { sum += $2 } END { print sum }' ~/${folder}/hours.csv`,
        ),
        turnWhen(editorReady, turn('Write it below the letter.', hotkey('ctrl end'), type(`${total}\n`))),
        ...saveTurns,
      ],
      again: saveTurns,
    };
  },
};

function withFiles(
  { files, programs }: ReturnType<typeof openInCalc>,
  more: Readonly<Record<string, string>>,
): ReturnType<typeof openInCalc> {
  return { files: { ...files, ...more }, programs };
}

export const officeTemplates: readonly Template[] = [sheetTotal, report];
