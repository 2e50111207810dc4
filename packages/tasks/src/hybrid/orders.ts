import { jsonOf } from '../family/machine/json.js';
import type { Template } from '../family/machine/template.js';
import { boardPage } from './board.js';
import { boardState, commandTurn, hybridTemplate, arePressed, pressTurn } from './hybridTemplate.js';

/** Templates in which the page assigns work on the machine's files. */

const configure: Template = {
  ...hybridTemplate,
  name: 'hybrid.configure',
  description: 'Write the settings from a page into a JSON file, and apply them on the page.',
  draw(cast) {
    const file = `${cast.letters()}.json`;
    const newSettings = { host: `${cast.word()}.example`, port: cast.number(2_000, 9_999), mode: cast.word() };
    const before = { host: `${cast.word()}.example`, port: cast.number(2_000, 9_999), mode: cast.word() };
    const owner = cast.name();
    const board = {
      brand: `${cast.name()} Deploy`,
      heading: 'New settings',
      parts: [
        {
          kind: 'facts',
          facts: [
            ['host', newSettings.host],
            ['port', String(newSettings.port)],
            ['mode', newSettings.mode],
          ],
        },
        { kind: 'text', text: `Write them into ~/${file}, then press Apply.` },
        { kind: 'presses', presses: [{ name: 'apply', label: 'Apply', done: 'Applied' }] },
      ],
    } as const;
    return {
      instruction: cast.say(
        {
          both: [
            'Write the settings of the page into ~/{file}, leave its owner as it is, then press Apply.',
            'Change ~/{file} to what the page shows (port is a number), keep the owner, and apply it on the page.',
            '把页面上的设置写入 ~/{file}（owner 保持不变），然后在页面上按 Apply。',
          ],
          heldOut: [
            '~/{file} has old settings; the page has the new ones. Bring the file up to date, without touching its owner, and press Apply.',
          ],
        },
        { file },
      ),
      difficulty: 2,
      files: { [file]: `${JSON.stringify({ owner, ...before }, null, 2)}\n` },
      page: boardPage(board, cast),
      async judge(evidence) {
        const read = jsonOf(await evidence.text(file));
        return {
          host: read?.host === newSettings.host,
          port: read?.port === newSettings.port,
          mode: read?.mode === newSettings.mode,
          rest: read?.owner === owner && Object.keys(read).length === 4,
          applied: arePressed(await boardState(evidence), ['apply']),
        };
      },
      script: [
        commandTurn('Look at the file.', `cat ~/${file}`),
        commandTurn(
          'Write the settings of the page.',
          `cat > ~/${file} <<'END'\n${JSON.stringify({ owner, ...newSettings }, null, 2)}\nEND`,
        ),
        pressTurn('Apply them.', 'apply'),
      ],
    };
  },
};

const renaming: Template = {
  ...hybridTemplate,
  name: 'hybrid.rename',
  description: 'Rename files according to a table on a page.',
  draw(cast) {
    const folder = cast.letters();
    const pairs = cast.words(cast.between(3, 5)).map((old) => ({ old: `${old}.jpg`, fresh: `${cast.word()}.jpg` }));
    const untouchedFile = `${cast.word()}.jpg`;
    const board = {
      brand: `${cast.name()} Photos`,
      heading: 'New names',
      parts: [
        { kind: 'table', heads: ['Now', 'To be'], rows: pairs.map(({ old, fresh }) => ({ cells: [old, fresh] })) },
        { kind: 'presses', presses: [{ name: 'done', label: 'All renamed', done: 'Thank you' }] },
      ],
    } as const;
    return {
      instruction: cast.say(
        {
          both: [
            'Rename the files of ~/{folder} as the page says, then press "All renamed".',
            'The page has a list of new names for files in ~/{folder}. Rename them and press "All renamed".',
            '按照页面上的列表重命名 ~/{folder} 中的文件，完成后按“All renamed”。',
          ],
          heldOut: [
            'Give the pictures in ~/{folder} the names that the page asks for, and tell the page when that is done.',
          ],
        },
        { folder },
      ),
      difficulty: 2,
      files: Object.fromEntries(
        [...pairs.map(({ old }) => old), untouchedFile].map((name) => [`${folder}/${name}`, `${name}\n`]),
      ),
      page: boardPage(board, cast),
      async judge(evidence) {
        const names = (await evidence.names(folder)) ?? [];
        const texts = await Promise.all(pairs.map(({ fresh }) => evidence.text(`${folder}/${fresh}`)));
        return {
          ...Object.fromEntries(pairs.map(({ old }, index) => [`file${index + 1}`, texts[index] === `${old}\n`])),
          rest: names.includes(untouchedFile) && names.length === pairs.length + 1,
          told: arePressed(await boardState(evidence), ['done']),
        };
      },
      script: [
        commandTurn(
          'Rename one after the other.',
          [`cd ~/${folder}`, ...pairs.map(({ old, fresh }) => `mv ${old} ${fresh}`), 'cd'].join(' && '),
        ),
        pressTurn('All are renamed.', 'done'),
      ],
    };
  },
};

