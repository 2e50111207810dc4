import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface TreeArgument {
  /** Each node's folder; -1 for none. Folders come before their contents. */
  readonly parents: readonly number[];
  readonly folders: readonly number[];
  readonly target: number;
  readonly open?: number;
  /** Opening a folder closes its siblings, because not all fit. */
  readonly single: boolean;
}

export default function treeVerifier({ parents, folders, target, open: first, single }: TreeArgument): PageVerifier {
  const open = new Set<number>(first === undefined ? [] : [first]);
  let chosen: number | undefined;
  /** Returns a node's folders, outermost first. */
  const around = (node: number): number[] => {
    const parent = parents[node] ?? -1;
    return parent < 0 ? [] : [...around(parent), parent];
  };

  const draw = () => {
    for (const node of parents.keys()) {
      named(`node-${node}`).hidden = !around(node).every((folder) => open.has(folder));
      named(`node-${node}`).classList.toggle('open', open.has(node));
    }
    if (chosen !== undefined) named(`node-${chosen}`).classList.add('pressed');
  };
  onPress((name) => {
    if (chosen !== undefined || !name.startsWith('node-')) return;
    const node = Number(name.split('-')[1]);
    if (!folders.includes(node)) chosen = node;
    else if (!open.delete(node)) {
      for (const folder of folders) if (single && parents[folder] === parents[node]) open.delete(folder);
      open.add(node);
    }
    draw();
  });
  draw();

  return {
    read: scoreParts({
      parts: () => ({ folder: around(target).every((folder) => open.has(folder)), file: chosen === target }),
      done: () => chosen !== undefined,
      evidence: () => ({ open: [...open], chosen: chosen ?? null }),
    }),
    solve() {
      if (chosen !== undefined) return [];
      const shut = around(target).find((folder) => !open.has(folder));
      if (shut === undefined)
        return turn('the file shows: choose it', { type: 'click', point: point(`node-${target}`) });
      const label = named(`node-${shut}`).textContent;
      return turn(`the folder "${label}" is closed: open it`, { type: 'click', point: point(`node-${shut}`) });
    },
  };
}
