import type { Cast } from '../family/machine/cast.js';
import type { Template } from '../family/machine/template.js';
import { boardPage } from './board.js';
import {
  boardState,
  commandTurn,
  fillFormTurn,
  hybridTemplate,
  arePressed,
  isSameAnswer,
  pressTurn,
} from './hybridTemplate.js';

const moment = (cast: Cast) =>
  `2026-03-${String(cast.between(10, 28))} ${String(cast.between(10, 23))}:${String(cast.between(10, 59))}`;

const lineOf = (...fields: readonly (string | number)[]) => fields.join(' ');

const restart: Template = {
  ...hybridTemplate,
  name: 'hybrid.restart',
  description: 'Find the service with the most errors in log files and restart it on a dashboard.',
  draw(cast) {
    const services = cast.words(cast.between(4, 6));
    const ailing = cast.pick(services);
    const log = (service: string) => {
      const errors = service === ailing ? cast.between(24, 34) : cast.between(4, 18);
      const lines = Array.from({ length: errors }, () => lineOf(moment(cast), 'ERROR', service, 'request failed'));
      // Many warnings: the longest log need not have the most errors.
      const others = Array.from({ length: cast.between(20, 60) }, () =>
        lineOf(moment(cast), cast.pick(['INFO', 'WARN']), service, 'request served'),
      );
      return `${cast.shuffle([...lines, ...others]).join('\n')}\n`;
    };
    const board = {
      brand: `${cast.name()} Cloud`,
      heading: 'Services',
      parts: [
        {
          kind: 'table',
          heads: ['Service', 'Up since'],
          rows: services.map((name) => ({
            cells: [name, moment(cast)],
            press: { name, label: 'Restart', done: 'Restarted' },
          })),
        },
      ],
    } as const;
    return {
      instruction: cast.say({
        both: [
          'Find the service with the most ERROR lines in the files of ~/logs, and restart that service, and no other, on the dashboard.',
          'Which service of ~/logs has logged the most lines with ERROR? Press its Restart button on the page.',
          '在 ~/logs 的日志中找出 ERROR 行最多的服务，并只在页面上重启该服务。',
        ],
        heldOut: [
          'One service fails more than the others: count the ERROR lines in ~/logs and restart the worst on the page.',
        ],
      }),
      difficulty: 2,
      files: Object.fromEntries(services.map((service) => [`logs/${service}.log`, log(service)])),
      page: boardPage(board, cast),
      async judge(evidence) {
        return { restarted: arePressed(await boardState(evidence), [ailing]) };
      },
      script: [
        commandTurn('Count the errors of each.', 'grep -c ERROR ~/logs/*.log'),
        pressTurn(`${ailing} has the most.`, ailing),
      ],
    };
  },
};

const block: Template = {
  ...hybridTemplate,
  name: 'hybrid.block',
  description: 'Find the users with too many failed logins in a log and block them on a page.',
  draw(cast) {
    const users = cast.words(cast.between(5, 7));
    const allowedFailures = cast.between(5, 9);
    const guilty = cast.shuffle(users).slice(0, cast.between(1, 2));
    const lines = users.flatMap((user) => {
      const failures = guilty.includes(user) ? allowedFailures + cast.between(1, 6) : cast.between(0, allowedFailures);
      return [
        ...Array.from({ length: failures }, () =>
          lineOf(
            moment(cast),
            'login failed',
            `user=${user}`,
            `from=10.0.${cast.between(0, 9)}.${cast.between(1, 99)}`,
          ),
        ),
        ...Array.from({ length: cast.between(3, 12) }, () => lineOf(moment(cast), 'login accepted', `user=${user}`)),
      ];
    });
    const board = {
      brand: `${cast.name()} Accounts`,
      heading: 'Users',
      parts: [
        {
          kind: 'table',
          heads: ['User', 'Member since'],
          rows: users.map((name) => ({
            cells: [name, String(cast.between(2009, 2025))],
            press: { name, label: 'Block', done: 'Blocked' },
          })),
        },
      ],
    } as const;
    return {
      instruction: cast.say(
        {
          both: [
            'Block every user who has more than {most} failed logins in ~/auth.log, and nobody else.',
            'Count the failed logins of each user in ~/auth.log. Block those with more than {most} on the page.',
            '统计 ~/auth.log 中每个用户的登录失败次数，在页面上封锁失败超过 {most} 次的用户。',
          ],
          heldOut: [
            'Whoever failed to log in more often than {most} times, says ~/auth.log, is to be blocked on the page; the others are not.',
          ],
        },
        { most: allowedFailures },
      ),
      difficulty: 3,
      files: { 'auth.log': `${cast.shuffle(lines).join('\n')}\n` },
      page: boardPage(board, cast),
      async judge(evidence) {
        const state = await boardState(evidence);
        return {
          ...Object.fromEntries(guilty.map((user, index) => [`user${index + 1}`, state.pressed.includes(user)])),
          others: state.pressed.every((user) => guilty.includes(user)),
        };
      },
      script: [
        commandTurn('Count them.', "grep 'login failed' ~/auth.log | grep -o 'user=[a-z]*' | sort | uniq -c | sort -n"),
        pressTurn(`${guilty.join(' and ')} had more than ${allowedFailures}.`, ...guilty),
      ],
    };
  },
};

