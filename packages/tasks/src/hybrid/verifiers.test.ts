import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { rowsOf, sheetFile } from '../desktop/sheets.test.support.js';
import { type HomeChange, expectJudged, taskWith } from '../family/machine/home.test.support.js';
import { notInstalled, node } from '../family/machine/requirement.js';
import type { Drawn } from '../family/machine/template.js';
import { drawDefect } from './defects.js';
import { hybridTemplates } from './families.js';
import { Cast } from '../family/machine/cast.js';

const task = (name: string, pattern: RegExp) => taskWith(hybridTemplates, name, pattern);

const press =
  (...pressed: readonly string[]): HomeChange =>
  (home) =>
    void (home.board = { ...home.board, pressed: [...pressed].sort() });
const submit =
  (submitted: Record<string, string>): HomeChange =>
  (home) =>
    void (home.board = { ...home.board, submitted });
const run =
  (command: string): HomeChange =>
  async (home) => {
    await home.run(command);
  };
const sequence =
  (...deeds: readonly HomeChange[]): HomeChange =>
  async (home) => {
    for (const deed of deeds) await deed(home);
  };

const htmlOf = ({ page }: Drawn) => page?.html ?? '';
const buttons = (drawn: Drawn) => [...htmlOf(drawn).matchAll(/data-press="([^"]+)"/g)].map(([, name]) => name ?? '');
const cells = (drawn: Drawn) =>
  [...htmlOf(drawn).matchAll(/<tr>((?:<td>[^<]*<\/td>)+)/g)].map(([, row]) =>
    [...(row ?? '').matchAll(/<td>([^<]*)/g)].map(([, cell]) => cell ?? ''),
  );
const facts = (drawn: Drawn) =>
  Object.fromEntries(
    [...htmlOf(drawn).matchAll(/<dt>(\w+)<\/dt><dd>([^<]*)/g)].map(([, name, value]) => [name, value]),
  ) as Record<string, string>;
