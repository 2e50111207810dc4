import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Cast } from '../family/machine/cast.js';
import type { Template } from '../family/machine/template.js';
import { boardPage, type Part } from './board.js';
import {
  boardState,
  commandTurn,
  isDownloaded,
  fillFormTurn,
  hybridTemplate,
  arePressed,
  isSameAnswer,
  pressTurn,
} from './hybridTemplate.js';

interface Order {
  readonly id: number;
  readonly customer: string;
  readonly amount: number;
}

function drawOrders(cast: Cast): { customers: string[]; orders: Order[]; csv: string } {
  const customers = cast.names(5);
  const orders = Array.from({ length: cast.between(40, 90) }, (_, index) => ({
    id: 1_001 + index,
    customer: cast.pick(customers),
    amount: cast.between(12, 980),
  }));
  return {
    customers,
    orders,
    csv: ['id,customer,amount', ...orders.map((order) => Object.values(order).join(','))].join('\n') + '\n',
  };
}

const form = (label: string): Part => ({
  kind: 'form',
  fields: [{ name: 'answer', label }],
  submit: { name: 'submit', label: 'Submit', done: 'Received' },
});

function reporting(
  name: string,
  description: string,
  difficulty: 2 | 3,
  ask: (
    cast: Cast,
    drawn: ReturnType<typeof drawOrders>,
  ) => {
    both: readonly string[];
    heldOut: readonly string[];
    slots: Readonly<Record<string, string | number>>;
    label: string;
    expected: number;
    command: (file: string) => string;
  },
): Template {
  return {
    ...hybridTemplate,
    name,
    description,
    draw(cast) {
      const drawn = drawOrders(cast);
      const file = `${cast.letters()}.csv`;
      const { both, heldOut, slots, label, expected, command } = ask(cast, drawn);
      const board = {
        brand: `${cast.name()} Trading`,
        heading: 'Monthly report',
        parts: [
          { kind: 'text', text: 'The report of this month is ready. Enter what was asked for below.' },
          { kind: 'downloads', files: [{ name: file, label: 'Download report', content: drawn.csv }] },
          form(label),
        ],
      } as const;
      return {
        instruction: cast.say({ both, heldOut }, slots),
        difficulty,
        page: boardPage(board, cast),
        async judge(evidence) {
          const { submitted } = await boardState(evidence);
          return { answer: isSameAnswer(submitted?.answer, String(expected)) };
        },
        script: [
          pressTurn('The report has to be downloaded.', file),
          commandTurn('Compute it in the shell.', command(`~/Downloads/${file}`), isDownloaded(file)),
          fillFormTurn(`It is ${expected}.`, { answer: String(expected) }, 'submit'),
        ],
      };
    },
  };
}

const reportTotal = reporting(
  'hybrid.reportTotal',
  'Download a report from a page, add up a column in the shell, and enter the sum.',
  2,
  (_, { orders }) => ({
    both: [
      'Download the report, add up its column amount in the shell, and submit the total on the page.',
      'What is the sum of all amounts in the report? Download it, compute in the terminal, enter the total and submit.',
      '下载报表，在终端中求 amount 列的总和，填入页面并提交。',
    ],
    heldOut: ['The page wants the total of all amounts of its report. Get the file, compute the total and submit it.'],
    slots: {},
    label: 'Total',
    expected: orders.reduce((sum, { amount }) => sum + amount, 0),
    command: (file) => `awk -F, 'NR > 1 { sum += $3 } END { print sum }' ${file}`,
  }),
);

const reportCount = reporting(
  'hybrid.reportCount',
  'Download a report from a page, count the orders of a customer in the shell, and enter the number.',
  3,
  (cast, { orders, customers }) => {
    const customer = cast.pick(customers);
    const least = cast.between(200, 500);
    return {
      both: [
        'Download the report and find out how many orders of {customer} have an amount of {least} or more. Submit that number.',
        'How many orders of at least {least} did {customer} place? Use the report and the terminal, then submit the number.',
        '下载报表，统计 {customer} 的金额不低于 {least} 的订单数，并提交该数字。',
      ],
      heldOut: ['Submit how often {customer} appears in the report with an amount that is not below {least}.'],
      slots: { customer, least },
      label: 'Number of orders',
      expected: orders.filter((order) => order.customer === customer && order.amount >= least).length,
      command: (file) => `awk -F, '$2 == "${customer}" && $3 >= ${least}' ${file} | wc -l`,
    };
  },
);