const incident: Template = {
  ...hybridTemplate,
  name: 'hybrid.incident',
  description: 'Look up a request from an incident page in the logs, and enter its host and error code.',
  draw(cast) {
    const request = cast.letters();
    const others = Array.from({ length: 40 }, () => cast.letters());
    const code = `E${cast.number(100, 999)}`;
    const host = cast.word();
    const hosts = cast.words(3);
    const lines = (names: readonly string[], withRequest: boolean) =>
      `${cast
        .shuffle([
          ...names.map((name) =>
            lineOf(moment(cast), `req=${name}`, cast.pick(['status=200', `error=E${cast.between(100, 999)}`])),
          ),
          ...(withRequest ? [lineOf(moment(cast), `req=${request}`, `error=${code}`)] : []),
        ])
        .join('\n')}\n`;
    const board = {
      brand: `${cast.name()} Incidents`,
      heading: 'A request has failed',
      parts: [
        {
          kind: 'facts',
          facts: [
            ['Request', request],
            ['Reported by', cast.name()],
            ['At', moment(cast)],
          ],
        },
        {
          kind: 'form',
          fields: [
            { name: 'host', label: 'Host' },
            { name: 'code', label: 'Error code' },
          ],
          submit: { name: 'close', label: 'Close incident', done: 'Closed' },
        },
      ],
    } as const;
    const files = [host, ...hosts].map((name, index) => [
      `logs/${name}.log`,
      lines(others.slice(index * 10, index * 10 + 10), index === 0),
    ]);
    return {
      instruction: cast.say({
        both: [
          'Look the request on the page up in ~/logs. Enter the host (the name of the log file without .log) and the error code, and close the incident.',
          'Which host had the request that the page shows, and with which error code? See ~/logs, fill in the page and close the incident.',
          '在 ~/logs 中查找页面上的请求，填写主机名（日志文件名，不含 .log）和错误代码，然后关闭事件。',
        ],
        heldOut: [
          'The incident can be closed once its host and error code are known. ~/logs has them, under the request of the page.',
        ],
      }),
      difficulty: 3,
      files: Object.fromEntries(cast.shuffle(files)) as Record<string, string>,
      page: boardPage(board, cast),
      async judge(evidence) {
        const { submitted } = await boardState(evidence);
        return { host: isSameAnswer(submitted?.host, host), code: isSameAnswer(submitted?.code, code) };
      },
      script: [
        commandTurn(`The page shows the request ${request}.`, `grep -r req=${request} ~/logs`),
        fillFormTurn(`It was on ${host}, with ${code}.`, { host, code }, 'close'),
      ],
    };
  },
};

const stock: Template = {
  ...hybridTemplate,
  name: 'hybrid.stock',
  description: 'Compare the table on a page with a file, and click the buttons of the rows that differ.',
  draw(cast) {
    const items = cast.names(cast.between(5, 7)).map((name) => ({ name, count: cast.number(100, 999) }));
    const wrong = cast.shuffle(items).slice(0, cast.between(1, 2));
    const displayedItems = items.map((item) => ({
      ...item,
      count: wrong.includes(item) ? item.count + cast.pick([-30, -9, 9, 10, 90]) : item.count,
    }));
    const board = {
      brand: `${cast.name()} Warehouse`,
      heading: 'Stock',
      parts: [
        {
          kind: 'table',
          heads: ['Article', 'Pieces'],
          rows: displayedItems.map(({ name, count }) => ({
            cells: [name, String(count)],
            press: { name, label: 'Recount', done: 'To be recounted' },
          })),
        },
      ],
    } as const;
    const names = wrong.map(({ name }) => name);
    return {
      instruction: cast.say({
        both: [
          'Compare the page with ~/stock.csv. Press Recount for each article whose number of pieces differs, and for no other.',
          'Some numbers on the page are not those of ~/stock.csv. Have exactly these articles recounted.',
          '将页面与 ~/stock.csv 对比，对数量不一致的商品按下 Recount，其他不要按。',
        ],
        heldOut: ['~/stock.csv is what was counted. Where the page says something else, press Recount.'],
      }),
      difficulty: 3,
      files: {
        'stock.csv': `${cast
          .shuffle(items)
          .map(({ name, count }) => `${name},${count}`)
          .join('\n')}\n`,
      },
      page: boardPage(board, cast),
      async judge(evidence) {
        const state = await boardState(evidence);
        return {
          ...Object.fromEntries(names.map((name, index) => [`article${index + 1}`, state.pressed.includes(name)])),
          others: state.pressed.every((name) => names.includes(name)),
        };
      },
      script: [
        commandTurn('See what was counted.', 'sort ~/stock.csv'),
        pressTurn(`${names.join(' and ')}: another number.`, ...names),
      ],
    };
  },
};