const cleanUp: Template = {
  ...hybridTemplate,
  name: 'hybrid.cleanUp',
  description: 'Delete the folders of releases that a page marks as retired, and confirm.',
  draw(cast) {
    const folder = cast.letters();
    const releases = cast.words(cast.between(5, 7)).map((name) => ({ name, retired: cast.random.chance(0.45) }));
    if (!releases.some(({ retired }) => retired)) releases[0] = { name: releases[0]?.name ?? '', retired: true };
    const retired = releases.filter((release) => release.retired).map(({ name }) => name);
    const activeReleases = releases.filter((release) => !release.retired).map(({ name }) => name);
    const board = {
      brand: `${cast.name()} Releases`,
      heading: 'Releases',
      parts: [
        {
          kind: 'table',
          heads: ['Release', 'State'],
          rows: releases.map((release) => ({ cells: [release.name, release.retired ? 'retired' : 'in use'] })),
        },
        { kind: 'presses', presses: [{ name: 'confirm', label: 'Confirm clean-up', done: 'Confirmed' }] },
      ],
    } as const;
    return {
      instruction: cast.say(
        {
          both: [
            'Delete the folders of all retired releases from ~/{folder}, keep those in use, and confirm the clean-up on the page.',
            'In ~/{folder}, only the releases that the page shows as in use should stay. Delete the others and press "Confirm clean-up".',
            '从 ~/{folder} 中删除页面上标为 retired 的版本文件夹，保留 in use 的，然后在页面上确认。',
          ],
          heldOut: [
            '~/{folder} has a folder for each release. Those of retired ones are to go; then confirm that on the page.',
          ],
        },
        { folder },
      ),
      difficulty: 2,
      files: Object.fromEntries(releases.map(({ name }) => [`${folder}/${name}/app.txt`, `${name}\n`])),
      page: boardPage(board, cast),
      async judge(evidence) {
        const names = await evidence.names(folder);
        return {
          gone: names !== undefined && retired.every((name) => !names.includes(name)),
          kept: activeReleases.every((name) => names?.includes(name)),
          confirmed: arePressed(await boardState(evidence), ['confirm']),
        };
      },
      script: [
        commandTurn('Delete the retired ones.', `cd ~/${folder} && rm -r ${retired.join(' ')} && ls && cd`),
        pressTurn('Confirm it.', 'confirm'),
      ],
    };
  },
};

const keepNote: Template = {
  ...hybridTemplate,
  name: 'hybrid.keepNote',
  description: 'Save the message of one person on a page to a file, and archive it on the page.',
  draw(cast) {
    const messages = cast.names(4).map((from) => ({
      from,
      text: `Meet at ${cast.between(8, 19)}:${cast.between(10, 59)} near the ${cast.word()}`,
    }));
    const { from, text } = cast.pick(messages);
    const file = `${cast.letters()}/${from.toLowerCase()}.txt`;
    const board = {
      brand: `${cast.name()} Messages`,
      heading: 'Inbox',
      parts: [
        {
          kind: 'table',
          heads: ['From', 'Message'],
          rows: messages.map((message) => ({
            cells: [message.from, message.text],
            press: { name: message.from, label: 'Archive', done: 'Archived' },
          })),
        },
      ],
    } as const;
    return {
      instruction: cast.say(
        {
          both: [
            'Save the message of {from}, word for word, as ~/{file} and archive it on the page.',
            'Write what {from} says into the file ~/{file} (make the folder), then press Archive for that message.',
            '把 {from} 的消息原文保存为 ~/{file}，并在页面上把这条消息归档。',
          ],
          heldOut: [
            '~/{file} should hold the message of {from} exactly as it is. After that, archive the message, and no other.',
          ],
        },
        { from, file },
      ),
      difficulty: 2,
      page: boardPage(board, cast),
      async judge(evidence) {
        return {
          text: (await evidence.text(file))?.trim() === text,
          archived: arePressed(await boardState(evidence), [from]),
        };
      },
      script: [
        commandTurn('Write it down.', `mkdir -p ~/${file.split('/')[0]} && echo '${text}' > ~/${file}`),
        pressTurn('Archive it.', from),
      ],
    };
  },
};

export const orderTemplates: readonly Template[] = [configure, renaming, cleanUp, keepNote];
