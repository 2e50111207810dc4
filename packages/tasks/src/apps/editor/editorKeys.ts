import {
  type EditorStore,
  type EditorUi,
  type Mark,
  type Place,
  cut,
  endsOf,
  insert,
  split,
  toggleMark,
} from './editorStore.js';

export function remember(store: EditorStore, ui: EditorUi): void {
  ui.undo = [...ui.undo.slice(-30), JSON.stringify(store)];
}

export function undo(store: EditorStore, ui: EditorUi): void {
  const before = ui.undo.at(-1);
  if (before === undefined) return;
  Object.assign(store, JSON.parse(before) as EditorStore);
  ui.undo = ui.undo.slice(0, -1);
  const block = Math.min(ui.caret.block, store.blocks.length - 1);
  put(ui, { block, offset: Math.min(ui.caret.offset, store.blocks[block]?.text.length ?? 0) });
}

export function put(ui: EditorUi, place: Place): void {
  ui.caret = ui.anchor = place;
}

function cutSelected(store: EditorStore, ui: EditorUi): void {
  const [from, to] = endsOf(ui);
  cut(store, from, to);
  put(ui, from);
}

export function write(store: EditorStore, ui: EditorUi, text: string): void {
  remember(store, ui);
  cutSelected(store, ui);
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) put(ui, split(store, ui.caret));
    put(ui, insert(store, ui.caret, line));
  }
}

/** Returns whether the key was used. */
export function keyInText(store: EditorStore, ui: EditorUi, event: KeyboardEvent): boolean {
  const { caret } = ui;
  const { blocks } = store;
  const length = (block: number) => blocks[block]?.text.length ?? 0;
  const isEmpty = caret.block === ui.anchor.block && caret.offset === ui.anchor.offset;
  const [from, to] = endsOf(ui);
  const last = blocks.length - 1;
  const back = (place: Place): Place =>
    place.offset > 0
      ? { block: place.block, offset: place.offset - 1 }
      : place.block > 0
        ? { block: place.block - 1, offset: length(place.block - 1) }
        : place;
  const on = (place: Place): Place =>
    place.offset < length(place.block)
      ? { block: place.block, offset: place.offset + 1 }
      : place.block < last
        ? { block: place.block + 1, offset: 0 }
        : place;
  const row = (by: number): Place => {
    const block = Math.max(0, Math.min(last, caret.block + by));
    return { block, offset: Math.min(caret.offset, length(block)) };
  };
  const go = (place: Place) => {
    ui.caret = place;
    if (!event.shiftKey) ui.anchor = place;
    return true;
  };
  if (event.ctrlKey || event.metaKey) return commandIn(store, ui, event.key.toLowerCase(), go);
  switch (event.key) {
    case 'ArrowLeft':
      return go(isEmpty || event.shiftKey ? back(caret) : from);
    case 'ArrowRight':
      return go(isEmpty || event.shiftKey ? on(caret) : to);
    case 'ArrowUp':
      return go(row(-1));
    case 'ArrowDown':
      return go(row(1));
    case 'Home':
      return go({ block: caret.block, offset: 0 });
    case 'End':
      return go({ block: caret.block, offset: length(caret.block) });
    case 'Backspace':
    case 'Delete':
      remember(store, ui);
      if (isEmpty && event.key === 'Backspace') ui.anchor = back(caret);
      else if (isEmpty) ui.caret = on(caret);
      cutSelected(store, ui);
      return true;
    case 'Enter':
      write(store, ui, '\n');
      return true;
    default:
      return event.key === 'Tab';
  }
}

function commandIn(store: EditorStore, ui: EditorUi, key: string, go: (place: Place) => boolean): boolean {
  const last = store.blocks.length - 1;
  const end = { block: last, offset: store.blocks[last]?.text.length ?? 0 };
  const [from, to] = endsOf(ui);
  const mark = ({ b: 'bold', i: 'italic', u: 'underline' } as Record<string, Mark>)[key];
  if (mark) {
    remember(store, ui);
    toggleMark(store, from, to, mark);
  } else if (key === 'a') Object.assign(ui, { anchor: { block: 0, at: 0 }, caret: end });
  else if (key === 'z') undo(store, ui);
  else if (key === 'home') go({ block: 0, offset: 0 });
  else if (key === 'end') go(end);
  else if (key === 'c' || key === 'x') {
    const texts = store.blocks.slice(from.block, to.block + 1).map(({ text }, index, blocks) => {
      const [start, stop] = [index === 0 ? from.offset : 0, index === blocks.length - 1 ? to.offset : text.length];
      return text.slice(start, stop);
    });
    ui.clipboard = texts.join('\n');
    if (key === 'x') write(store, ui, '');
  } else if (key === 'v') write(store, ui, ui.clipboard);
  else return false;
  return true;
}
