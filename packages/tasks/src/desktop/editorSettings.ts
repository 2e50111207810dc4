import { parse as parseIni } from 'ini';
import { jsonOf } from '../family/machine/json.js';
import type { Template } from '../family/machine/template.js';
import { hotkey, turnWhen, turn, type, wait } from '../family/machine/turns.js';
import {
  launchEditor,
  editorReady,
  editorTemplate,
  fileOf,
  hasLines,
  linesOf,
  saveAsTurns,
  rewriteLineTurn,
  saveTurns,
} from './editorApp.js';

const keys = ['port', 'timeout', 'workers', 'retries', 'limit', 'width', 'height'];

const setting: Template = {
  ...editorTemplate,
  name: 'textEditor.setting',
  description: "Change a setting in a program's .ini file.",
  draw(cast) {
    const file = `${cast.letters()}.ini`;
    const sections = cast.words(cast.between(2, 3)).map((name) => ({
      name,
      settings: cast
        .shuffle(keys)
        .slice(0, 3)
        .map((key) => ({ key, value: cast.number(100, 9_999) })),
    }));
    const section = cast.pick(sections);
    const { key } = cast.pick(section.settings);
    const value = cast.number(100, 9_999);
    const written = (changed: boolean) =>
      sections.flatMap(({ name, settings }) => [
        `[${name}]`,
        ...settings.map(
          (each) => `${each.key}=${changed && name === section.name && each.key === key ? value : each.value}`,
        ),
      ]);
    const [before, after] = [written(false), written(true)];
    const line = before.findIndex((old, index) => old !== after[index]);
    return {
      instruction: cast.say(
        {
          both: [
            'Set {key} in the section [{section}] to {value} and save the file.',
            'In the section [{section}], change {key} to {value}. Save the file.',
            '把 [{section}] 一节中的 {key} 设为 {value}，然后保存文件。',
          ],
          heldOut: [
            'The program reads this file. Its section [{section}] needs {key} at {value}: change that alone, and save.',
          ],
        },
        { key, section: section.name, value },
      ),
      difficulty: 2,
      files: { [file]: fileOf(before) },
      programs: launchEditor(file),
      async judge(evidence) {
        const text = await evidence.text(file);
        const read = iniOf(text);
        const expectedSettings = iniOf(fileOf(after));
        return {
          setting: read?.[section.name]?.[key] === String(value),
          rest: JSON.stringify(read) === JSON.stringify(expectedSettings) || hasLines(text, before),
        };
      },
      script: [
        rewriteLineTurn(`${key} of [${section.name}] stands in line ${line + 1}.`, line, after[line] ?? ''),
        ...saveTurns,
      ],
      again: saveTurns,
    };
  },
};

const launcher: Template = {
  ...editorTemplate,
  name: 'textEditor.launcher',
  description: 'Change the command or the name in a .desktop file.',
  draw(cast) {
    const file = `${cast.letters()}.desktop`;
    const key = cast.pick(['Name', 'Comment', 'Icon']);
    const value = key === 'Icon' ? cast.word() : cast.name();
    const entries: Record<string, string> = {
      Type: 'Application',
      Name: cast.name(),
      Comment: cast.name(),
      Exec: `/usr/bin/${cast.word()}`,
      Icon: cast.word(),
      Terminal: 'false',
    };
    const written = (fields: Readonly<Record<string, string>>) => [
      '[Desktop Entry]',
      ...Object.entries(fields).map(([name, text]) => `${name}=${text}`),
    ];
    const before = written(entries);
    const after = written({ ...entries, [key]: value });
    const line = after.findIndex((fresh, index) => fresh !== before[index]);
    return {
      instruction: cast.say(
        {
          both: [
            'Change the {key} of this launcher to {value} and save the file.',
            'The launcher in the editor should have the {key} {value}. Change it and save.',
            '把这个启动器的 {key} 改为 {value}，然后保存。',
          ],
          heldOut: ['This .desktop file has the wrong {key}; {value} is right. Correct it and save.'],
        },
        { key, value },
      ),
      difficulty: 1,
      files: { [file]: fileOf(before) },
      programs: launchEditor(file),
      async judge(evidence) {
        const text = await evidence.text(file);
        const entry = iniOf(text)?.['Desktop Entry'];
        return {
          value: entry?.[key] === value,
          rest: hasLines(text, before) || JSON.stringify(iniOf(text)) === JSON.stringify(iniOf(fileOf(after))),
        };
      },
      script: [rewriteLineTurn(`${key} stands in line ${line + 1}.`, line, after[line] ?? ''), ...saveTurns],
      again: saveTurns,
    };
  },
};