const payments: Template = {
  ...hybridTemplate,
  name: 'hybrid.payments',
  description: 'Find the invoices on a page that a bank statement shows as paid, and mark them.',
  draw(cast) {
    const invoices = cast
      .names(cast.between(4, 6))
      .map((customer) => ({ number: `R${cast.number(1_000, 9_999)}`, customer, amount: cast.number(100, 999) }));
    const paid = cast.shuffle(invoices).slice(0, cast.between(1, 3));
    const strangers = Array.from(
      { length: cast.between(8, 15) },
      () => `2026-03-${cast.between(10, 28)};transfer;R${cast.between(10_000, 99_999)};${cast.between(100, 999)}`,
    );
    const statement = cast.shuffle([
      ...strangers,
      ...paid.map(({ number, amount }) => `2026-03-${cast.between(10, 28)};transfer;${number};${amount}`),
    ]);
    const board = {
      brand: `${cast.name()} Books`,
      heading: 'Open invoices',
      parts: [
        {
          kind: 'table',
          heads: ['Number', 'Customer', 'Amount'],
          rows: invoices.map(({ number, customer, amount }) => ({
            cells: [number, customer, String(amount)],
            press: { name: number, label: 'Mark paid', done: 'Paid' },
          })),
        },
      ],
    } as const;
    const numbers = paid.map(({ number }) => number);
    return {
      instruction: cast.say({
        both: [
          'Mark the invoices as paid whose numbers appear in the bank statement ~/bank.csv, and no others.',
          '~/bank.csv lists the transfers that came in. Mark exactly those invoices of the page as paid.',
          '~/bank.csv 是银行流水。把其中出现的发票在页面上标记为已付，其他不要标记。',
        ],
        heldOut: ['Go by ~/bank.csv: which of the open invoices have been paid? Mark these.'],
      }),
      difficulty: 3,
      files: { 'bank.csv': `date;kind;reference;amount\n${statement.join('\n')}\n` },
      page: boardPage(board, cast),
      async judge(evidence) {
        const state = await boardState(evidence);
        return {
          ...Object.fromEntries(
            numbers.map((number, index) => [`invoice${index + 1}`, state.pressed.includes(number)]),
          ),
          others: state.pressed.every((number) => numbers.includes(number)),
        };
      },
      script: [
        commandTurn(
          'Look for the numbers of the page.',
          `grep -E '${invoices.map(({ number }) => `;${number};`).join('|')}' ~/bank.csv`,
        ),
        pressTurn(`${numbers.join(', ')} came in.`, ...numbers),
      ],
    };
  },
};

const configRead: Template = {
  ...hybridTemplate,
  name: 'hybrid.connect',
  description: "Read a server's address from a program's configuration and enter it on a page.",
  draw(cast) {
    const folder = cast.letters();
    const services = cast.words(3);
    const service = cast.pick(services);
    const settings = services.map((name) => ({
      name,
      host: `${cast.word()}.example`,
      port: cast.number(2_000, 9_999),
    }));
    const serviceSettings = settings.find(({ name }) => name === service);
    const [host, port] = [serviceSettings?.host ?? '', String(serviceSettings?.port)];
    const board = {
      brand: `${cast.name()} Monitor`,
      heading: `Watch ${service}`,
      parts: [
        {
          kind: 'form',
          fields: [
            { name: 'host', label: 'Host' },
            { name: 'port', label: 'Port' },
          ],
          submit: { name: 'connect', label: 'Connect', done: 'Connecting …' },
        },
      ],
    } as const;
    return {
      instruction: cast.say(
        {
          both: [
            'Find the host and the port of the service that the page names, somewhere below ~/{folder}, enter them and press Connect.',
            'The settings of several services lie in ~/{folder}. Connect the page to its service: host and port.',
            '在 ~/{folder} 中找到页面上所示服务的主机和端口，填入页面并按 Connect。',
          ],
          heldOut: ['Which host and port does ~/{folder} give for the service on the page? Enter both and connect.'],
        },
        { folder },
      ),
      difficulty: 2,
      files: Object.fromEntries(
        settings.map(({ name, ...rest }) => [
          `${folder}/${name}/config.json`,
          `${JSON.stringify({ service: name, server: rest }, null, 2)}\n`,
        ]),
      ),
      page: boardPage(board, cast),
      async judge(evidence) {
        const { submitted } = await boardState(evidence);
        return { host: isSameAnswer(submitted?.host, host), port: isSameAnswer(submitted?.port, port) };
      },
      script: [
        commandTurn(`The page names ${service}.`, `cat ~/${folder}/${service}/config.json`),
        fillFormTurn(`It is ${host}, port ${port}.`, { host, port }, 'connect'),
      ],
    };
  },
};

export const logTemplates: readonly Template[] = [restart, block, incident, stock, payments, configRead];
