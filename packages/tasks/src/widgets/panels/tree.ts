import { LabelMisfit } from '../drawing/labels.js';
import type { TreeArgument } from './tree.page.js';
import { widgetFamily } from '../widgetFamily.js';

interface Node {
  label: string;
  /** -1 for none. */
  readonly parent: number;
  readonly depth: number;
  readonly folder: boolean;
}

export const tree = widgetFamily({
  name: 'tree',
  description: 'Expand folders of a tree to find a file, and click it.',
  templates: {
    file: [
      'open the folder {folder} and choose {file}',
      'choose {file} in the folder {folder}',
      'in the tree, open {folder} and click {file}',
      'select the file {file} of the folder {folder}',
    ],
    deep: [
      'open {outer}, then {folder}, and choose {file}',
      'choose {file} in the folder {folder} of {outer}',
      'go to {folder} in the folder {outer} and click {file}',
    ],
  },
  layouts: { tip: ['triangle', 'plus', 'chevron'], icon: ['none', 'filled', 'outlined'], rows: ['bare', 'lines'] },
  room: { width: [140, 300], height: [110, 260] },
  styles: `
.tree{position:absolute;inset:0;overflow:hidden}
.tree .node{height:var(--row);padding-right:4px;display:flex;align-items:center;white-space:pre}
.tree .node:hover{background:var(--soft)}
.tree.lines .node{border-bottom:1px solid var(--line)}
.tree .tip{flex:none;width:9px;height:9px;margin-right:4px}
.tree.triangle .folder>.tip{width:0;height:0;margin:0 0 0 3px;border:5px solid transparent;border-left-color:var(--muted)}
.tree.triangle .open>.tip{margin:4px 3px 0 0;border-color:var(--muted) transparent transparent}
.tree.chevron .folder>.tip{width:6px;height:6px;margin:0 6px 0 1px;border:solid var(--text);border-width:2px 2px 0 0;transform:rotate(45deg)}
.tree.chevron .open>.tip{margin-top:-3px;transform:rotate(135deg)}
.tree.plus .folder>.tip{border:1px solid var(--muted);background:linear-gradient(var(--text) 0 0) center/5px 1px no-repeat,linear-gradient(var(--text) 0 0) center/1px 5px no-repeat}
.tree.plus .open>.tip{background:linear-gradient(var(--text) 0 0) center/5px 1px no-repeat}
.tree .icon{flex:none;width:11px;height:8px;margin-right:5px;border:1px solid var(--muted);border-radius:1px}
.tree.none .icon{display:none}
.tree .node:not(.folder)>.icon{width:8px;height:11px;margin:0 7px 0 1px}
.tree.filled .folder>.icon{background:var(--accent);border-color:var(--accent)}
.tree .folder>.icon{border-top-width:3px}`,
  page: 'widgets/panels/tree',
  draw({ random, area, row, labels, layout }) {
    const rows = Math.floor(area.height / row);
    if (rows < 5) throw new LabelMisfit('a tree of less than 5 rows');
    const roots = random.between(2, Math.min(6, rows - 3));
    const nodes: Node[] = [];
    const add = (parent: number, folder: boolean): number => {
      const depth = parent < 0 ? 0 : (nodes[parent]?.depth ?? 0) + 1;
      nodes.push({ label: labels.next(area.width - 34 - 12 * depth), parent, depth, folder });
      return nodes.length - 1;
    };
    for (let root = 0; root < roots; root++) {
      const outer = add(-1, true);
      const room = rows - roots;
      const deep = room >= 4 && random.chance(0.5);
      const children = random.between(2, Math.min(5, deep ? room - 2 : room));
      const inner = deep ? random.between(0, children - 1) : -1;
      for (let child = 0; child < children; child++) {
        const node = add(outer, child === inner);
        const inside = child === inner ? random.between(2, Math.min(3, room - children)) : 0;
        for (let file = 0; file < inside; file++) add(node, false);
      }
    }
    const files = [...nodes.keys()].filter((node) => !nodes[node]?.folder);
    const target = random.pick(files);
    const { label = '', parent = 0, depth = 0 } = nodes[target] ?? {};
    // A file of the same name in another folder, so that the folder has to be read.
    const others = files.filter((file) => nodes[file]?.parent !== parent && (nodes[file]?.depth ?? 9) <= depth);
    const decoy = nodes[random.chance(0.4) && others.length > 0 ? random.pick(others) : -1];
    if (decoy) decoy.label = label;
    const folders = [...nodes.keys()].filter((node) => nodes[node]?.folder);
    const open = random.chance(0.4) ? random.pick(folders.filter((node) => nodes[node]?.depth === 0)) : undefined;

    const html = nodes.map(
      (node, index) =>
        `<div class="node${node.folder ? ' folder' : ''}" data-name="node-${index}" style="padding-left:${3 + 12 * node.depth}px">` +
        `<i class="tip"></i><i class="icon"></i><span>${node.label}</span></div>`,
    );
    const argument: TreeArgument = {
      parents: nodes.map((node) => node.parent),
      folders,
      target,
      single: nodes.length > rows,
      ...(open !== undefined && { open }),
    };
    const outer = nodes[parent]?.parent ?? -1;
    const root = outer < 0 ? parent : outer;
    return {
      html: `<div class="tree ${layout.tip} ${layout.icon} ${layout.rows}">${html.join('')}</div>`,
      argument,
      say: outer < 0 ? 'file' : 'deep',
      texts: { file: label, folder: nodes[parent]?.label ?? '', outer: nodes[outer]?.label ?? '' },
      turns: depth + 1 - (root === open ? 1 : 0),
    };
  },
});
