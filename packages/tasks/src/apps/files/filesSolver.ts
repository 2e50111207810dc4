import type { SolvedTurn } from '../../family/pageVerifier.js';
import type { Kit } from '../page/kit.js';
import { type FileNode, type FileSort, type FilesApp, nodesOf } from './filesStore.js';

type FilesKit = Kit<FilesApp>;

export interface FilesHint {
  readonly place?: string;
  readonly sort?: FileSort;
  readonly open?: string;
  readonly node?: string;
}

export function solveFiles(kit: FilesKit): SolvedTurn | undefined {
  const { nodes } = kit.store;
  const aims = kit.goal.nodes;
  if (kit.ui.open && !(kit.hint as FilesHint | undefined)?.open)
    return kit.press('text-close', 'nothing is to be read');
  const created = Object.entries(aims).filter(([id]) => id.startsWith('new'));
  const missing = created.filter(
    ([, aim]) => !Object.entries(nodes).some(([id, node]) => id.startsWith('new') && same(node, aim)),
  );
  const folder = missing.find(([, { kind }]) => kind === 'folder')?.[1];
  if (folder) return name(kit, '', folder.name, folder.parent);
  const ids = Object.keys(nodes);
  const gone = ids.filter((id) => !(id in aims));
  if (gone.length > 0 && gone.every((id) => nodes[id]?.trashed)) return empty(kit);
  const renamed = ids.find((id) => aims[id] && aims[id].name !== nodes[id]?.name);
  if (renamed) return name(kit, renamed, aims[renamed]?.name ?? '', nodes[renamed]?.parent ?? '');
  return (
    together(
      kit,
      (node, aim) => !node.trashed && !aim.trashed && node.parent !== aim.parent,
      (aim) => aim.parent,
      move,
    ) ??
    together(
      kit,
      (node, aim) => !node.trashed && aim.trashed,
      () => '',
      () => kit.press('remove', 'delete it'),
    ) ??
    together(
      kit,
      (node, aim) => node.trashed && !aim.trashed,
      () => '',
      () => kit.press('restore', 'put it back'),
    ) ??
    together(
      kit,
      (node, aim) => node.starred !== aim.starred,
      () => '',
      () => kit.press('star', 'change the star'),
    ) ??
    copy(kit, missing[0]?.[1])
  );
}

const same = (a: FileNode, b: FileNode) => a.name === b.name && a.parent === b.parent && a.kind === b.kind;

export function lookFiles(kit: FilesKit, { place, open, node, sort }: FilesHint): SolvedTurn | undefined {
  const { ui, store } = kit;
  if (open) {
    if (ui.open === open) return undefined;
    return goTo(kit, store.nodes[open]?.parent ?? '') ?? kit.twice(`node-${open}`, 'open it to read it');
  }
  const there = goTo(kit, place ?? store.nodes[node ?? '']?.parent ?? '');
  if (there) return there;
  if (sort && ui.sort !== sort) return kit.choose('sort', sort, `sort by "${kit.words[sort]}"`);
  return node ? kit.show(`node-${node}`) : undefined;
}

function goTo(kit: FilesKit, place: string): SolvedTurn | undefined {
  const { ui, store } = kit;
  if (ui.naming) return kit.press('name-cancel', 'no name is asked for');
  if (ui.emptying) return kit.press('empty-no', 'this is not asked for');
  if (ui.place === place && ui.search === '') return undefined;
  const text = store.nodes[place]?.name ?? '';
  if (kit.has(`place-${place || 'top'}`)) return kit.press(`place-${place || 'top'}`, `go to ${text || 'the place'}`);
  const parent = store.nodes[place]?.parent ?? '';
  return goTo(kit, parent) ?? kit.twice(`node-${place}`, `open "${text}"`);
}

function name(kit: FilesKit, id: string, text: string, parent: string): SolvedTurn {
  const { ui } = kit;
  if (ui.naming?.id === id && (id !== '' || ui.place === parent)) {
    return kit.fill('name', text, `"${text}" is the name`) ?? kit.press('name-done', 'that is the name');
  }
  const there = goTo(kit, parent);
  if (there) return there;
  if (id) return pick(kit, [id]) ?? kit.press('rename', `it has to be called "${text}"`);
  if (ui.picked.length > 0) return kit.key('escape', 'nothing is to be selected');
  return kit.press('new-folder', `the folder "${text}" is missing`);
}

function pick(kit: FilesKit, ids: readonly string[]): SolvedTurn | undefined {
  const { ui, store } = kit;
  const stray = ui.picked.find((id) => !ids.includes(id));
  const next = ids.find((id) => !ui.picked.includes(id));
  const text = store.nodes[next ?? stray ?? '']?.name ?? '';
  if (ids.length === 1 && next) return kit.press(`node-${next}`, `select "${text}"`);
  if (stray) return kit.press(`pick-${stray}`, `"${text}" is not meant`);
  return next ? kit.press(`pick-${next}`, `"${text}" is one of them`) : undefined;
}

function together(
  kit: FilesKit,
  needs: (node: FileNode, aim: FileNode) => boolean,
  groupOf: (aim: FileNode) => string,
  act: (kit: FilesKit, aim: FileNode) => SolvedTurn,
): SolvedTurn | undefined {
  const { store, goal, ui } = kit;
  const matches = Object.keys(store.nodes).filter((id) => {
    const [node, aim] = [store.nodes[id], goal.nodes[id]];
    return node && aim && needs(node, aim);
  });
  const [first] = matches;
  const [node, aim] = [store.nodes[first ?? ''], goal.nodes[first ?? '']];
  if (!first || !node || !aim) return undefined;
  const place = node.trashed ? 'trash' : node.parent;
  const there = goTo(kit, place);
  if (there) return there;
  const { sort } = (kit.hint ?? {}) as FilesHint;
  if (sort && ui.sort !== sort && ui.picked.length === 0)
    return kit.choose('sort', sort, `sort by "${kit.words[sort]}"`);
  const here = nodesOf(store, ui);
  const some = matches.filter((id) => here.includes(id) && groupOf(goal.nodes[id]!) === groupOf(aim));
  return pick(kit, some) ?? act(kit, aim);
}

function move(kit: FilesKit, { parent }: FileNode): SolvedTurn {
  return kit.choose('move', parent || 'top', `it belongs into "${kit.store.nodes[parent]?.name ?? kit.words.top}"`);
}

function copy(kit: FilesKit, aim: FileNode | undefined): SolvedTurn | undefined {
  if (!aim) return undefined;
  const from = Object.entries(kit.store.nodes).find(([, node]) => node.name === aim.name && node.parent !== aim.parent);
  if (!from) return undefined;
  const [id, { parent }] = from;
  return (
    goTo(kit, parent) ??
    pick(kit, [id]) ??
    kit.choose('copy', aim.parent || 'top', `a copy goes into "${kit.store.nodes[aim.parent]?.name ?? kit.words.top}"`)
  );
}

function empty(kit: FilesKit): SolvedTurn {
  if (kit.ui.emptying) return kit.press('empty-yes', 'that is what is asked for');
  const there = goTo(kit, 'trash');
  if (there) return there;
  if (kit.ui.picked.length > 0) return kit.key('escape', 'nothing is to be selected');
  return kit.press('empty', 'empty it');
}
