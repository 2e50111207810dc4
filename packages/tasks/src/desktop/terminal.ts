import type { Cast } from '../family/machine/cast.js';
import type { Launch } from '../family/machine/setUp.js';
import { xterm } from '../family/machine/requirement.js';
import type { ScriptedTurn, Template } from '../family/machine/template.js';
import { turnWhen, turn, type, wait } from '../family/machine/turns.js';
import { fileOf } from './editorApp.js';

/** Terminal templates: the agent types into a visible terminal and has no other shell. */

const terminalTemplate = {
  kind: 'desktop',
  surfaces: ['screen'],
  screen: { width: 640, height: 480 },
  needs: [xterm],
} as const satisfies Partial<Template>;

const title = 'Terminal';

const programs: Launch[] = [
  {
    program: 'xterm',
    args: ['-T', title, '-fa', 'DejaVu Sans Mono', '-fs', '10', '-geometry', '76x24+4+2', '-e', 'bash'],
    window: title,
  },
];

const ready: ScriptedTurn['when'] = async ({ desktop }) =>
  ((await desktop?.windows()) ?? []).some(({ focused }) => focused);

const command = (thought: string, text: string): ScriptedTurn =>
  turnWhen(ready, turn(thought, type(`${text}\n`), wait(0.5)));

const answering = (thought: string, answer: string): ScriptedTurn => ({
  thought,
  actions: [{ type: 'finished', answer }],
});

