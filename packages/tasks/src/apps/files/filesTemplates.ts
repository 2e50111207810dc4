import type { Draft, Template } from '../appFamily.js';
import {
  type FileKind,
  type FileNode,
  type FilesApp,
  type FilesStore,
  copyTo,
  emptyTrash,
  foldersOf,
  makeFolder,
  moveTo,
  sizeText,
} from './filesStore.js';

type FilesDraft = Draft<FilesApp>;

function files({ nodes }: FilesStore, fits: (node: FileNode) => boolean = () => true): [string, FileNode][] {
  return Object.entries(nodes).filter(([, node]) => node.kind !== 'folder' && !node.trashed && fits(node));
}

const pickFile = ({ random, store }: FilesDraft, fits?: (node: FileNode) => boolean) => random.pick(files(store, fits));

const folderName = ({ store, words }: FilesDraft, id: string) => (id ? (store.nodes[id]?.name ?? '') : words.top);

const fileTexts = (draft: FilesDraft, { name, parent }: FileNode) => ({
  file: name,
  folder: folderName(draft, parent),
});

const otherFolder = ({ random, store }: FilesDraft, not: string) =>
  random.pick(['', ...foldersOf(store)].filter((id) => id !== not));

const set = (id: string, change: Partial<FileNode>) => (store: FilesStore) =>
  Object.assign(store.nodes[id] ?? {}, change);

