import type { App } from '../appFamily.js';
import { dayAfter } from '../data/day.js';
import type { Pen } from '../data/pen.js';
import { type FileKind, type FileNode, type FilesApp, type FilesStore } from './filesStore.js';
import { filesTemplates } from './filesTemplates.js';
import { filesWords } from './filesWords.js';

const endings: Readonly<Record<FileKind, string>> = {
  folder: '',
  text: '.txt',
  image: '.png',
  music: '.mp3',
  table: '.csv',
};

function drawStore(pen: Pen): FilesStore {
  const { random } = pen;
  const today = dayAfter('2026-01-05', pen.number(1, 300));
  const sizes = new Set<number>();
  const drawSize = (): number => {
    const size = pen.number(3, 9800);
    if (sizes.has(Math.round(size / 100))) return drawSize();
    sizes.add(Math.round(size / 100));
    return size;
  };
  const draw = (kind: FileKind, parent: string, trashed = false): FileNode => ({
    name:
      kind === 'folder' ? pen.newWord('thing') : `${kind === 'image' ? pen.product() : pen.topic()}${endings[kind]}`,
    ...{ kind, parent, trashed },
    size: kind === 'folder' ? 0 : drawSize(),
    day: dayAfter(today, -random.between(0, 90)),
    starred: kind !== 'folder' && random.chance(0.12),
    text: kind === 'text' ? `${pen.note()}. ${pen.language === 'en' ? 'The code is' : '代码是'} ${pen.digits(5)}.` : '',
  });
  const nodes: Record<string, FileNode> = {};
  for (let index = 1; index <= 4; index++) nodes[`f${index}`] = draw('folder', '');
  nodes.f5 = draw('folder', 'f1');
  nodes.f6 = draw('folder', 'f2');
  const kind = () => random.pick(['text', 'text', 'image', 'music', 'table'] as const);
  let count = 0;
  const add = (many: number, parent: string, trashed = false) => {
    for (let index = 0; index < many; index++) nodes[`n${++count}`] = draw(kind(), parent, trashed);
  };
  add(random.between(4, 7), '');
  for (const folder of ['f1', 'f2', 'f3', 'f4']) add(random.between(3, 6), folder);
  for (const folder of ['f5', 'f6']) add(random.between(2, 4), folder);
  add(random.between(2, 3), '', true);
  return { nodes };
}

export const filesApp: App<FilesApp> = {
  name: 'files',
  words: filesWords,
  layouts: { nodes: ['list', 'tiles'], signs: ['coloured', 'plain'], gap: ['air', 'flush'], width: ['narrow', 'wide'] },
  styles: `
.files .body{padding:8px}
.files.gap-flush .body{padding:0}
.files.gap-flush .panel{border-radius:0;border-width:0 1px;box-shadow:none}
.files .side{width:128px}
.files.width-wide .side{width:150px}
.files .side .head{height:12px}
.files .path{overflow:hidden;gap:4px}
.files .path .ico{width:1em;height:1em;color:var(--muted)}
.files .node{min-height:36px}
.files .node .name{flex:1}
.files .node .size{width:60px;text-align:right}
.files .node .day{width:60px;text-align:right}
.files .node>.ico{width:1em;height:1em;color:#e3a008}
.files .sign{color:var(--muted)}
.files.signs-coloured .sign.folder{color:#d99a1b}
.files.signs-coloured .sign.image{color:#c2417c}
.files.signs-coloured .sign.music{color:#6d5bd0}
.files.signs-coloured .sign.table{color:#2f9e60}
.files.signs-coloured .sign.text{color:#3b82c4}
.files .sign.folder path{fill:currentColor;fill-opacity:.3}
.files.nodes-tiles .nodes{display:grid;grid-template-columns:repeat(auto-fill,minmax(138px,1fr));gap:8px;padding:10px}
.files.nodes-tiles .node{flex-direction:column;gap:4px;padding:8px;margin:0;border:1px solid var(--line);border-radius:var(--radius);position:relative;background:var(--card)}
.files.nodes-tiles .node.on{background:var(--tint)}
.files.nodes-tiles .node .tick{position:absolute;left:7px;top:3px}
.files.nodes-tiles .node .sign .ico{width:38px;height:38px;stroke-width:1.2}
.files.nodes-tiles .node .name{flex:none;max-width:100%}
.files.nodes-tiles .node .size{width:auto;text-align:center}
.files.nodes-tiles .node .day{display:none}
.files.nodes-tiles .node>.ico{position:absolute;right:8px;top:8px}
.files .paper{padding:14px;background:var(--soft);border:1px solid var(--line);line-height:1.6}
.files .list{min-width:150px}
`,
  draw: drawStore,
  templates: filesTemplates,
};