const addItem: Template = {
  ...editorTemplate,
  name: 'textEditor.addItem',
  description: 'Add an entry to a list in a JSON file.',
  draw(cast) {
    const file = `${cast.letters()}.json`;
    const list = cast.word();
    const items = cast.words(cast.between(2, 4));
    const item = cast.word();
    const count = cast.number(100, 9_999);
    const written = (listItems: readonly string[]) => [
      '{',
      `  "count": ${count},`,
      `  "${list}": [`,
      ...listItems.map((each, index) => `    "${each}"${index < listItems.length - 1 ? ',' : ''}`),
      '  ]',
      '}',
    ];
    const before = written(items);
    const last = before.length - 3;
    return {
      instruction: cast.say(
        {
          both: [
            'Add "{item}" at the end of the list "{list}" in this JSON file and save it.',
            'The list "{list}" should have one more entry, "{item}", as its last. The file must stay valid JSON. Save it.',
            '在这个 JSON 文件的列表“{list}”末尾添加“{item}”，然后保存。',
          ],
          heldOut: ['Append "{item}" to "{list}", so that the file is still JSON that a program can read, and save.'],
        },
        { item, list },
      ),
      difficulty: 2,
      files: { [file]: fileOf(before) },
      programs: launchEditor(file),
      async judge(evidence) {
        const read = jsonOf(await evidence.text(file));
        const savedList = read?.[list];
        return {
          json: read !== undefined,
          item: Array.isArray(savedList) && JSON.stringify(savedList) === JSON.stringify([...items, item]),
          rest: read?.count === count && Object.keys(read).length === 2,
        };
      },
      script: [
        rewriteLineTurn(
          'The last entry gets a comma, and the new one comes below.',
          last,
          `    "${items.at(-1)}",\n    "${item}"`,
        ),
        ...saveTurns,
      ],
      again: saveTurns,
    };
  },
};

const saveAs: Template = {
  ...editorTemplate,
  name: 'textEditor.saveAs',
  description: 'Save an edited copy of a text file under another name; leave the original unchanged.',
  draw(cast) {
    const [file, copy] = [`${cast.letters()}.txt`, `${cast.letters()}.txt`];
    const [old, fresh] = [cast.name(), cast.name()];
    const rest = [`Room ${cast.number(100, 999)}`, `Please bring the ${cast.word()}.`];
    const before = [`Dear ${old},`, ...rest];
    const after = [`Dear ${fresh},`, ...rest];
    return {
      instruction: cast.say(
        {
          both: [
            'Make a copy of this letter for {fresh} instead of {old} and save it as {copy} in the home folder. {file} itself must stay as it is.',
            'Address this letter to {fresh} rather than {old} and save it under the name {copy} in the home folder, leaving {file} unchanged.',
            '把这封信的收信人由 {old} 改为 {fresh}，另存到主文件夹，文件名为 {copy}；不要改动 {file}。',
          ],
          heldOut: [
            '{fresh} is to get the same letter as {old}. Save it in the home folder as {copy}; do not change {file}.',
          ],
        },
        { old, fresh, copy, file },
      ),
      difficulty: 3,
      files: { [file]: fileOf(before) },
      programs: launchEditor(file),
      async judge(evidence) {
        const text = await evidence.text(copy);
        return {
          file: text !== undefined,
          copy: hasLines(text, after),
          first: hasLines(await evidence.text(file), before),
        };
      },
      script: [
        rewriteLineTurn('The first line names who gets it.', 0, after[0] ?? ''),
        turn('Save it under another name.', hotkey('ctrl shift s'), wait(0.7)),
        ...saveAsTurns(copy),
      ],
    };
  },
};

const lookUp: Template = {
  ...editorTemplate,
  name: 'textEditor.lookUp',
  description: 'Look up a fact in one text file and append it to another.',
  draw(cast) {
    const [list, letter] = [`${cast.letters()}.txt`, `${cast.letters()}.txt`];
    const people = cast
      .names(cast.between(4, 7))
      .map((name) => ({ name, phone: `${cast.number(100, 999)} ${cast.number(1_000, 9_999)}` }));
    const { name, phone } = cast.pick(people);
    const lines = [`Dear ${cast.name()},`, `you can call ${name} at this number:`];
    return {
      instruction: cast.say(
        {
          both: [
            'Find the number of {name} in {list} and write it below the last line of {letter}. Save {letter}.',
            'The letter in {letter} lacks the number of {name}, which stands in {list}. Add it as a new last line and save.',
            '在 {list} 中找到 {name} 的号码，写到 {letter} 的最后一行之下，然后保存 {letter}。',
          ],
          heldOut: [
            '{letter} ends where the number of {name} should follow. Look it up in {list}, add it on a line of its own, and save.',
          ],
        },
        { name, list, letter },
      ),
      difficulty: 3,
      files: { [list]: fileOf(people.map((each) => `${each.name}  ${each.phone}`)), [letter]: fileOf(lines) },
      programs: launchEditor(list, letter),
      async judge(evidence) {
        const text = await evidence.text(letter);
        const [last = ''] = linesOf(text)?.slice(-1) ?? [];
        return { number: last.includes(phone), rest: hasLines(text, lines) || hasLines(text, [...lines, phone]) };
      },
      script: [
        turnWhen(
          editorReady,
          turn(`${name} has ${phone}. Write it below the letter.`, hotkey('ctrl end'), type(`${phone}\n`)),
        ),
        ...saveTurns,
      ],
      again: saveTurns,
    };
  },
};

type Ini = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

const iniOf = (text: string | undefined): Ini | undefined => (text === undefined ? undefined : parseIni(text));

export const settingTemplates: readonly Template[] = [setting, launcher, addItem, saveAs, lookUp];