const download = (drawn: Drawn) => Buffer.from(/base64,([^"]+)"/.exec(htmlOf(drawn))?.[1] ?? '', 'base64').toString();
const orders = (drawn: Drawn) =>
  download(drawn)
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
const textOf = (drawn: Drawn, path: string) => drawn.files?.[path] as string;

describe('the verifiers of hybrid tasks', () => {
  it('take a total that was submitted', async () => {
    const { drawn } = task('hybrid.reportTotal', /add up its column amount/);
    const total = orders(drawn).reduce((sum, [, , amount]) => sum + Number(amount), 0);
    await expectJudged(drawn, submit({ answer: ` ${total} ` }), {
      'one less': submit({ answer: String(total - 1) }),
      both: submit({ answer: `${total} ${total - 1}` }),
      empty: submit({ answer: '' }),
    });
  });

  it('take a number of orders', async () => {
    const { drawn, groups } = task('hybrid.reportCount', /how many orders of (\w+) have an amount of (\d+) or more/);
    const count = (more: boolean) =>
      orders(drawn).filter(
        ([, customer, amount]) => (more || customer === groups[0]) && Number(amount) >= Number(groups[1]),
      ).length;
    await expectJudged(drawn, submit({ answer: String(count(false)) }), {
      'of all customers': submit({ answer: String(count(true)) }),
    });
  });

  it('take a code that is packed', async () => {
    const { drawn } = task('hybrid.decode', /Download the message/);
    const text = gunzipSync(Buffer.from(download(drawn), 'base64')).toString();
    const code = /is (\w+)\./.exec(text)?.[1] ?? '';
    await expectJudged(drawn, submit({ code: code.toUpperCase() }), {
      'all of it': submit({ code: text }),
      'another field': submit({ text: code }),
    });
  });

  it('take the damaged file alone', async () => {
    const { drawn, groups } = task('hybrid.checksum', /One file in ~\/(\w+) does not/);
    const rows = cells(drawn);
    const [damaged] =
      rows.find(
        ([name = '', sum]) =>
          createHash('sha256')
            .update(textOf(drawn, `${groups[0]}/${name}`))
            .digest('hex')
            .slice(0, 16) !== sum,
      ) ?? [];
    const [whole] = rows.find(([name]) => name !== damaged) ?? [];
    await expectJudged(drawn, press(damaged ?? ''), {
      'all of them': press(...buttons(drawn)),
      'a whole one': press(whole ?? ''),
    });
  });

  it('take the service with the most errors', async () => {
    const { drawn } = task('hybrid.restart', /Find the service/);
    const errors = (name: string) => textOf(drawn, `logs/${name}.log`).split('ERROR').length;
    const sorted = buttons(drawn).sort((a, b) => errors(b) - errors(a));
    await expectJudged(drawn, press(sorted[0] ?? ''), {
      'the second': press(sorted[1] ?? ''),
      'all of them': press(...sorted),
    });
  });

  it('take the users who failed too often, all of them', async () => {
    const { drawn, groups } = task('hybrid.block', /Block every user who has more than (\d+) failed/);
    const failures = (name: string) =>
      textOf(drawn, 'auth.log')
        .split('\n')
        .filter((line) => line.includes('login failed') && line.includes(`user=${name} `)).length;
    const guilty = buttons(drawn).filter((name) => failures(name) > Number(groups[0]));
    expect(guilty.length).toBeGreaterThan(0);
    await expectJudged(drawn, press(...guilty), {
      'one more': press(...guilty, buttons(drawn).find((name) => !guilty.includes(name)) ?? ''),
      'one less': press(...guilty.slice(1)),
    });
  });

  it('take the host and the code of a request', async () => {
    const { drawn } = task('hybrid.incident', /Look the request/);
    const request = facts(drawn).Request ?? '';
    const [path = '', text] =
      Object.entries(drawn.files ?? {}).find(
        ([, content]) => typeof content === 'string' && content.includes(`req=${request} `),
      ) ?? [];
    const code = new RegExp(`req=${request} error=(\\w+)`).exec(text as string)?.[1] ?? '';
    const host = path.replace('logs/', '').replace('.log', '');
    await expectJudged(drawn, submit({ host, code }), {
      exchanged: submit({ host: code, code: host }),
      'the host alone': submit({ host, code: '' }),
      'the code alone': submit({ host: 'x', code }),
    });
  });

  it('take the articles that differ', async () => {
    const { drawn } = task('hybrid.stock', /Compare the page/);
    const counted = new Set(textOf(drawn, 'stock.csv').trim().split('\n'));
    const wrong = cells(drawn)
      .filter((row) => !counted.has(row.join(',')))
      .map(([name]) => name ?? '');
    expect(wrong.length).toBeGreaterThan(0);
    await expectJudged(drawn, press(...wrong), {
      'all of them': press(...buttons(drawn)),
      'one less': press(...wrong.slice(1)),
    });
  });

  it('take the invoices that are paid', async () => {
    const { drawn } = task('hybrid.payments', /Mark the invoices/);
    const paid = buttons(drawn).filter((number) => textOf(drawn, 'bank.csv').includes(`;${number};`));
    await expectJudged(drawn, press(...paid), {
      'all of them': press(...buttons(drawn)),
      'one less': press(...paid.slice(1)),
    });
  });

  it('take the address of the service that the page names', async () => {
    const { drawn, groups } = task('hybrid.connect', /somewhere below ~\/(\w+)/);
    const service = /Watch (\w+)/.exec(htmlOf(drawn))?.[1];
    const server = (name: string) =>
      (JSON.parse(textOf(drawn, `${groups[0]}/${name}/config.json`)) as { server: { host: string; port: number } })
        .server;
    const fields = (name: string) => ({ host: server(name).host, port: String(server(name).port) });
    const otherService = Object.keys(drawn.files ?? {})
      .map((path) => path.split('/')[1] ?? '')
      .find((name) => name !== service);
    await expectJudged(drawn, submit(fields(service ?? '')), {
      'another service': submit(fields(otherService ?? '')),
      'the port alone': submit({ ...fields(service ?? ''), host: '' }),
    });
  });

  it('take settings that are written and applied', async () => {
    const { drawn, groups } = task('hybrid.configure', /settings of the page into ~\/(\w+\.json)/);
    const file = groups[0] ?? '';
    const { host, port, mode } = facts(drawn);
    const write =
      (change: object): HomeChange =>
      (home) =>
        home.edit(file, (text) => JSON.stringify({ ...(JSON.parse(text) as object), ...change }));
    const right = { host, port: Number(port), mode };
    await expectJudged(drawn, sequence(write(right), press('apply')), {
      'not applied': write(right),
      'applied alone': press('apply'),
      'the port as a text': sequence(write({ ...right, port }), press('apply')),
      'another owner': sequence(write({ ...right, owner: 'x' }), press('apply')),
      'more settings': sequence(write({ ...right, more: 1 }), press('apply')),
    });
  });

  it('take files that have the names of the page', async () => {
    const { drawn, groups } = task('hybrid.rename', /Rename the files of ~\/(\w+) as the page says/);
    const renames = cells(drawn).map(([old, fresh]) => `mv ${old} ${fresh}`);
    const cd = `cd ${groups[0]}`;
    await expectJudged(drawn, sequence(run([cd, ...renames].join(' && ')), press('done')), {
      'not told': run([cd, ...renames].join(' && ')),
      'one left': sequence(run([cd, ...renames.slice(1)].join(' && ')), press('done')),
      copied: sequence(run([cd, ...renames.map((rename) => rename.replace('mv', 'cp'))].join(' && ')), press('done')),
      'two exchanged': sequence(
        run(
          [
            cd,
            ...renames,
            `mv ${cells(drawn)[0]?.[1]} x`,
            `mv ${cells(drawn)[1]?.[1]} ${cells(drawn)[0]?.[1]}`,
            `mv x ${cells(drawn)[1]?.[1]}`,
          ].join(' && '),
        ),
        press('done'),
      ),
    });
  });

  it('take folders of which the retired ones are gone', async () => {
    const { drawn, groups } = task('hybrid.cleanUp', /Delete the folders of all retired releases from ~\/(\w+),/);
    const retired = cells(drawn)
      .filter(([, state]) => state === 'retired')
      .map(([name]) => name ?? '');
    const remove = (names: readonly string[]) => run(`cd ${groups[0]} && rm -r ${names.join(' ')}`);
    await expectJudged(drawn, sequence(remove(retired), press('confirm')), {
      'not confirmed': remove(retired),
      'all of them': sequence(remove(cells(drawn).map(([name]) => name ?? '')), press('confirm')),
      'the whole folder': sequence(run(`rm -r ${groups[0]}`), press('confirm')),
    });
  });

  it('take a message that is kept word for word, and archived', async () => {
    const { drawn, groups } = task('hybrid.keepNote', /Save the message of (\w+), word for word, as ~\/(\S+) and/);
    const [from = '', file = ''] = groups;
    const text = cells(drawn).find(([name]) => name === from)?.[1] ?? '';
    const write =
      (content: string): HomeChange =>
      (home) =>
        home.write(file, content);
    await expectJudged(drawn, sequence(write(`${text}\n`), press(from)), {
      'not archived': write(text),
      'with the name': sequence(write(`${from}: ${text}`), press(from)),
      'all archived': sequence(write(text), press(...buttons(drawn))),
    });
  });

  it('take a sum in a spreadsheet', async () => {
    const { drawn, groups } = task(
      'hybrid.sheetTotal',
      /numbers in all files of ~\/(\w+) with the shell.* below the last one: (\w+) and the sum/,
    );
    const [folder = '', name = ''] = groups;
    const numbers = Object.entries(drawn.files ?? {})
      .filter(([path]) => path.startsWith(`${folder}/`))
      .map(([, content]) => Number(content));
    const total = numbers.reduce((sum, value) => sum + value, 0);
    const file = Object.keys(drawn.files ?? {}).find((path) => path.endsWith('.ods')) ?? '';
    const add =
      (...row: (string | number)[]): HomeChange =>
      (home) => {
        const sheet = rowsOf(home.bytes(file));
        home.write(file, sheetFile([{ ...sheet, rows: [...sheet.rows, row] }]));
      };
    await expectJudged(drawn, add(name, total), {
      'another sum': add(name, total - (numbers[0] ?? 0)),
      'a text': add(name, `${total} `),
      'no name': add('', total),
    });
  });

  it('take a sum in a letter', async () => {
    const { drawn, groups } = task('hybrid.report', /hours of (\w+) in ~\/(\w+)\/hours\.csv/);
    const [person = '', folder = ''] = groups;
    const rows = textOf(drawn, `${folder}/hours.csv`)
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    const total = rows.reduce((sum, [name, hours]) => sum + (name === person ? Number(hours) : 0), 0);
    const letter = Object.keys(drawn.files ?? {}).find((path) => path.endsWith('.txt')) ?? '';
    const append =
      (text: string): HomeChange =>
      (home) =>
        home.edit(letter, (old) => old + text);
    await expectJudged(drawn, append(`${total}\n`), {
      'another sum': append(`${total + 1}\n`),
      'every line of the file': append(rows.join('\n')),
      'the letter lost': (home) => home.write(letter, `${total}\n`),
    });
  });
});

const missing = notInstalled('browser', [node]).filter((name) => name === 'nodejs');

describe.skipIf(missing.length > 0)(
  `the verifiers of repositories${missing.length > 0 ? ' (needs nodejs)' : ''}`,
  () => {
    const check: HomeChange = (home) => void (home.board = { ...home.board, requests: home.board.requests + 1 });
    const rightOf = (drawn: Drawn) => {
      const path =
        Object.keys(drawn.files ?? {}).find((name) => name.endsWith('.mjs') && !name.endsWith('.test.mjs')) ?? '';
      const source = textOf(drawn, path);
      for (let seed = 0; seed < 200; seed++) {
        const { wrong, right } = drawDefect(new Cast('any', 'train', seed));
        if (wrong === source) return { path, right };
      }
      throw new Error(`nothing mends ${path}`);
    };

    it('accept code that is right on unseen cases', async () => {
      const fresh = () => task('hybrid.fixTest', /The test in ~\/(\w+) fails/).drawn;
      const drawn = fresh();
      const { path, right } = rightOf(drawn);
      const write =
        (source: string): HomeChange =>
        (home) =>
          home.write(path, source);
      const example = /deepStrictEqual\(\w+\((.*)\), (.*)\);/.exec(
        textOf(drawn, path.replace('.mjs', '.test.mjs')),
      )?.[2];
      const name = path.split('/')[1]?.replace('.mjs', '') ?? '';
      await expectJudged(fresh, sequence(write(right), check, press('merge')), {
        'not merged': sequence(write(right), check),
        'not checked': sequence(write(right), press('merge')),
        'the test alone satisfied': sequence(
          write(`export const ${name} = () => ${example};\n`),
          check,
          press('merge'),
        ),
        'the test removed': sequence((home) => home.remove(path.replace('.mjs', '.test.mjs')), check, press('merge')),
        'no module any more': sequence(write('{'), check, press('merge')),
        'a module that ends the program': sequence(
          write(`console.log('[1]'); process.exit();\n`),
          check,
          press('merge'),
        ),
        'a module that never ends': sequence(
          write(`for (;;) await new Promise((resolve) => setTimeout(resolve, 20_000));\n`),
          check,
          press('merge'),
        ),
      });
    }, 60_000);

    it('take what the preview shows once it is right', async () => {
      const { drawn } = task('hybrid.preview', /The preview is wrong/);
      const { path, right } = rightOf(drawn);
      let previewText = '';
      const look: HomeChange = async (home) => {
        await check(home);
        const tell = (expression: string) => (previewText = /tell\((".*?"), /.exec(expression)?.[1] ?? previewText);
        home.onPage = tell;
        await home.judge(drawn);
      };
      const accept: HomeChange = (home) => submit({ shown: JSON.parse(previewText) as string })(home);
      const mended: HomeChange = (home) => home.write(path, right);
      // A fresh task each, since it remembers its checks.
      const fresh = () => task('hybrid.preview', /The preview is wrong/).drawn;
      await expectJudged(fresh, sequence(mended, look, check, accept), {
        'not mended': sequence(look, check, accept),
        'something else': sequence(mended, check, submit({ shown: 'ok' })),
      });
    });
  },
);
