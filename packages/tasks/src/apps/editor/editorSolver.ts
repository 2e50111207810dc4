import type { Action } from '@gyre/protocol';
import type { SolvedTurn } from '../../family/pageVerifier.js';
import type { Kit } from '../page/kit.js';
import { type Block, type EditorApp, type Mark, type Place, endsOf, marks, wordAround } from './editorStore.js';
import { pointOf } from './editorText.js';

type EditorKit = Kit<EditorApp>;

export interface EditorHint {
  readonly find?: string;
  readonly by?: string;
}

export function solveEditor(kit: EditorKit): SolvedTurn | undefined {
  const { store, goal, ui } = kit;
  const { find, by } = (kit.hint ?? {}) as EditorHint;
  const texts = (blocks: readonly Block[]) => blocks.map(({ text }) => text).join('\n');
  if (find && by !== undefined && texts(store.blocks) !== texts(goal.blocks)) return replace(kit, find, by);
  if (ui.find && !find) return kit.press('find-close', 'nothing is to be found');
  if (store.title !== goal.title) return kit.fill('title', goal.title, 'the document gets a name');
  const linked = (blocks: readonly Block[]) => blocks.map(({ links }) => links.join()).join('|');
  if (ui.link !== undefined && linked(store.blocks) === linked(goal.blocks)) {
    return kit.press('link-cancel', 'no link is asked for');
  }
  const count = blockCount(kit);
  if (count) return count;
  for (const [index, aim] of goal.blocks.entries()) {
    const block = store.blocks[index]!;
    const turn = textOf(kit, index, block, aim) ?? lookOf(kit, index, block, aim);
    if (turn) return ui.find ? kit.press('find-close', 'no more is to be found') : turn;
  }
  return undefined;
}

/** Types the text, so that the number of matches is shown. */
export function lookEditor(kit: EditorKit, { find }: EditorHint): SolvedTurn | undefined {
  if (!find) return undefined;
  if (!kit.ui.find) return kit.press('find', 'this is found by the search');
  return kit.fill('find-text', find, 'look for this');
}

function replace(kit: EditorKit, find: string, by: string): SolvedTurn {
  if (!kit.ui.find) return kit.press('find', 'this is what replacing is for');
  return (
    kit.fill('find-text', find, `"${find}" is to go`) ??
    kit.fill('find-by', by, `"${by}" comes in its place`) ??
    kit.press('find-all', 'replace it everywhere')
  );
}

function blockCount(kit: EditorKit): SolvedTurn | undefined {
  const { store, goal } = kit;
  const [now, target] = [store.blocks.length, goal.blocks.length];
  if (now === target) return undefined;
  if (now < target) {
    const end = { block: now - 1, offset: store.blocks[now - 1]?.text.length ?? 0 };
    return caretAt(kit, end, 'go to the end') ?? kit.key('enter', 'a new paragraph');
  }
  let index = store.blocks.findIndex(({ text }, at) => text !== goal.blocks[at]?.text);
  if (index < 0) index = now - 1;
  const { text = '' } = store.blocks[index] ?? {};
  if (text === '') {
    return (
      caretAt(kit, { block: index, offset: 0 }, 'go to the empty paragraph') ??
      kit.key(index > 0 ? 'backspace' : 'delete', 'take it out')
    );
  }
  const chosen = select(kit, index, 0, text.length, 'this paragraph has to go: select it');
  return chosen ?? kit.key('delete', `"${text}" goes`);
}

function isCaret({ ui }: EditorKit, { block, offset }: Place): boolean {
  const [from, to] = endsOf(ui);
  return from.block === block && to.block === block && from.offset === offset && to.offset === offset;
}

function atPlace(
  kit: EditorKit,
  place: Place,
  thought: string,
  act: (point: { x: number; y: number }) => Action,
): SolvedTurn {
  const hidden = kit.show(`block-${place.block}`);
  if (hidden) return hidden;
  const { x, y } = pointOf(place)!;
  return { thought, actions: [act({ x: x / window.innerWidth, y: y / window.innerHeight })] };
}

