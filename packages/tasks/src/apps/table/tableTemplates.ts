import type { Draft, Template } from '../appFamily.js';
import { numberOf, shownIn } from './formula.js';
import {
  type TableApp,
  type TableStore,
  deleteRow,
  lastRow,
  letters,
  mark,
  rowsOf,
  setCell,
  sortBy,
} from './tableStore.js';

type TableDraft = Draft<TableApp>;

const full = (store: TableStore): number[] => rowsOf(store).filter((row) => store.cells[`A${row}`]);

const pickRow = ({ random, store }: TableDraft): number => random.pick(full(store));

const nameIn = ({ cells }: TableStore, row: number): string => cells[`A${row}`] ?? '';

const groupsOf = (store: TableStore): string[] => [...new Set(full(store).map((row) => store.cells[`B${row}`] ?? ''))];

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

const numbersIn = (store: TableStore, letter: string): number[] =>
  full(store).map((row) => numberOf(shownIn(store.cells, `${letter}${row}`)) ?? 0);

export const tableTemplates: readonly Template<TableApp>[] = [
  {
    name: 'setCell',
    description: "Enter a number in a person's row.",
    difficulty: 2,
    steps: 3,
    en: [
      'Change {column} of {name} to [value].',
      'Set the cell {column} in the row of {name} to [value].',
      '{name} has [value] in {column}: correct the table.',
    ],
    zh: [
      '把{name}的{column}改为[value]。',
      '将{name}那一行的{column}设为[value]。',
      '{name}的{column}应为[value]，请更正表格。',
    ],
    make(draft) {
      const { store, pen } = draft;
      const row = pickRow(draft);
      const value = pen.number(3, 99);
      return {
        texts: { name: nameIn(store, row), column: store.cells.C1 ?? '', value },
        goal: (aim) => setCell(aim, `C${row}`, String(value)),
      };
    },
  },
  {
    name: 'writeAt',
    description: 'Enter a text in a named cell.',
    difficulty: 1,
    steps: 3,
    en: ['Write {text} into the cell [cell].', 'Enter {text} in [cell].', 'The cell [cell] should say {text}.'],
    zh: ['在单元格[cell]里输入{text}。', '把{text}填入[cell]。', '单元格[cell]应写{text}。'],
    make({ pen, random, store }) {
      const cell = `${random.pick(['A', 'B', 'E'])}${lastRow(store) + random.between(1, 3)}`;
      const text = pen.topic();
      return { texts: { cell, text }, goal: (aim) => setCell(aim, cell, text) };
    },
  },
  {
    name: 'clearCell',
    description: 'Clear a cell.',
    difficulty: 1,
    steps: 3,
    en: ['Empty the cell [cell].', 'Delete what stands in [cell].', 'Nothing should stand in the cell [cell].'],
    zh: ['清空单元格[cell]。', '删除[cell]里的内容。', '单元格[cell]应为空。'],
    make(draft) {
      const cell = `${draft.random.pick(['B', 'C', 'D'])}${pickRow(draft)}`;
      return { texts: { cell }, goal: (aim) => setCell(aim, cell, '') };
    },
  },
  {
    name: 'addRow',
    description: 'Add a row below the others.',
    difficulty: 4,
    steps: 10,
    en: [
      'Add a row for {name} below the others: {group}, [pieces] pieces at [price].',
      'Write {name}, {group}, [pieces] and [price] into the first empty row.',
    ],
    zh: [
      '在最下面为{name}新增一行：{group}，数量[pieces]，单价[price]。',
      '在第一个空行依次填入{name}、{group}、[pieces]和[price]。',
    ],
    make({ pen, random, store }) {
      const row = lastRow(store) + 1;
      const [name, group] = [pen.person(), random.pick(groupsOf(store))];
      const [pieces, price] = [pen.number(3, 99), pen.price() / 100];
      return {
        texts: { name, group, pieces, price },
        goal: (aim) =>
          [name, group, pieces, price].forEach((text, index) => setCell(aim, `${letters[index]}${row}`, String(text))),
      };
    },
  },
  {
    name: 'sum',
    description: 'Compute the sum of a column in a cell.',
    difficulty: 3,
    steps: 3,
    en: [
      'Put the sum of the column {column} into the cell [cell].',
      'Work out the sum of {column} in [cell].',
      'The cell [cell] should show the sum of {column}.',
    ],
    zh: ['在单元格[cell]里计算{column}列的总和。', '用[cell]求{column}的和。', '单元格[cell]应显示{column}列的总和。'],
    make({ random, store }) {
      const letter = random.pick(['C', 'D'] as const);
      const last = lastRow(store);
      const cell = `${letter}${last + random.between(1, 2)}`;
      return {
        texts: { column: store.cells[`${letter}1`] ?? '', cell },
        goal: (aim) => setCell(aim, cell, `=SUM(${letter}2:${letter}${last})`),
      };
    },
  },
  {
    name: 'extreme',
    description: 'Compute the maximum, minimum or average of a column in a cell.',
    difficulty: 3,
    steps: 3,
    heldOut: true,
    en: ['Put the [what] of the column {column} into the cell [cell].', 'Work out the [what] of {column} in [cell].'],
    zh: ['在单元格[cell]里计算{column}列的[what]。', '用[cell]求{column}的[what]。'],
    make({ random, store, language }) {
      const letter = random.pick(['C', 'D'] as const);
      const last = lastRow(store);
      const cell = `E${last + random.between(1, 3)}`;
      const [name, en, zh] = random.pick([
        ['MAX', 'largest number', '最大值'],
        ['MIN', 'smallest number', '最小值'],
        ['AVERAGE', 'average', '平均值'],
      ] as const);
      return {
        texts: { column: store.cells[`${letter}1`] ?? '', cell, what: language === 'en' ? en : zh },
        goal: (aim) => setCell(aim, cell, `=${name}(${letter}2:${letter}${last})`),
      };
    },
  },
  {
    name: 'product',
    description: "Compute the cost of one person's goods.",
    difficulty: 3,
    steps: 3,
    en: [
      'Fill in {total} for {name}: {pieces} times {price}.',
      'Work out {total} in the row of {name} as {pieces} times {price}.',
    ],
    zh: ['为{name}填写{total}：{pieces}乘以{price}。', '在{name}那一行计算{total}，即{pieces}×{price}。'],
    make(draft) {
      const { store } = draft;
      const row = pickRow(draft);
      const { C1: pieces = '', D1: price = '', E1: total = '' } = store.cells;
      return {
        texts: { name: nameIn(store, row), pieces, price, total },
        goal: (aim) => setCell(aim, `E${row}`, `=C${row}*D${row}`),
      };
    },
  },
  {
    name: 'allProducts',
    description: "Compute the cost of everyone's goods.",
    difficulty: 5,
    steps: 24,
    en: [
      'Fill in the whole column {total}: {pieces} times {price} in every row.',
      'Work out {total} for everybody as {pieces} times {price}.',
    ],
    zh: ['填写整列{total}：每一行都是{pieces}乘以{price}。', '为每个人计算{total}，即{pieces}×{price}。'],
    make({ store }) {
      const { C1: pieces = '', D1: price = '', E1: total = '' } = store.cells;
      return {
        texts: { pieces, price, total },
        goal: (aim) => full(store).forEach((row) => setCell(aim, `E${row}`, `=C${row}*D${row}`)),
      };
    },
  },
  {
    name: 'sort',
    description: 'Sort the rows by a column.',
    difficulty: 2,
    steps: 3,
    en: [
      'Sort the table by {column}, [way].',
      'Put the rows into the order of {column}, [way].',
      'Order the table by the column {column} [way].',
    ],
    zh: ['按{column}对表格[way]。', '把各行按{column}[way]。', '以{column}列对表格[way]。'],
    make({ random, store, language }) {
      const letter = random.pick(['C', 'D'] as const);
      const down = random.chance(0.5);
      const order =
        language === 'en'
          ? down
            ? 'the largest first'
            : 'the smallest first'
          : down
            ? '从大到小排序'
            : '从小到大排序';
      return {
        texts: { column: store.cells[`${letter}1`] ?? '', way: order },
        goal: (aim) => sortBy(aim, letter, down),
        look: { menu: `menu-${letter}`, option: down ? 'down' : 'up' },
      };
    },
  },
  {
    name: 'filter',
    description: 'Show only the rows of a group.',
    difficulty: 2,
    steps: 3,
    en: [
      'Show only the rows with {group} in {column}.',
      'Filter the table by {column}: only {group}.',
      'Hide everybody who is not in {group} with the filter of {column}.',
    ],
    zh: ['只显示{column}为{group}的行。', '按{column}筛选表格：仅{group}。', '用{column}的筛选隐藏不属于{group}的人。'],
    make({ random, store }) {
      const value = random.pick(groupsOf(store));
      return {
        texts: { group: value, column: store.cells.B1 ?? '' },
        goal: (aim) => (aim.filter = { column: 'B', value }),
      };
    },
  },
  {
    name: 'deleteRow',
    description: "Delete a person's row.",
    difficulty: 2,
    steps: 4,
    en: [
      'Delete the row of {name}.',
      'Take {name} out of the table; those below move up.',
      '{name} has left: delete the whole row.',
    ],
    zh: ['删除{name}那一行。', '把{name}从表格中去掉，下面的行上移。', '{name}离开了：删除整行。'],
    make(draft) {
      const row = pickRow(draft);
      return {
        texts: { name: nameIn(draft.store, row) },
        goal: (aim) => deleteRow(aim, row),
        look: { menu: `rows-${row}`, option: 'remove' },
      };
    },
  },
  {
    name: 'bold',
    description: 'Make a whole row bold.',
    difficulty: 2,
    steps: 3,
    en: [
      'Make the whole row of {name} bold.',
      'Set the row of {name} in bold letters.',
      'Every cell in the row of {name} should be bold.',
    ],
    zh: ['把{name}那一整行加粗。', '将{name}所在行设为粗体。', '{name}那一行的每个单元格都要加粗。'],
    make(draft) {
      const row = pickRow(draft);
      return {
        texts: { name: nameIn(draft.store, row) },
        goal: (aim) =>
          mark(
            aim.bold,
            letters.map((letter) => `${letter}${row}`),
          ),
      };
    },
  },
  {
    name: 'highlight',
    description: 'Highlight a range of cells.',
    difficulty: 3,
    steps: 4,
    en: [
      'Highlight the cells [from] to [to].',
      'Select [from] to [to] and highlight them with {fill}.',
      'Use {fill} on the cells from [from] to [to].',
    ],
    zh: ['高亮单元格[from]到[to]。', '选中[from]到[to]并用{fill}标出。', '对[from]至[to]的单元格使用{fill}。'],
    make({ random, words }) {
      const [first, last] = [random.between(2, 4), random.between(5, 9)];
      const letter = random.pick(['B', 'C', 'D']);
      const cells = Array.from({ length: last - first + 1 }, (_, index) => `${letter}${first + index}`);
      return {
        texts: { from: `${letter}${first}`, to: `${letter}${last}`, fill: words.fill },
        goal: (aim) => mark(aim.filled, cells),
      };
    },
  },
  {
    name: 'format',
    description: 'Format a column as currency or percent.',
    difficulty: 2,
    steps: 4,
    en: [
      'Show the column {column} in the format {format}.',
      'Set the number format of {column} to {format}.',
      'The numbers in {column} should have the format {format}.',
    ],
    zh: [
      '把{column}列显示为{format}格式。',
      '将{column}的数字格式设为{format}。',
      '{column}里的数字应使用{format}格式。',
    ],
    make({ random, store, words }) {
      const [letter, format] = [random.pick(['C', 'D']), random.pick(['money', 'percent'] as const)];
      return {
        texts: { column: store.cells[`${letter}1`] ?? '', format: words[format] },
        goal: (aim) => (aim.formats[letter] = format),
      };
    },
  },
  {
    name: 'replace',
    description: 'Rename a group in every row.',
    difficulty: 4,
    steps: 12,
    heldOut: true,
    en: [
      'The group {group} is now called {name}: change every row.',
      'Replace {group} by {name} wherever it stands in {column}.',
    ],
    zh: ['{group}组改名为{name}：请修改每一行。', '把{column}列里的{group}全部换成{name}。'],
    make({ pen, random, store }) {
      const group = random.pick(groupsOf(store));
      const matches = full(store).filter((row) => store.cells[`B${row}`] === group);
      if (matches.length < 2 || matches.length > 5) return undefined;
      const name = pen.newWord('group');
      return {
        texts: { group, name, column: store.cells.B1 ?? '' },
        goal: (aim) => matches.forEach((row) => setCell(aim, `B${row}`, name)),
      };
    },
  },
  {
    name: 'tell',
    description: "Report the number in a person's row.",
    difficulty: 1,
    steps: 2,
    en: ['What is {column} of {name}?', 'Answer with {column} in the row of {name}.', 'Look up {column} for {name}.'],
    zh: ['{name}的{column}是多少？', '请回答{name}那一行的{column}。', '查一下{name}的{column}。'],
    make(draft) {
      const { store, random } = draft;
      const [row, letter] = [pickRow(draft), random.pick(['C', 'D'])];
      return {
        texts: { name: nameIn(store, row), column: store.cells[`${letter}1`] ?? '' },
        answer: shownIn(store.cells, `${letter}${row}`),
        look: { cell: `${letter}${row}` },
      };
    },
  },
  {
    name: 'tellSum',
    description: 'Report the sum of a column without changing anything.',
    difficulty: 3,
    steps: 3,
    en: [
      'What is the sum of the column {column}? Do not change the table.',
      'Answer with the sum of {column}, and leave the table as it is.',
    ],
    zh: ['{column}列的总和是多少？不要修改表格。', '请回答{column}的总和，保持表格不变。'],
    make({ random, store }) {
      const letter = random.pick(['C', 'D']);
      return {
        texts: { column: store.cells[`${letter}1`] ?? '' },
        answer: Math.round(sum(numbersIn(store, letter)) * 100) / 100,
        look: { column: letter },
      };
    },
  },
];
