import type { AppKind } from '../app.js';
import { newKey } from '../data/facts.js';
import type { filesWords } from './filesWords.js';

export const kinds = ['folder', 'text', 'image', 'music', 'table'] as const;
export type FileKind = (typeof kinds)[number];

export interface FileNode {
  name: string;
  kind: FileKind;
  /** '' for the top level. */
  parent: string;
  /** kB; 0 for a folder. */
  size: number;
  day: string;
  starred: boolean;
  trashed: boolean;
  text: string;
}

export interface FilesStore {
  nodes: Record<string, FileNode>;
}

export type FileSort = 'name' | 'size' | 'day';

export interface FilesUi {
  /** A folder, '' for the top level, `starred` or `trash`. */
  place: string;
  picked: string[];
  search: string;
  sort: FileSort;
  open: string;
  /** A new folder if `id` is ''. */
  naming?: { id: string; text: string } | undefined;
  emptying: boolean;
  dragged: string;
}

export interface FilesApp extends AppKind {
  store: FilesStore;
  ui: FilesUi;
  word: keyof typeof filesWords;
}

const order: Record<FileSort, (a: FileNode, b: FileNode) => number> = {
  name: (a, b) => (a.name < b.name ? -1 : 1),
  size: (a, b) => b.size - a.size,
  day: (a, b) => (a.day > b.day ? -1 : 1),
};

export function nodesOf({ nodes }: FilesStore, { place, search, sort }: FilesUi): string[] {
  const sought = search.trim().toLowerCase();
  return Object.entries(nodes)
    .filter(([, node]) => {
      if (place === 'trash') return node.trashed;
      if (node.trashed) return false;
      if (sought) return node.name.toLowerCase().includes(sought);
      return place === 'starred' ? node.starred : node.parent === place;
    })
    .sort(([, a], [, b]) => Number(b.kind === 'folder') - Number(a.kind === 'folder') || order[sort](a, b))
    .map(([id]) => id);
}

export const foldersOf = ({ nodes }: FilesStore): string[] =>
  Object.keys(nodes).filter((id) => nodes[id]?.kind === 'folder' && !nodes[id].trashed);

/** Never moves a folder into itself or its contents. */
export function moveTo({ nodes }: FilesStore, id: string, folder: string): void {
  for (let around = folder; around; around = nodes[around]?.parent ?? '') if (around === id) return;
  const node = nodes[id];
  if (node) Object.assign(node, { parent: folder, trashed: false });
}

export function copyTo({ nodes }: FilesStore, id: string, folder: string): void {
  const node = nodes[id];
  if (node && node.kind !== 'folder') nodes[newKey(nodes)] = { ...node, parent: folder, starred: false };
}

export function makeFolder({ nodes }: FilesStore, name: string, parent: string): void {
  const defaults = { kind: 'folder' as const, size: 0, day: '', starred: false, trashed: false, text: '' };
  nodes[newKey(nodes)] = { name: name.trim(), parent, ...defaults };
}

export function emptyTrash({ nodes }: FilesStore): void {
  for (const id of Object.keys(nodes)) if (nodes[id]?.trashed) delete nodes[id];
}

export const sizeText = (size: number): string => (size >= 1000 ? `${(size / 1000).toFixed(1)} MB` : `${size} kB`);