export const filesTemplates: readonly Template<FilesApp>[] = [
  {
    name: 'star',
    description: 'Star a file.',
    difficulty: 1,
    steps: 5,
    en: [
      'Star the file {file} in {folder}.',
      'Put a star on {file}, which is in {folder}.',
      'Give {file} in the folder {folder} a star.',
    ],
    zh: ['给{folder}里的文件{file}加星标。', '把{folder}中的{file}标上星标。', '请为文件夹{folder}里的{file}加星。'],
    make(draft) {
      const [id, file] = pickFile(draft, ({ starred }) => !starred);
      return { texts: fileTexts(draft, file), goal: set(id, { starred: true }) };
    },
  },
  {
    name: 'delete',
    description: 'Move a file to the bin.',
    difficulty: 1,
    steps: 5,
    en: [
      'Delete {file} in {folder}.',
      'Move the file {file} from {folder} to {trash}.',
      '{file} in {folder} is not needed; put it into {trash}.',
    ],
    zh: [
      '删除{folder}里的{file}。',
      '把{folder}中的文件{file}移到{trash}。',
      '{folder}里的{file}不要了，放进{trash}。',
    ],
    make(draft) {
      const [id, file] = pickFile(draft);
      return { texts: { ...fileTexts(draft, file), trash: draft.words.trash }, goal: set(id, { trashed: true }) };
    },
  },
  {
    name: 'rename',
    description: 'Rename a file.',
    difficulty: 2,
    steps: 8,
    en: [
      'Rename {file} in {folder} to {name}.',
      'The file {file} in {folder} should be called {name}.',
      'Change the name of {file} ({folder}) to {name}.',
    ],
    zh: [
      '把{folder}里的{file}重命名为{name}。',
      '{folder}中的文件{file}应改名为{name}。',
      '将{file}（{folder}）的名称改为{name}。',
    ],
    make(draft) {
      const [id, file] = pickFile(draft);
      const name = `${draft.pen.topic()}${/\.\w+$/.exec(file.name)?.[0] ?? ''}`;
      return { texts: { ...fileTexts(draft, file), name }, goal: set(id, { name }) };
    },
  },
  {
    name: 'move',
    description: 'Move a file into another folder.',
    difficulty: 2,
    steps: 6,
    en: [
      'Move {file} from {folder} to {target}.',
      'Put the file {file}, which is in {folder}, into {target}.',
      '{file} belongs into {target} and not into {folder}.',
    ],
    zh: [
      '把{file}从{folder}移到{target}。',
      '将{folder}里的文件{file}放到{target}中。',
      '{file}应该在{target}里，而不是{folder}。',
    ],
    make(draft) {
      const [id, file] = pickFile(draft);
      const target = otherFolder(draft, file.parent);
      return {
        texts: { ...fileTexts(draft, file), target: folderName(draft, target) },
        goal: (store) => moveTo(store, id, target),
      };
    },
  },
  {
    name: 'copy',
    description: 'Copy a file into another folder.',
    difficulty: 2,
    steps: 6,
    en: [
      'Copy {file} from {folder} to {target}.',
      'Put a copy of {file} ({folder}) into {target}.',
      '{target} needs a copy of {file} from {folder}.',
    ],
    zh: [
      '把{file}从{folder}复制到{target}。',
      '将{file}（{folder}）的副本放到{target}。',
      '{target}需要一份{folder}里{file}的副本。',
    ],
    make(draft) {
      const [id, file] = pickFile(draft);
      const target = otherFolder(draft, file.parent);
      return {
        texts: { ...fileTexts(draft, file), target: folderName(draft, target) },
        goal: (store) => copyTo(store, id, target),
      };
    },
  },
  {
    name: 'newFolder',
    description: 'Create a folder.',
    difficulty: 2,
    steps: 7,
    en: [
      'Make a folder {name} in {folder}.',
      'Create the folder {name} within {folder}.',
      '{folder} needs a new folder called {name}.',
    ],
    zh: ['在{folder}里新建文件夹{name}。', '于{folder}中创建文件夹{name}。', '{folder}需要一个名为{name}的新文件夹。'],
    make(draft) {
      const folder = otherFolder(draft, '-');
      const name = draft.pen.newWord('thing');
      return {
        texts: { name, folder: folderName(draft, folder) },
        goal: (store) => makeFolder(store, name, folder),
      };
    },
  },
  {
    name: 'restore',
    description: 'Restore a file from the bin.',
    difficulty: 2,
    steps: 4,
    en: [
      'Restore the file {file} from {trash}.',
      'Take {file} out of {trash} again.',
      '{file} was deleted by mistake. Bring it back from {trash}.',
    ],
    zh: ['从{trash}还原文件{file}。', '把{file}从{trash}里恢复。', '{file}被误删，请从{trash}中找回。'],
    make({ random, store, words }) {
      const [id, { name }] = random.pick(Object.entries(store.nodes).filter(([, node]) => node.trashed));
      return { texts: { file: name, trash: words.trash }, goal: set(id, { trashed: false }) };
    },
  },
  {
    name: 'emptyTrash',
    description: 'Empty the bin and confirm.',
    difficulty: 2,
    steps: 4,
    en: ['Empty {trash}.', 'Delete everything in {trash} for good.'],
    zh: ['清空{trash}。', '彻底删除{trash}里的所有内容。'],
    make: ({ words }) => ({ texts: { trash: words.trash }, goal: emptyTrash }),
  },
  {
    name: 'deleteLargest',
    description: 'Delete the largest file in a folder.',
    difficulty: 3,
    steps: 7,
    heldOut: true,
    en: ['Delete the largest file in {folder}.', 'Put the file of {folder} that is the largest into {trash}.'],
    zh: ['删除{folder}里最大的文件。', '把{folder}中最大的文件放进{trash}。'],
    make(draft) {
      const folder = otherFolder(draft, '-');
      const matches = files(draft.store, ({ parent }) => parent === folder);
      if (matches.length < 3) return undefined;
      const [id] = matches.reduce((best, next) => (next[1].size > best[1].size ? next : best));
      return {
        texts: { folder: folderName(draft, folder), trash: draft.words.trash },
        goal: set(id, { trashed: true }),
        look: { sort: 'size' },
      };
    },
  },
  {
    name: 'moveKind',
    description: 'Move all files of one type from one folder to another.',
    difficulty: 4,
    steps: 10,
    en: [
      'Move all files of {folder} whose names end in [ending] to {target}.',
      'Every [ending] file in {folder} belongs into {target}.',
    ],
    zh: ['把{folder}里所有以[ending]结尾的文件移到{target}。', '{folder}中的每个[ending]文件都应放到{target}。'],
    make(draft) {
      const folder = otherFolder(draft, '-');
      const target = otherFolder(draft, folder);
      const [kind, ending] = draft.random.pick<[FileKind, string]>([
        ['text', '.txt'],
        ['image', '.png'],
        ['music', '.mp3'],
        ['table', '.csv'],
      ]);
      const matches = files(draft.store, (node) => node.parent === folder && node.kind === kind);
      if (matches.length < 2) return undefined;
      return {
        texts: { folder: folderName(draft, folder), target: folderName(draft, target), ending },
        goal: (store) => matches.forEach(([id]) => moveTo(store, id, target)),
      };
    },
  },
  {
    name: 'starAll',
    description: 'Star every file in a folder.',
    difficulty: 3,
    steps: 11,
    heldOut: true,
    en: ['Put a star on every file in {folder}.', 'All files in {folder} need a star.'],
    zh: ['给{folder}里的每个文件加星标。', '{folder}中的所有文件都要加星。'],
    make(draft) {
      const folder = otherFolder(draft, '');
      const matches = files(draft.store, ({ parent }) => parent === folder);
      if (matches.length < 2 || matches.length > 5) return undefined;
      return {
        texts: { folder: folderName(draft, folder) },
        goal: (store) => matches.forEach(([id]) => set(id, { starred: true })(store)),
      };
    },
  },
  {
    name: 'tellSize',
    description: 'Report the size of a file.',
    difficulty: 1,
    steps: 5,
    en: [
      'How large is {file} in {folder}? Answer with the size as it is shown.',
      'Answer with the size of the file {file} in {folder}.',
    ],
    zh: ['{folder}里的{file}有多大？请按显示回答。', '请回答{folder}中文件{file}的大小。'],
    make(draft) {
      const [id, file] = pickFile(draft);
      return { texts: fileTexts(draft, file), answer: sizeText(file.size), look: { node: id } };
    },
  },
  {
    name: 'count',
    description: 'Report how many items a folder has.',
    difficulty: 1,
    steps: 4,
    chance: 0.3,
    en: ['How many files are in {folder}? Folders do not count.', 'Count the files in {folder}, without folders.'],
    zh: ['{folder}里有多少个文件？文件夹不算。', '数一数{folder}中的文件，不含文件夹。'],
    make(draft) {
      const folder = otherFolder(draft, '-');
      return {
        texts: { folder: folderName(draft, folder) },
        answer: files(draft.store, ({ parent }) => parent === folder).length,
        look: { place: folder },
      };
    },
  },
  {
    name: 'read',
    description: 'Open a text file and report the code in it.',
    difficulty: 2,
    steps: 5,
    en: [
      'Which code does {file} in {folder} give?',
      'Open {file} in {folder} and answer with the code.',
      'Read {file}, which is in {folder}: what is the code?',
    ],
    zh: [
      '{folder}里的{file}写的代码是多少？',
      '打开{folder}中的{file}，回答其中的代码。',
      '阅读{folder}里的{file}：代码是什么？',
    ],
    make(draft) {
      const matches = files(draft.store, ({ kind }) => kind === 'text');
      if (matches.length === 0) return undefined;
      const [id, file] = draft.random.pick(matches);
      return { texts: fileTexts(draft, file), answer: /\d{5}/.exec(file.text)?.[0] ?? '', look: { open: id } };
    },
  },
  {
    name: 'collect',
    description: 'Create a folder and move two files into it.',
    difficulty: 4,
    steps: 17,
    en: [
      'Make a folder {name} in {top} and move {a} and {b} from {folder} into it.',
      'Put {a} and {b}, both in {folder}, into a new folder {name} in {top}.',
    ],
    zh: [
      '在{top}里新建文件夹{name}，把{folder}中的{a}和{b}移进去。',
      '将{folder}里的{a}和{b}放进{top}中新建的文件夹{name}。',
    ],
    make(draft) {
      const folder = otherFolder(draft, '');
      const [a, b] = draft.random.shuffle(files(draft.store, ({ parent }) => parent === folder));
      if (!a || !b) return undefined;
      const name = draft.pen.newWord('thing');
      return {
        texts: { name, a: a[1].name, b: b[1].name, folder: folderName(draft, folder), top: draft.words.top },
        goal(store) {
          makeFolder(store, name, '');
          for (const [id] of [a, b]) moveTo(store, id, 'new1');
        },
      };
    },
  },
  {
    name: 'tidy',
    description: 'Move, rename, delete, star and restore one file each.',
    difficulty: 5,
    steps: 27,
    en: [
      'Tidy up: move {a} from {fa} to {target}, rename {b} in {fb} to {name}, delete {c} in {fc}, star {d} in {fd}, and restore {e} from {trash}.',
      '{a} ({fa}) belongs into {target}; {b} ({fb}) should be called {name}; {c} ({fc}) goes to {trash}; {d} ({fd}) gets a star; {e} comes back from {trash}.',
    ],
    zh: [
      '整理文件：把{fa}里的{a}移到{target}，{fb}里的{b}改名为{name}，删除{fc}里的{c}，给{fd}里的{d}加星标，并从{trash}还原{e}。',
      '{a}（{fa}）应放到{target}；{b}（{fb}）改名为{name}；{c}（{fc}）移到{trash}；{d}（{fd}）加星标；{e}从{trash}恢复。',
    ],
    make(draft) {
      const { pen, random, store, words } = draft;
      const four = random.shuffle(files(store, ({ starred }) => !starred)).slice(0, 4);
      const [a, b, c, d] = four as [[string, FileNode], [string, FileNode], [string, FileNode], [string, FileNode]];
      const [eId, e] = random.pick(Object.entries(store.nodes).filter(([, node]) => node.trashed));
      const target = otherFolder(draft, a[1].parent);
      const name = `${pen.topic()}${/\.\w+$/.exec(b[1].name)?.[0] ?? ''}`;
      const where = Object.fromEntries(
        four.map(([, { parent }], index) => [`f${'abcd'[index]}`, folderName(draft, parent)]),
      );
      return {
        texts: {
          ...where,
          ...{ a: a[1].name, b: b[1].name, c: c[1].name, d: d[1].name, e: e.name },
          ...{ name, target: folderName(draft, target), trash: words.trash },
        },
        goal(aim) {
          moveTo(aim, a[0], target);
          set(b[0], { name })(aim);
          set(c[0], { trashed: true })(aim);
          set(d[0], { starred: true })(aim);
          set(eId, { trashed: false })(aim);
        },
      };
    },
  },
];