function caretAt(kit: EditorKit, place: Place, thought: string): SolvedTurn | undefined {
  if (isCaret(kit, place) && document.activeElement === kit.find('keys')) return undefined;
  if (kit.ui.caret.block === place.block && document.activeElement === kit.find('keys')) {
    const { text = '' } = kit.store.blocks[place.block] ?? {};
    if (place.offset === text.length) return kit.key('end', thought);
    if (place.offset === 0) return kit.key('home', thought);
  }
  return atPlace(kit, place, thought, (point) => ({ type: 'click', point }));
}

function select(kit: EditorKit, block: number, from: number, to: number, thought: string): SolvedTurn | undefined {
  const [start, end] = endsOf(kit.ui);
  if (start.block === block && end.block === block && start.offset === from && end.offset === to) return undefined;
  const { text = '' } = kit.store.blocks[block] ?? {};
  const word = wordAround(text, from);
  if (word[0] === from && word[1] === to) {
    const middle = Math.floor((from + to) / 2);
    return atPlace(kit, { block, offset: middle }, thought, (point) => ({ type: 'double_click', point }));
  }
  return atPlace(kit, { block, offset: from }, thought, (start) => {
    const { x, y } = pointOf({ block, offset: to })!;
    return { type: 'drag', start, end: { x: x / window.innerWidth, y: y / window.innerHeight } };
  });
}

function textOf(kit: EditorKit, index: number, block: Block, aim: Block): SolvedTurn | undefined {
  if (block.text === aim.text) return undefined;
  let [from, left, right] = [0, block.text.length, aim.text.length];
  while (from < Math.min(left, right) && block.text[from] === aim.text[from]) from++;
  while (left > from && right > from && block.text[left - 1] === aim.text[right - 1])
    [left, right] = [left - 1, right - 1];
  if (left > from) {
    const [start, end] = [wordAround(block.text, from)[0], wordAround(block.text, left)[1]];
    if (start <= from && end >= left && end > start) {
      right += end - left;
      [from, left] = [start, end];
    }
  }
  const added = aim.text.slice(from, right);
  const turn =
    left > from
      ? select(kit, index, from, left, `"${block.text.slice(from, left)}" has to change: select it`)
      : caretAt(kit, { block: index, offset: from }, 'go to where it is to stand');
  if (turn) return turn;
  if (added === '') return kit.key('delete', 'it goes');
  return { thought: `write "${added}"`, actions: [{ type: 'type', text: added }] };
}

function lookOf(kit: EditorKit, index: number, block: Block, aim: Block): SolvedTurn | undefined {
  const { ui, words } = kit;
  const within = () =>
    ui.caret.block === index && ui.anchor.block === index
      ? undefined
      : atPlace(kit, { block: index, offset: Math.min(3, block.text.length) }, 'go to the paragraph', (point) => ({
          type: 'click',
          point,
        }));
  if (block.style !== aim.style) {
    const button = aim.style === 'bullet' || aim.style === 'number' ? aim.style : undefined;
    const thought = `it has to be "${words[aim.style]}"`;
    return within() ?? (button ? kit.press(button, thought) : kit.choose('style', aim.style, thought));
  }
  if (block.centred !== aim.centred) return within() ?? kit.press('centre', 'it changes its place');
  for (const mark of Object.keys(marks) as Mark[]) {
    const isOff = (at: number) => ((block.marks[at] ?? 0) & marks[mark]) !== ((aim.marks[at] ?? 0) & marks[mark]);
    const range = rangeWhere(block.text.length, isOff);
    if (!range) continue;
    const text = block.text.slice(...range);
    return select(kit, index, ...range, `"${text}" is meant: select it`) ?? kit.press(mark, `"${words[mark]}" it is`);
  }
  const range = rangeWhere(block.text.length, (at) => block.links[at] !== aim.links[at]);
  if (!range) return undefined;
  const link = aim.links[range[0]] ?? '';
  const text = block.text.slice(...range);
  if (ui.link === undefined) {
    return select(kit, index, ...range, `"${text}" is meant: select it`) ?? kit.press('link', 'it gets a link');
  }
  if (link === '') return kit.press('unlink', 'no link here');
  return kit.fill('address', link, `it leads to ${link}`) ?? kit.press('link-set', 'set the link');
}

function rangeWhere(length: number, holds: (at: number) => boolean): [number, number] | undefined {
  let from = 0;
  while (from < length && !holds(from)) from++;
  if (from === length) return undefined;
  let to = from;
  while (to < length && holds(to)) to++;
  return [from, to];
}