const isAnswer = (answer: string | undefined, wanted: string): boolean =>
  answer?.trim().toLowerCase().replace(/["'.]/g, '') === wanted.toLowerCase();

const prose = (cast: Cast, words: readonly string[]) => Array.from({ length: 5 }, () => cast.pick(words)).join(' ');

const count: Template = {
  ...terminalTemplate,
  name: 'terminal.count',
  description: 'Count the lines of a file that contain a word, in a terminal.',
  draw(cast) {
    const [file, word, others] = [`${cast.letters()}.txt`, cast.word(), cast.words(6)];
    const matchCount = cast.between(7, 60);
    const lines = cast.shuffle([
      ...Array.from({ length: matchCount }, () => `${prose(cast, others)} ${word} ${cast.pick(others)}`),
      ...Array.from({ length: cast.between(40, 120) }, () => prose(cast, others)),
    ]);
    return {
      instruction: cast.say(
        {
          both: [
            'How many lines of {file} have the word "{word}"? Count them in the terminal and answer with the number.',
            'Count the lines of {file} in which "{word}" stands; the answer is the number alone.',
            '文件 {file} 中有多少行包含“{word}”？请在终端中统计，并回答数字。',
          ],
          heldOut: ['I need to know in how many lines of {file} the word "{word}" turns up. Answer with the number.'],
        },
        { file, word },
      ),
      difficulty: 2,
      files: { [file]: fileOf(lines) },
      programs,
      judge: ({ answer }) => Promise.resolve({ answer: isAnswer(answer, String(matchCount)) }),
      script: [
        command('grep counts lines.', `grep -c ${word} ${file}`),
        answering(`It says ${matchCount}.`, String(matchCount)),
      ],
    };
  },
};

const largest: Template = {
  ...terminalTemplate,
  name: 'terminal.largest',
  description: 'Find the largest file below a folder, in a terminal.',
  draw(cast) {
    const folder = cast.letters();
    const parts = cast.words(3);
    const files = cast.words(cast.between(6, 10)).map((name, index) => ({
      name: `${name}.dat`,
      path: `${folder}/${parts[index % parts.length]}/${name}.dat`,
      bytes: cast.number(200, 9_000),
    }));
    const [largestFile = files[0]] = files.toSorted((a, b) => b.bytes - a.bytes);
    const name = largestFile?.name ?? '';
    return {
      instruction: cast.say(
        {
          both: [
            'Which is the largest file below the folder {folder}? Answer with its name, without the folder.',
            'Look through {folder} and its folders for the largest file; the answer is its name.',
            '文件夹 {folder}（包括子文件夹）中最大的文件叫什么？请回答文件名。',
          ],
          heldOut: ['One file below {folder} takes more room than any other. Answer with its name.'],
        },
        { folder },
      ),
      difficulty: 2,
      files: Object.fromEntries(files.map(({ path, bytes }) => [path, 'x'.repeat(bytes)])),
      programs,
      judge: ({ answer }) =>
        Promise.resolve({
          answer: isAnswer(
            answer
              ?.split('/')
              .at(-1)
              ?.replace(/\.dat$/, ''),
            name.replace(/\.dat$/, ''),
          ),
        }),
      script: [
        command('List all files by their size.', `find ${folder} -type f -printf '%s %f\\n' | sort -n | tail -3`),
        answering('The last one is the largest.', name),
      ],
    };
  },
};

const unpack: Template = {
  ...terminalTemplate,
  name: 'terminal.unpack',
  description: 'Unpack an archive in a terminal and read a word in one of its files.',
  draw(cast) {
    const [archive, folder] = [cast.letters(), cast.word()];
    const files = cast.words(cast.between(3, 5)).map((name) => ({ name: `${name}.txt`, code: cast.letters() }));
    const { name, code } = cast.pick(files);
    return {
      instruction: cast.say(
        {
          both: [
            'Unpack {archive}.tar.gz in the home folder and answer with the code that stands in its file {name}.',
            'What code does {name} in the archive {archive}.tar.gz have? Unpack it where it is, then answer.',
            '在主文件夹中解压 {archive}.tar.gz，并回答其中文件 {name} 里的代码。',
          ],
          heldOut: [
            '{archive}.tar.gz has a file {name} with a code in it. Unpack the archive in the home folder and give the code as the answer.',
          ],
        },
        { archive, name },
      ),
      difficulty: 2,
      files: Object.fromEntries(files.map((file) => [`${folder}/${file.name}`, `code: ${file.code}\n`])),
      commands: [`tar -czf ${archive}.tar.gz ${folder}`, `rm -r ${folder}`],
      programs,
      async judge(evidence) {
        const text = await evidence.text(`${folder}/${name}`);
        return {
          unpacked: text?.includes(code) === true,
          answer: isAnswer(evidence.answer?.replace(/^code:/i, ''), code),
        };
      },
      script: [
        command('Unpack it and look.', `tar -xzf ${archive}.tar.gz && cat */${name}`),
        answering(`It says ${code}.`, code),
      ],
    };
  },
};

const move: Template = {
  ...terminalTemplate,
  name: 'terminal.move',
  description: 'Move all files of one type into a folder, in a terminal.',
  draw(cast) {
    const [folder, target] = [cast.letters(), cast.word()];
    const [ending, otherEnding] = cast.shuffle(['log', 'csv', 'txt', 'bak']) as [string, string];
    const moving = cast.words(cast.between(3, 6)).map((name) => `${name}.${ending}`);
    const staying = cast.words(cast.between(2, 4)).map((name) => `${name}.${otherEnding}`);
    return {
      instruction: cast.say(
        {
          both: [
            'Move all files of {folder} that end in .{ending} into the folder {folder}/{target}, which is there already.',
            'In {folder}, put every .{ending} file into {target}; leave the others where they are.',
            '把 {folder} 中所有 .{ending} 文件移动到 {folder}/{target}，其他文件保持不动。',
          ],
          heldOut: [
            'The .{ending} files of {folder} belong into its folder {target}. Move them there, and nothing else.',
          ],
        },
        { folder, target, ending },
      ),
      difficulty: 2,
      folders: [`${folder}/${target}`],
      files: Object.fromEntries(
        cast.shuffle([...moving, ...staying]).map((name) => [`${folder}/${name}`, `${name}\n`]),
      ),
      programs,
      async judge(evidence) {
        const [above = [], below = []] = [await evidence.names(folder), await evidence.names(`${folder}/${target}`)];
        return {
          moved: moving.every((name) => below.includes(name)),
          rest:
            [...staying, target].every((name) => above.includes(name)) && below.every((name) => moving.includes(name)),
          gone: moving.every((name) => !above.includes(name)),
        };
      },
      script: [command('mv takes them all at once.', `mv ${folder}/*.${ending} ${folder}/${target}/`)],
    };
  },
};

const rename: Template = {
  ...terminalTemplate,
  name: 'terminal.rename',
  description: 'Change the file extension of files in a folder, in a terminal.',
  draw(cast) {
    const folder = cast.letters();
    const [old, fresh] = cast.shuffle(['txt', 'text', 'md', 'note', 'dat']) as [string, string];
    const names = cast.words(cast.between(3, 6));
    const unrelatedFile = `${cast.word()}.cfg`;
    return {
      instruction: cast.say(
        {
          both: [
            'In the folder {folder}, rename every file that ends in .{old} so that it ends in .{fresh}. Their contents stay.',
            'Change the ending .{old} of the files in {folder} to .{fresh}.',
            '把 {folder} 中所有以 .{old} 结尾的文件改为以 .{fresh} 结尾。',
          ],
          heldOut: ['All .{old} files of {folder} should be .{fresh} files, with the same names before the dot.'],
        },
        { folder, old, fresh },
      ),
      difficulty: 3,
      files: {
        ...Object.fromEntries(names.map((name) => [`${folder}/${name}.${old}`, `${name}\n`])),
        [`${folder}/${unrelatedFile}`]: 'x=1\n',
      },
      programs,
      async judge(evidence) {
        const entryNames = (await evidence.names(folder)) ?? [];
        const texts = await Promise.all(names.map((name) => evidence.text(`${folder}/${name}.${fresh}`)));
        return {
          names: names.every((name) => entryNames.includes(`${name}.${fresh}`)),
          contents: names.every((name, index) => texts[index] === `${name}\n`),
          rest: entryNames.includes(unrelatedFile) && entryNames.length === names.length + 1,
        };
      },
      script: [
        command(
          'One after another, in a loop.',
          `cd ${folder}; for f in *.${old}; do mv $f \${f%.*}.${fresh}; done; cd`,
        ),
      ],
    };
  },
};

const permit: Template = {
  ...terminalTemplate,
  name: 'terminal.permit',
  description: 'Make a script executable, in a terminal.',
  draw(cast) {
    const folder = cast.letters();
    const scripts = cast.words(cast.between(3, 5)).map((name) => `${name}.sh`);
    const script = cast.pick(scripts);
    return {
      instruction: cast.say(
        {
          both: [
            'Make {script} in the folder {folder} executable for its owner, and leave the other scripts as they are.',
            'Of the scripts in {folder}, only {script} should be allowed to run. Set its permission.',
            '把 {folder} 中的 {script} 设为可执行，其他脚本保持不变。',
          ],
          heldOut: [
            '{folder}/{script} cannot be started, as it lacks the permission. Give it that permission, and no other file.',
          ],
        },
        { script, folder },
      ),
      difficulty: 1,
      files: Object.fromEntries(scripts.map((name) => [`${folder}/${name}`, '#!/bin/sh\necho ready\n'])),
      commands: [`chmod 644 ${folder}/*.sh`],
      programs,
      async judge(evidence) {
        const runs = async (name: string) => (((await evidence.entry(`${folder}/${name}`))?.mode ?? 0) & 0o100) !== 0;
        const others = await Promise.all(scripts.filter((name) => name !== script).map(runs));
        return { script: await runs(script), rest: !others.includes(true) };
      },
      script: [command('chmod sets it.', `chmod u+x ${folder}/${script}`)],
    };
  },
};

const link: Template = {
  ...terminalTemplate,
  name: 'terminal.link',
  description: 'Create a symbolic link to one of several folders, in a terminal.',
  draw(cast) {
    const folder = cast.letters();
    const releases = cast.words(cast.between(3, 5));
    const release = cast.pick(releases);
    const name = cast.word();
    return {
      instruction: cast.say(
        {
          both: [
            'In {folder}, make a symbolic link with the name {name} that leads to the folder {release} beside it.',
            'Link {folder}/{name} to {folder}/{release} (a symbolic link).',
            '在 {folder} 中创建一个名为 {name} 的符号链接，指向同一处的文件夹 {release}。',
          ],
          heldOut: ['{folder}/{name} should be a symbolic link, and lead to {release} in the same folder. Make it.'],
        },
        { folder, name, release },
      ),
      difficulty: 3,
      files: Object.fromEntries(releases.map((each) => [`${folder}/${each}/version`, `${each}\n`])),
      programs,
      async judge(evidence) {
        const entry = await evidence.entry(`${folder}/${name}`);
        const { home } = evidence.machine;
        const target = entry?.target?.replace(/\/$/, '').replace(/^\.\//, '');
        return {
          link: entry?.type === 'link',
          target: target === release || target === `${home}/${folder}/${release}`,
        };
      },
      script: [command('ln -s makes it, seen from the folder.', `ln -s ${release} ${folder}/${name}`)],
    };
  },
};

const substitute: Template = {
  ...terminalTemplate,
  name: 'terminal.substitute',
  description: 'Replace a host name in several files at once, in a terminal.',
  draw(cast) {
    const folder = cast.letters();
    const [old, fresh, otherHost] = cast.words(3) as [string, string, string];
    const files = cast
      .words(cast.between(4, 7))
      .map((name, index) => ({ name: `${name}.conf`, host: index % 3 === 2 ? otherHost : old }));
    const text = (host: string, name: string) => `name=${name}\nhost=${host}.example\n`;
    return {
      instruction: cast.say(
        {
          both: [
            'In all files of {folder}, replace the host {old}.example by {fresh}.example. Other hosts stay.',
            'The host {old}.example is now {fresh}.example. Change that in every file of the folder {folder}.',
            '把 {folder} 中所有文件里的主机 {old}.example 改为 {fresh}.example，其他主机不变。',
          ],
          heldOut: [
            'No file of {folder} should name {old}.example any more; it is {fresh}.example now. Change them all.',
          ],
        },
        { folder, old, fresh },
      ),
      difficulty: 3,
      files: Object.fromEntries(files.map(({ name, host }) => [`${folder}/${name}`, text(host, name)])),
      programs,
      async judge(evidence) {
        const read = await Promise.all(files.map(({ name }) => evidence.text(`${folder}/${name}`)));
        const isRight = (index: number) =>
          read[index] === text(files[index]?.host === old ? fresh : otherHost, files[index]?.name ?? '');
        const changed = files.flatMap(({ host }, index) => (host === old ? [index] : []));
        return {
          changed: changed.every(isRight),
          rest: files.every((_, index) => changed.includes(index) || isRight(index)),
        };
      },
      script: [command('sed changes all of them.', `sed -i s/${old}.example/${fresh}.example/ ${folder}/*.conf`)],
    };
  },
};

export const terminalTemplates: readonly Template[] = [count, largest, unpack, move, rename, permit, link, substitute];
