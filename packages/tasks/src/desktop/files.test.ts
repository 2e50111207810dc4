import { describe, expect, it } from 'vitest';
import { type HomeChange, expectJudged, type Home, taskWith } from '../family/machine/home.test.support.js';
import type { Drawn } from '../family/machine/template.js';
import { desktopTemplates } from './families.js';

const task = (name: string, pattern: RegExp) => taskWith(desktopTemplates, name, pattern);

const fileOf = ({ files = {} }: Drawn, ending: string) =>
  Object.keys(files).find((path) => path.endsWith(ending)) ?? '';

const edit =
  (file: string, change: (text: string) => string): HomeChange =>
  (home) =>
    home.edit(file, change);
const answer =
  (text: string): HomeChange =>
  (home) =>
    void (home.answer = text);
const both =
  (...deeds: readonly HomeChange[]): HomeChange =>
  async (home) => {
    for (const deed of deeds) await deed(home);
  };

const run =
  (command: string): HomeChange =>
  async (home) => {
    await home.run(command);
  };

describe('the verifiers of the editor', () => {
  it('take a new text under its name', async () => {
    const { drawn, groups } = task('textEditor.write', /save it as (\w+\.txt) in the home folder:\n([^]*)$/);
    const [file = '', text = ''] = groups;
    const write =
      (path: string, content: string): HomeChange =>
      (home) =>
        home.write(path, content);
    await expectJudged(drawn, write(file, `${text}\n`), {
      'another name': write('Untitled 1', text),
      'another place': write(`Documents/${file}`, text),
      'one letter less': write(file, text.slice(0, -1)),
      'a line more': write(file, `${text}\nend`),
    });
    await expectJudged(drawn, write(file, text), {});
  });

  it('take one changed number', async () => {
    const { drawn, groups } = task('textEditor.correct', /Change the number of (\w+) to (\d+)/);
    const [name = '', value = ''] = groups;
    const file = fileOf(drawn, '.txt');
    const set = (of: RegExp) => edit(file, (text) => text.replace(of, `$1${value}`));
    await expectJudged(drawn, set(new RegExp(`(${name}: )\\d+`)), {
      'all numbers': set(/(: )\d+/g),
      'the unit lost': edit(file, (text) => text.replace(new RegExp(`${name}: .*`), `${name}: ${value}`)),
      'a second line': edit(file, (text) => `${text}${name}: ${value} pieces\n`),
    });
  });

  it('take a word that was replaced everywhere', async () => {
    const { drawn, groups } = task('textEditor.replace', /Replace "(\w+)" by "(\w+)"/);
    const [old = '', fresh = ''] = groups;
    const file = fileOf(drawn, '.txt');
    await expectJudged(
      drawn,
      edit(file, (text) => text.replaceAll(old, fresh)),
      {
        'the first alone': edit(file, (text) => text.replace(old, fresh)),
        'the word taken out': edit(file, (text) => text.replaceAll(old, '')),
        'all other words lost': edit(file, () => fresh),
      },
    );
  });

  it('take lines that are gone, and only those', async () => {
    const { drawn } = task('textEditor.removeLines', /Delete every line that begins with #/);
    const file = fileOf(drawn, '.conf');
    await expectJudged(
      drawn,
      edit(file, (text) => text.replace(/^#.*\n/gm, '')),
      {
        'empty lines left': edit(file, (text) => text.replace(/^#.*/gm, '')),
        'the sign alone': edit(file, (text) => text.replaceAll('# ', '')),
        everything: edit(file, () => ''),
        'one line too many': edit(file, (text) => text.replace(/^#.*\n/gm, '').replace(/^.*\n/, '')),
      },
    );
  });

  it('take a line that has moved to the top', async () => {
    const { drawn, groups } = task('textEditor.moveLine', /Move the line of (\w+) to the top/);
    const file = fileOf(drawn, '.txt');
    const line = new RegExp(`^${groups[0]}:.*\\n`, 'm');
    const move = (place: (moved: string, rest: string) => string) =>
      edit(file, (text) => place(line.exec(text)?.[0] ?? '', text.replace(line, '')));
    await expectJudged(
      drawn,
      move((moved, rest) => moved + rest),
      {
        'to the end': move((moved, rest) => rest + moved),
        'a copy of it': edit(file, (text) => (line.exec(text)?.[0] ?? '') + text),
        'the rest in another order': move((moved, rest) => moved + rest.trim().split('\n').reverse().join('\n')),
      },
    );
  });

  it('take what the clipboard has', async () => {
    const { drawn, groups } = task('textEditor.copyLine', /Copy the line of (\w+) to the clipboard/);
    const line = new RegExp(`^${groups[0]}:.*`, 'm');
    const copy =
      (take: (text: string) => string): HomeChange =>
      (home) =>
        void (home.clipboard = take(home.read(fileOf(drawn, '.txt'))));
    await expectJudged(
      drawn,
      copy((text) => line.exec(text)?.[0] ?? ''),
      {
        'the name alone': copy(() => groups[0] ?? ''),
        'all of the text': copy((text) => text),
      },
    );
  });

  it('take a setting of its section', async () => {
    const { drawn, groups } = task('textEditor.setting', /Set (\w+) in the section \[(\w+)\] to (\d+)/);
    const [key = '', section = '', value = ''] = groups;
    const file = fileOf(drawn, '.ini');
    const here = new RegExp(`(\\[${section}\\][^[]*?${key}=)\\d+`);
    await expectJudged(
      drawn,
      edit(file, (text) => text.replace(here, `$1${value}`)),
      {
        'in every section': edit(file, (text) =>
          text.replace(new RegExp(`(${key}=)\\d+`, 'g'), `$1${value}`).replace(/\[(\w+)\]/, '[$1]\nextra=1'),
        ),
        'below, in a section of its own': edit(file, (text) => `${text}[${key}]\n${key}=${value}\n`),
        'the section renamed': edit(file, (text) => text.replace(here, `$1${value}`).replace(section, 'main')),
      },
    );
    await expectJudged(
      drawn,
      edit(file, (text) => text.replace(here, `$1${value}`).replaceAll('=', ' = ')),
      {},
    );
  });

  it('take an entry of a launcher', async () => {
    const { drawn, groups } = task('textEditor.launcher', /Change the (\w+) of this launcher to (\w+)/);
    const [key = '', value = ''] = groups;
    const file = fileOf(drawn, '.desktop');
    await expectJudged(
      drawn,
      edit(file, (text) => text.replace(new RegExp(`^${key}=.*`, 'm'), `${key}=${value}`)),
      {
        'another entry': edit(file, (text) => text.replace(/^Exec=.*/m, `Exec=${value}`)),
        'the command gone': edit(file, (text) =>
          text.replace(new RegExp(`^${key}=.*`, 'm'), `${key}=${value}`).replace(/^Exec=.*\n/m, ''),
        ),
        'outside of the entry': edit(file, (text) => `${key}=${value}\n${text}`),
      },
    );
  });

  it('take a longer list in JSON', async () => {
    const { drawn, groups } = task('textEditor.addItem', /Add "(\w+)" at the end of the list "(\w+)"/);
    const [item = '', list = ''] = groups;
    const file = fileOf(drawn, '.json');
    const change = (make: (data: Record<string, unknown>, old: string[]) => object) =>
      edit(file, (text) => {
        const data = JSON.parse(text) as Record<string, unknown>;
        return JSON.stringify(make(data, data[list] as string[]));
      });
    await expectJudged(
      drawn,
      change((data, old) => ({ ...data, [list]: [...old, item] })),
      {
        'at the beginning': change((data, old) => ({ ...data, [list]: [item, ...old] })),
        'no comma': edit(file, (text) => text.replace('\n  ]', `\n    "${item}"\n  ]`)),
        'the count changed too': change((data, old) => ({ ...data, count: 0, [list]: [...old, item] })),
        'another list': change((data) => ({ ...data, more: [item] })),
      },
    );
  });

  it('take a changed copy beside the first', async () => {
    const { drawn, groups } = task('textEditor.saveAs', /letter for (\w+) instead of (\w+) and save it as (\w+\.txt)/);
    const [fresh = '', old = '', copy = ''] = groups;
    const file = fileOf(drawn, '.txt');
    const save =
      (to: string, change: (text: string) => string): HomeChange =>
      (home) =>
        home.write(to, change(home.read(file)));
    const right = (text: string) => text.replace(old, fresh);
    await expectJudged(drawn, save(copy, right), {
      'the first changed as well': both(save(copy, right), edit(file, right)),
      'the same letter': save(copy, (text) => text),
      'moved instead of copied': both(save(copy, right), (home) => home.remove(file)),
    });
  });

  it('take what was looked up, on a line of its own', async () => {
    const { drawn, groups } = task(
      'textEditor.lookUp',
      /Find the number of (\w+) in (\w+\.txt) and write it below the last line of (\w+\.txt)/,
    );
    const [name = '', list = '', letter = ''] = groups;
    const phone = (home: Home, of: string) => new RegExp(`^${of}  (.*)`, 'm').exec(home.read(list))?.[1] ?? '';
    const append =
      (text: (home: Home) => string): HomeChange =>
      (home) =>
        home.write(letter, home.read(letter) + text(home));
    const otherNumber = (home: Home) =>
      home
        .read(list)
        .split('\n')
        .find((line) => !line.startsWith(name))
        ?.split('  ')[1] ?? '';
    await expectJudged(
      drawn,
      append((home) => `${phone(home, name)}\n`),
      {
        'the number of another': append(otherNumber),
        'the whole list': append((home) => home.read(list)),
        'the name as well': append((home) => `${name} ${phone(home, name)}`),
      },
    );
  });
});

describe('the verifiers of the terminal', () => {
  it('take the right number alone', async () => {
    const { drawn, groups } = task('terminal.count', /How many lines of (\w+\.txt) have the word "(\w+)"/);
    const count =
      (add: number): HomeChange =>
      (home) =>
        void (home.answer = String(
          home
            .read(groups[0] ?? '')
            .split('\n')
            .filter((line) => line.includes(groups[1] ?? '')).length + add,
        ));
    await expectJudged(drawn, count(0), {
      'one more': count(1),
      'all words': answer('everything'),
      nothing: answer(''),
    });
  });

  it('take the name of the largest file', async () => {
    const { drawn, groups } = task('terminal.largest', /largest file below the folder (\w+)/);
    const sizes = Object.entries(drawn.files ?? {}).sort(([, a], [, b]) => (b as string).length - (a as string).length);
    const name = (index: number) => sizes[index]?.[0].split('/').at(-1) ?? '';
    await expectJudged(drawn, answer(name(0)), {
      'the second': answer(name(1)),
      'the folder': answer(groups[0] ?? ''),
    });
    await expectJudged(drawn, answer(sizes[0]?.[0] ?? ''), {});
  });

  it('take a code from an archive that was unpacked', async () => {
    const { drawn, groups } = task(
      'terminal.unpack',
      /Unpack (\w+)\.tar\.gz in the home folder and answer with the code that stands in its file (\w+)\.txt/,
    );
    const [archive = '', name = ''] = groups;
    const unpack = run(`tar -xzf ${archive}.tar.gz`);
    const read =
      (baseName: string): HomeChange =>
      async (home) =>
        void (home.answer = (
          await home.run(`tar -xzOf ${archive}.tar.gz --wildcards '*/${baseName}.txt' | cut -d' ' -f2`)
        ).stdout);
    await expectJudged(drawn, both(unpack, read(name)), {
      'not unpacked': read(name),
      'no answer': unpack,
      'all codes': both(unpack, read('*')),
    });
  });

  it('take files that have moved, all of them and no others', async () => {
    const { drawn, groups } = task(
      'terminal.move',
      /Move all files of (\w+) that end in \.(\w+) into the folder \w+\/(\w+),/,
    );
    const [folder, ending, target] = groups;
    await expectJudged(drawn, run(`mv ${folder}/*.${ending} ${folder}/${target}`), {
      copied: run(`cp ${folder}/*.${ending} ${folder}/${target}`),
      'everything moved': run(`mv ${folder}/*.* ${folder}/${target}`),
      deleted: run(`rm ${folder}/*.${ending}`),
      'one left': run(`mv $(ls ${folder}/*.${ending} | tail -n +2) ${folder}/${target}`),
    });
  });

  it('take new endings with the same contents', async () => {
    const { drawn, groups } = task(
      'terminal.rename',
      /In the folder (\w+), rename every file that ends in \.(\w+) so that it ends in \.(\w+)/,
    );
    const [folder, old, fresh] = groups;
    const each = (command: string) => run(`cd ${folder}; for f in *.${old}; do ${command}; done`);
    await expectJudged(drawn, each(`mv $f \${f%.*}.${fresh}`), {
      copies: each(`cp $f \${f%.*}.${fresh}`),
      'two endings': each(`mv $f $f.${fresh}`),
      'empty files': each(`rm $f; touch \${f%.*}.${fresh}`),
      'the other file too': both(each(`mv $f \${f%.*}.${fresh}`), run(`cd ${folder}; mv *.cfg other.${fresh}`)),
    });
  });

  it('take a permission of one script', async () => {
    const { drawn, groups } = task('terminal.permit', /Make (\w+\.sh) in the folder (\w+) executable/);
    const [script, folder] = groups;
    await expectJudged(drawn, run(`chmod u+x ${folder}/${script}`), {
      'all scripts': run(`chmod u+x ${folder}/*`),
      'for others only': run(`chmod o+x ${folder}/${script}`),
    });
    await expectJudged(drawn, run(`chmod 755 ${folder}/${script}`), {});
  });

  it('take a symbolic link that leads there', async () => {
    const { drawn, groups } = task(
      'terminal.link',
      /In (\w+), make a symbolic link with the name (\w+) that leads to the folder (\w+)/,
    );
    const [folder = '', name = '', release = ''] = groups;
    const link =
      (target: string): HomeChange =>
      (home) =>
        home.link(`${folder}/${name}`, target);
    await expectJudged(drawn, link(release), {
      'a copy': run(`cp -r ${folder}/${release} ${folder}/${name}`),
      nowhere: link(`${folder}/${release}`),
      'another place': link('..'),
    });
    await expectJudged(drawn, (home) => link(join(home, folder, release))(home), {});
  });

  it('take a host that was replaced in all files', async () => {
    const { drawn, groups } = task(
      'terminal.substitute',
      /In all files of (\w+), replace the host (\w+)\.example by (\w+)\.example/,
    );
    const [folder, old, fresh] = groups;
    await expectJudged(drawn, run(`sed -i s/${old}.example/${fresh}.example/ ${folder}/*`), {
      'one file': run(`sed -i s/${old}.example/${fresh}.example/ $(ls ${folder}/* | head -1)`),
      'all hosts': run(`sed -i s/=.*example/=${fresh}.example/ ${folder}/*`),
      'the files gone': run(`rm ${folder}/*`),
    });
  });
});

const join = (home: Home, ...names: readonly string[]) => [home.path, ...names].join('/');

describe('the verifiers of the file manager', () => {
  const folderOf = (drawn: Drawn) => Object.keys(drawn.files ?? {})[0]?.split('/')[0] ?? '';

  it('take a new name', async () => {
    const { drawn, groups } = task('fileManager.rename', /Rename (\S+) to (\S+)\./);
    const [old, fresh] = groups.map((name) => `${folderOf(drawn)}/${name}`) as [string, string];
    await expectJudged(drawn, (home) => home.move(old, fresh), {
      'a copy': (home) => home.write(fresh, home.read(old)),
      'an empty file': (home) => (home.remove(old), home.write(fresh, '')),
      'another folder': (home) => home.move(old, groups[1] ?? ''),
    });
  });

  it('take a new folder', async () => {
    const { drawn, groups } = task('fileManager.createFolder', /new folder with the name (\w+)/);
    const path = `${folderOf(drawn)}/${groups[0]}`;
    await expectJudged(drawn, run(`mkdir ${path}`), {
      'a file': (home) => home.write(path, ''),
      elsewhere: run(`mkdir ${groups[0]}`),
      'another one too': run(`mkdir ${path} ${path}2`),
    });
  });

  it('take a file that has moved, or was copied, into the folder', async () => {
    for (const [name, pattern] of [
      ['fileManager.move', /Move (\S+) into the folder (\w+)/],
      ['fileManager.copy', /Copy (\S+) into the folder (\w+)/],
    ] as const) {
      const { drawn, groups } = task(name, pattern);
      const folder = folderOf(drawn);
      const [from, to] = [`${folder}/${groups[0]}`, `${folder}/${groups[1]}/${groups[0]}`];
      const move: HomeChange = (home) => home.move(from, to);
      const copy: HomeChange = (home) => home.write(to, home.read(from));
      const [right, wrong] = name === 'fileManager.move' ? [move, copy] : [copy, move];
      await expectJudged(drawn, right, {
        'the other of the two': wrong,
        deleted: (home) => home.remove(from),
        'another file too': run(`cd ${folder}; cp *.* ${groups[1]}; rm ${groups[0]}`),
      });
    }
  });

  it('take a file that is gone', async () => {
    const { drawn, groups } = task('fileManager.remove', /Delete the file (\S+)\./);
    const folder = folderOf(drawn);
    await expectJudged(drawn, (home) => home.remove(`${folder}/${groups[0]}`), {
      'all files': run(`rm ${folder}/*.*`),
      'the folder': (home) => home.remove(folder),
      'an empty file': (home) => home.write(`${folder}/${groups[0]}`, ''),
    });
  });
});

describe('the verifiers of windows', () => {
  const windows =
    (titles: readonly string[], focused?: string): HomeChange =>
    (home) =>
      void (home.windows = titles.map((title) => ({ title, focused: title === focused })));

  it('take one that is closed, and one that is in front', async () => {
    const closing = task('windows.close', /Close the window "(\w+)"/);
    const names = (drawn: Drawn) => (drawn.programs ?? []).map(({ window }) => window);
    const remainingTitles = names(closing.drawn).filter((name) => name !== closing.groups[0]);
    await expectJudged(closing.drawn, windows(remainingTitles), {
      'another closed': windows(
        names(closing.drawn)
          .slice(1)
          .concat(closing.groups[0] ?? ''),
      ),
      'none closed': windows(names(closing.drawn)),
    });
    const front = task('windows.front', /Bring the window "(\w+)" to the front/);
    const titles = names(front.drawn);
    await expectJudged(front.drawn, windows(titles, front.groups[0]), {
      'another in front': windows(titles, titles.at(-1)),
      alone: windows([front.groups[0] ?? ''], front.groups[0]),
    });
    expect(titles.at(-1)).not.toBe(front.groups[0]);
  });
});