const decode: Template = {
  ...hybridTemplate,
  name: 'hybrid.decode',
  description: 'Download an encoded message from a page, decode it in the shell, and enter its code.',
  draw(cast) {
    const [code, file] = [cast.letters(), `${cast.letters()}.txt.gz.b64`];
    const text = gzipSync(`Hello ${cast.name()},\nthe code of the day is ${code}.\n`).toString('base64');
    const board = {
      brand: `${cast.name()} Security`,
      heading: 'Confirm the message',
      parts: [
        { kind: 'text', text: 'The message was packed by gzip and written as base64. Enter the code that it gives.' },
        { kind: 'downloads', files: [{ name: file, label: 'Download message', content: `${text}\n` }] },
        {
          kind: 'form',
          fields: [{ name: 'code', label: 'Code' }],
          submit: { name: 'confirm', label: 'Confirm', done: 'Thank you' },
        },
      ],
    } as const;
    return {
      instruction: cast.say({
        both: [
          'Download the message, decode it in the shell (base64, then gzip), and confirm the code that it gives on the page.',
          'Read the packed message with the terminal and confirm its code on the page.',
          '下载消息，在终端中先用 base64、再用 gzip 解码，然后在页面上确认其中的代码。',
        ],
        heldOut: [
          'The page asks for the code of a message that is packed. Unpack it in the shell and confirm the code.',
        ],
      }),
      difficulty: 3,
      page: boardPage(board, cast),
      async judge(evidence) {
        const { submitted } = await boardState(evidence);
        return { code: isSameAnswer(submitted?.code, code) };
      },
      script: [
        pressTurn('Get the message.', file),
        commandTurn('Decode and unpack it.', `base64 -d ~/Downloads/${file} | gunzip`, isDownloaded(file)),
        fillFormTurn(`The code is ${code}.`, { code }, 'confirm'),
      ],
    };
  },
};

const checksum: Template = {
  ...hybridTemplate,
  name: 'hybrid.checksum',
  description: 'Compare files with the checksums on a page, and click the button of the damaged file.',
  draw(cast) {
    const folder = cast.letters();
    const files = cast
      .words(cast.between(4, 6))
      .map((name) => ({ name: `${name}.bin`, text: `${name} ${cast.letters()}\n` }));
    const damaged = cast.pick(files);
    const sum = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);
    const board = {
      brand: `${cast.name()} Mirror`,
      heading: 'Files and their checksums',
      parts: [
        { kind: 'text', text: `The first 16 digits of SHA-256 of each file in ~/${folder}, as they should be.` },
        {
          kind: 'table',
          heads: ['File', 'SHA-256'],
          rows: files.map(({ name, text }) => ({
            cells: [name, sum(text)],
            press: { name, label: 'Report', done: 'Reported' },
          })),
        },
      ],
    } as const;
    return {
      instruction: cast.say(
        {
          both: [
            'One file in ~/{folder} does not have the checksum that the page gives. Find it with the shell and press its Report button.',
            'Compare the SHA-256 of the files in ~/{folder} with the page and report the one that differs, and no other.',
            '~/{folder} 中有一个文件的 SHA-256 与页面上的不一致。找出它，并按下它的 Report 按钮。',
          ],
          heldOut: ['A file of ~/{folder} is damaged: its SHA-256 is not that of the page. Report it on the page.'],
        },
        { folder },
      ),
      difficulty: 3,
      files: Object.fromEntries(
        files.map((file) => [`${folder}/${file.name}`, file === damaged ? `${file.text}.` : file.text]),
      ),
      page: boardPage(board, cast),
      async judge(evidence) {
        return { reported: arePressed(await boardState(evidence), [damaged.name]) };
      },
      script: [
        commandTurn('Compute the checksums.', `cd ~/${folder} && sha256sum * | cut -c1-16,65-; cd`),
        pressTurn(`${damaged.name} differs.`, damaged.name),
      ],
    };
  },
};

export const downloadTemplates: readonly Template[] = [reportTotal, reportCount, decode, checksum];
