import type { Cast } from '../family/machine/cast.js';
import type { Template } from '../family/machine/template.js';
import { hotkey, turnWhen, turn, type, wait } from '../family/machine/turns.js';
import {
  launchEditor,
  editorReady,
  editorTemplate,
  fileOf,
  hasLines,
  selectLine,
  saveAsTurns,
  rewriteLineTurn,
  saveTurns,
  goToLine,
} from './editorApp.js';

function drawLines(cast: Cast, count: number): string[] {
  return Array.from(
    { length: count },
    () => `${cast.name()}: ${cast.number(100, 999)} ${cast.pick(['pieces', 'boxes', 'metres', 'litres'])}`,
  );
}

const write: Template = {
  ...editorTemplate,
  name: 'textEditor.write',
  description: 'Write a few lines in a new text file and save it under a given name.',
  draw(cast) {
    const lines = drawLines(cast, cast.between(1, 3));
    const file = `${cast.letters()}.txt`;
    return {
      instruction: cast.say(
        {
          both: [
            'Write the following into the empty text and save it as {file} in the home folder:\n{lines}',
            'Save a text with the name {file} in the home folder. It has these lines:\n{lines}',
            '在空白文本中写入以下内容，并以 {file} 为名保存到主文件夹：\n{lines}',
          ],
          heldOut: ['There should be a file {file} in the home folder that says exactly this:\n{lines}'],
        },
        { file, lines: lines.join('\n') },
      ),
      difficulty: 2,
      programs: launchEditor(),
      async judge(evidence) {
        const text = await evidence.text(file);
        return { file: text !== undefined, text: hasLines(text, lines) };
      },
      script: [
        turnWhen(editorReady, turn('Write the lines.', type(`${lines.join('\n')}\n`))),
        turn('Save it; it has no name yet.', hotkey('ctrl s'), wait(0.7)),
        ...saveAsTurns(file),
      ],
    };
  },
};

const correct: Template = {
  ...editorTemplate,
  name: 'textEditor.correct',
  description: 'Change one line of a text file.',
  draw(cast) {
    const file = `${cast.letters()}.txt`;
    const lines = drawLines(cast, cast.between(5, 10));
    const line = cast.between(0, lines.length - 1);
    const [name = ''] = lines[line]?.split(':') ?? [];
    const value = cast.number(100, 999);
    const right = lines.map((old, index) => (index === line ? old.replace(/\d+/, String(value)) : old));
    return {
      instruction: cast.say(
        {
          both: [
            'Change the number of {name} to {value} and save the file.',
            'In the text that is open, {name} should have {value}. Change the number and save.',
            '把 {name} 的数字改为 {value} 并保存文件。',
          ],
          heldOut: ['The number in the line of {name} is wrong. Make it {value}, then save.'],
        },
        { name, value },
      ),
      difficulty: 1,
      files: { [file]: fileOf(lines) },
      programs: launchEditor(file),
      async judge(evidence) {
        const text = await evidence.text(file);
        return {
          line: text?.includes(right[line] ?? '') === true,
          rest: hasLines(text, lines) || hasLines(text, right),
        };
      },
      script: [rewriteLineTurn(`${name} stands in line ${line + 1}.`, line, right[line] ?? ''), ...saveTurns],
      again: saveTurns,
    };
  },
};

const replace: Template = {
  ...editorTemplate,
  name: 'textEditor.replace',
  description: 'Replace every occurrence of a word in a text file.',
  draw(cast) {
    const file = `${cast.letters()}.txt`;
    const [old, fresh] = [cast.word(), cast.word()];
    const others = cast.words(4);
    const draw = () =>
      cast
        .shuffle([...others, ...(cast.random.chance(0.6) ? [old] : [])])
        .slice(0, 4)
        .join(' ');
    const lines = [...Array.from({ length: 8 }, draw), `${old} ${others[0]} ${old}`];
    const right = lines.map((line) => line.replaceAll(old, fresh));
    return {
      instruction: cast.say(
        {
          both: [
            'Replace "{old}" by "{fresh}" everywhere in the text and save the file.',
            'Every "{old}" in this text should become "{fresh}". Save it then.',
            '把文本中所有的“{old}”替换为“{fresh}”，然后保存。',
          ],
          heldOut: ['No "{old}" should be left in the text: put "{fresh}" in its place each time, and save.'],
        },
        { old, fresh },
      ),
      difficulty: 3,
      files: { [file]: fileOf(lines) },
      programs: launchEditor(file),
      async judge(evidence) {
        const text = await evidence.text(file);
        return { none: text !== undefined && !text.includes(old), all: hasLines(text, right) };
      },
      script: [
        turnWhen(editorReady, turn('Mark all of the text.', hotkey('ctrl a'))),
        turn('Write it as it should be.', type(fileOf(right))),
        ...saveTurns,
      ],
      again: saveTurns,
    };
  },
};

