import type { Cast } from '../family/machine/cast.js';
import type { Evidence } from '../family/machine/evidence.js';
import type { FileContent, Launch } from '../family/machine/setUp.js';
import { pcmanfm } from '../family/machine/requirement.js';
import type { ScriptedTurn, Template } from '../family/machine/template.js';
import { hotkey, isWindowInFront, turnWhen, turn, type, wait } from '../family/machine/turns.js';

const managerTemplate = {
  kind: 'desktop',
  surfaces: ['screen'],
  screen: { width: 640, height: 480 },
  needs: [pcmanfm],
} as const satisfies Partial<Template>;

interface Shown {
  readonly folder: string;
  readonly folders: readonly string[];
  readonly names: readonly string[];
  readonly files: Readonly<Record<string, FileContent>>;
  readonly programs: readonly Launch[];
}

function drawFolder(cast: Cast, count: readonly [number, number], folders: number): Shown {
  const folder = cast.letters();
  const names = cast.words(cast.between(...count)).map((name) => `${name}.${cast.pick(['txt', 'csv', 'md'])}`);
  return {
    folder,
    names,
    folders: cast.words(folders),
    files: Object.fromEntries(names.map((name) => [`${folder}/${name}`, `${name}\n`])),
    programs: [{ program: 'pcmanfm', args: [folder], window: folder }],
  };
}

const paths = ({ folder, folders }: Shown) => ({ folders: folders.map((name) => `${folder}/${name}`) });

async function holds(
  evidence: Evidence,
  folder: string,
  names: readonly string[],
  from: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const entryNames = await evidence.names(folder);
  if (JSON.stringify(entryNames) !== JSON.stringify([...names].sort())) return false;
  const files = names.filter((name) => name.includes('.'));
  const texts = await Promise.all(files.map((name) => evidence.text(`${folder}/${name}`)));
  return files.every((name, index) => texts[index] === `${from[name] ?? name}\n`);
}

/** Selects an entry by typing its name (the file manager's type-ahead). */
const marking = (folder: string, name: string): ScriptedTurn =>
  turnWhen(
    isWindowInFront(folder),
    turn(`Find ${name} by typing its name.`, type(name), wait(0.25), hotkey('escape'), wait(0.1)),
  );

const rename: Template = {
  ...managerTemplate,
  name: 'fileManager.rename',
  description: 'Rename a file in a file manager.',
  draw(cast) {
    const listing = drawFolder(cast, [3, 7], 1);
    const old = cast.pick(listing.names);
    const fresh = `${cast.word()}.${old.split('.')[1]}`;
    const expectedNames = [...listing.names.map((name) => (name === old ? fresh : name)), ...listing.folders];
    return {
      ...listing,
      ...paths(listing),
      instruction: cast.say(
        {
          both: [
            'Rename {old} to {fresh}.',
            'Give the file {old} the name {fresh}.',
            '把文件 {old} 重命名为 {fresh}。',
          ],
          heldOut: ['{old} should be called {fresh} instead.'],
        },
        { old, fresh },
      ),
      difficulty: 1,
      async judge(evidence) {
        const names = (await evidence.names(listing.folder)) ?? [];
        return {
          name: names.includes(fresh),
          all: await holds(evidence, listing.folder, expectedNames, { [fresh]: old }),
        };
      },
      script: [
        marking(listing.folder, old),
        turn('F2 renames it.', hotkey('f2'), wait(0.5), hotkey('ctrl a'), type(`${fresh}\n`), wait(0.5)),
      ],
    };
  },
};