const removeLines: Template = {
  ...editorTemplate,
  name: 'textEditor.removeLines',
  description: 'Delete the comment lines of a text file.',
  draw(cast) {
    const file = `${cast.letters()}.conf`;
    const settings = drawLines(cast, cast.between(4, 7));
    const comments = cast.names(cast.between(1, 3)).map((name) => `# ${name}`);
    const lines = cast.shuffle([...settings, ...comments]);
    const remainingLines = lines.filter((line) => !line.startsWith('#'));
    const numbers = lines.flatMap((line, index) => (line.startsWith('#') ? [index] : [])).reverse();
    return {
      instruction: cast.say({
        both: [
          'Delete every line that begins with #, the whole line each time, and save the file.',
          'Remove all lines with a # at their beginning, then save.',
          '删除所有以 # 开头的行，然后保存文件。',
        ],
        heldOut: ['The comments (lines that begin with #) are not needed any more. Take them out and save.'],
      }),
      difficulty: 2,
      files: { [file]: fileOf(lines) },
      programs: launchEditor(file),
      async judge(evidence) {
        const text = await evidence.text(file);
        return { none: text !== undefined && !text.includes('#'), rest: hasLines(text, remainingLines) };
      },
      script: [
        ...numbers.map((line) =>
          turnWhen(
            editorReady,
            turn(
              `Line ${line + 1} is a comment.`,
              ...goToLine(line),
              hotkey('home'),
              hotkey('shift arrowdown'),
              hotkey('delete'),
            ),
          ),
        ),
        ...saveTurns,
      ],
      again: saveTurns,
    };
  },
};

const moveLine: Template = {
  ...editorTemplate,
  name: 'textEditor.moveLine',
  description: 'Move a line of a text file to the top.',
  draw(cast) {
    const file = `${cast.letters()}.txt`;
    const lines = drawLines(cast, cast.between(4, 8));
    const line = cast.between(1, lines.length - 1);
    const moved = lines[line] ?? '';
    const right = [moved, ...lines.filter((other) => other !== moved)];
    return {
      instruction: cast.say(
        {
          both: [
            'Move the line of {name} to the top of the text and save the file.',
            'The line that begins with {name} should come first, the others as they are. Save it.',
            '把 {name} 这一行移到文本最上面，其他行顺序不变，然后保存。',
          ],
          heldOut: ['Put {name} at the head of the list, without changing the order of the rest, and save.'],
        },
        { name: moved.split(':')[0] ?? '' },
      ),
      difficulty: 2,
      files: { [file]: fileOf(lines) },
      programs: launchEditor(file),
      async judge(evidence) {
        const text = await evidence.text(file);
        return { first: text?.startsWith(moved) === true, rest: hasLines(text, right) };
      },
      script: [
        turnWhen(
          editorReady,
          turn('Cut the line.', ...goToLine(line), ...selectLine, hotkey('ctrl x'), hotkey('backspace')),
        ),
        turn('Put it first.', hotkey('ctrl home'), hotkey('ctrl v'), hotkey('enter')),
        ...saveTurns,
      ],
      again: saveTurns,
    };
  },
};

const copyLine: Template = {
  ...editorTemplate,
  name: 'textEditor.copyLine',
  description: 'Copy a line of a text file to the clipboard.',
  draw(cast) {
    const file = `${cast.letters()}.txt`;
    const lines = drawLines(cast, cast.between(4, 9));
    const line = cast.between(0, lines.length - 1);
    const lineText = lines[line] ?? '';
    return {
      instruction: cast.say(
        {
          both: [
            'Copy the line of {name} to the clipboard, all of it and nothing else.',
            'Put the whole line that begins with {name} into the clipboard.',
            '把 {name} 这一整行复制到剪贴板。',
          ],
          heldOut: ['I want to paste the line of {name} elsewhere. Copy exactly that line.'],
        },
        { name: lineText.split(':')[0] ?? '' },
      ),
      difficulty: 1,
      files: { [file]: fileOf(lines) },
      programs: launchEditor(file),
      async judge({ machine }) {
        return { clipboard: (await machine.desktop?.readClipboard())?.trim() === lineText };
      },
      script: [
        turnWhen(editorReady, turn('Mark the line.', ...goToLine(line), ...selectLine)),
        turn('Copy it.', hotkey('ctrl c'), wait(0.3)),
      ],
    };
  },
};

export const textTemplates: readonly Template[] = [write, correct, replace, removeLines, moveLine, copyLine];