const createFolder: Template = {
  ...managerTemplate,
  name: 'fileManager.createFolder',
  description: 'Create a folder in a file manager.',
  draw(cast) {
    const listing = drawFolder(cast, [2, 5], 1);
    const fresh = cast.word();
    return {
      ...listing,
      ...paths(listing),
      instruction: cast.say(
        {
          both: [
            'Make a new folder with the name {fresh} here.',
            'Create a folder {fresh} in the folder that is open.',
            '在这里新建一个名为 {fresh} 的文件夹。',
          ],
          heldOut: ['A folder called {fresh} is missing here. Add it.'],
        },
        { fresh },
      ),
      difficulty: 1,
      async judge(evidence) {
        return {
          folder: (await evidence.entry(`${listing.folder}/${fresh}`))?.type === 'folder',
          rest:
            (await holds(evidence, listing.folder, [...listing.names, ...listing.folders, fresh])) ||
            (await holds(evidence, listing.folder, [...listing.names, ...listing.folders])),
        };
      },
      script: [
        turnWhen(isWindowInFront(listing.folder), turn('A new folder.', hotkey('ctrl shift n'), wait(0.7))),
        turn('Write its name.', hotkey('ctrl a'), type(`${fresh}\n`), wait(0.5)),
      ],
    };
  },
};

function carrying(name: string, { copies, description }: { copies: boolean; description: string }): Template {
  return {
    ...managerTemplate,
    name,
    description,
    draw(cast) {
      const listing = drawFolder(cast, [3, 6], 2);
      const file = cast.pick(listing.names);
      const target = cast.pick(listing.folders);
      const remainingNames = listing.names.filter((other) => copies || other !== file);
      return {
        ...listing,
        ...paths(listing),
        instruction: cast.say(
          copies
            ? {
                both: [
                  'Copy {file} into the folder {target}.',
                  'Put a copy of {file} into {target}; the file itself stays here.',
                  '把 {file} 复制到文件夹 {target} 中。',
                ],
                heldOut: ['{target} should have {file} as well. Copy it there.'],
              }
            : {
                both: [
                  'Move {file} into the folder {target}.',
                  'Put {file} into {target}, so that it is no longer here.',
                  '把 {file} 移动到文件夹 {target} 中。',
                ],
                heldOut: ['{file} belongs into {target}. Move it there.'],
              },
          { file, target },
        ),
        difficulty: 2,
        async judge(evidence) {
          return {
            there: await holds(evidence, `${listing.folder}/${target}`, [file]),
            here: await holds(evidence, listing.folder, [...remainingNames, ...listing.folders]),
          };
        },
        script: [
          marking(listing.folder, file),
          turn(copies ? 'Copy it.' : 'Cut it.', hotkey(copies ? 'ctrl c' : 'ctrl x'), wait(0.2)),
          marking(listing.folder, target),
          turn('Open the folder.', hotkey('enter'), wait(0.4)),
          turnWhen(isWindowInFront(target), turn('Paste it here.', hotkey('ctrl v'), wait(0.5))),
        ],
      };
    },
  };
}

const remove: Template = {
  ...managerTemplate,
  name: 'fileManager.remove',
  description: 'Permanently delete a file in a file manager.',
  draw(cast) {
    const listing = drawFolder(cast, [3, 7], 1);
    const file = cast.pick(listing.names);
    const remainingNames = [...listing.names.filter((name) => name !== file), ...listing.folders];
    return {
      ...listing,
      ...paths(listing),
      instruction: cast.say(
        {
          both: [
            'Delete the file {file}.',
            'Remove {file} and keep everything else.',
            '删除文件 {file}，其他内容保留。',
          ],
          heldOut: ['{file} is not needed any more; it should be gone from this folder.'],
        },
        { file },
      ),
      difficulty: 2,
      async judge(evidence) {
        const names = await evidence.names(listing.folder);
        return { gone: names?.includes(file) === false, rest: remainingNames.every((name) => names?.includes(name)) };
      },
      script: [
        marking(listing.folder, file),
        turn('Delete it.', hotkey('shift delete'), wait(0.7)),
        turn('Yes, for good.', hotkey('enter'), wait(0.7)),
      ],
    };
  },
};

export const managerTemplates: readonly Template[] = [
  rename,
  createFolder,
  carrying('fileManager.move', { copies: false, description: 'Move a file into a folder in a file manager.' }),
  carrying('fileManager.copy', { copies: true, description: 'Copy a file into a folder in a file manager.' }),
  remove,
];
