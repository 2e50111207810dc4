/** Text fields with their own caret, selection and clipboard. */
export interface Fields {
  readonly texts: string[];
  focused(): number | undefined;
  selected(): string;
  clipboard(): string;
  write(field: number, text: string): void;
}

export interface FieldsOptions {
  readonly texts?: readonly string[];
  /** Indices of the read-only fields. */
  readonly fixed?: readonly number[];
  readonly focused?: number;
  readonly onEnter?: (field: number) => void;
  /** Freezes the fields once it returns true. */
  readonly locked?: () => boolean;
}

/**
 * Turns elements into text fields driven by trusted events. Runs in the page. Has its own clipboard, since a browser's
 * sessions share the system's.
 */
export function editableFields(elements: readonly HTMLElement[], options: FieldsOptions = {}): Fields {
  const texts = elements.map((_, index) => options.texts?.[index] ?? '');
  let focused = options.focused;
  let anchor = 0;
  let caret = focused === undefined ? 0 : (texts[focused] ?? '').length;
  let clipboard = '';
  if (focused !== undefined) anchor = caret;

  const locked = () => options.locked?.() ?? false;
  const textOf = (index: number) => texts[index] ?? '';
  const ends = (): [number, number] => [Math.min(anchor, caret), Math.max(anchor, caret)];
  const span = (text: string, name = 'span') => {
    const element = document.createElement(name);
    element.textContent = text;
    return element;
  };
  const draw = () => {
    for (const [index, element] of elements.entries()) {
      const text = textOf(index);
      element.classList.toggle('focused', index === focused);
      if (index !== focused) {
        element.replaceChildren(span(text));
        continue;
      }
      const [start, end] = ends();
      const mark = document.createElement('i');
      mark.className = 'caret';
      const middle = start === end ? mark : span(text.slice(start, end), 'mark');
      element.replaceChildren(span(text.slice(0, start)), middle, span(text.slice(end)));
    }
  };
  const insert = (written: string) => {
    if (focused === undefined || options.fixed?.includes(focused)) return;
    const [start, end] = ends();
    texts[focused] = textOf(focused).slice(0, start) + written + textOf(focused).slice(end);
    anchor = caret = start + written.length;
  };
  const placeAt = (index: number, x: number): number => {
    let place = 0;
    let nearest = Infinity;
    let passed = 0;
    const consider = (edge: number, letter: number) => {
      if (Math.abs(edge - x) >= nearest) return;
      nearest = Math.abs(edge - x);
      place = letter;
    };
    for (const part of elements[index]?.children ?? []) {
      const node = part.firstChild;
      const length = node?.textContent?.length ?? 0;
      for (let letter = 0; node && letter < length; letter++) {
        const range = document.createRange();
        range.setStart(node, letter);
        range.setEnd(node, letter + 1);
        const { left, right } = range.getBoundingClientRect();
        consider(left, passed + letter);
        consider(right, passed + letter + 1);
      }
      passed += length;
    }
    return place;
  };
  const fieldAt = (event: MouseEvent) =>
    event.target instanceof Node ? elements.findIndex((element) => element.contains(event.target as Node)) : -1;

  let dragging = false;
  document.addEventListener(
    'mousedown',
    (event) => {
      if (!event.isTrusted || event.button !== 0 || locked()) return;
      const index = fieldAt(event);
      focused = index < 0 ? undefined : index;
      if (index >= 0) {
        caret = placeAt(index, event.clientX);
        if (!event.shiftKey) anchor = caret;
        dragging = true;
        if (event.detail >= 2) {
          const text = textOf(index);
          anchor = event.detail > 2 ? 0 : text.slice(0, caret).search(/\S*$/);
          caret = event.detail > 2 ? text.length : caret + text.slice(caret).search(/\s|$/);
        }
      }
      draw();
    },
    true,
  );
  document.addEventListener(
    'mousemove',
    (event) => {
      if (!event.isTrusted || !dragging || focused === undefined || !(event.buttons & 1)) return;
      caret = placeAt(focused, event.clientX);
      draw();
    },
    true,
  );
  document.addEventListener('mouseup', () => (dragging = false), true);

  document.addEventListener(
    'keydown',
    (event) => {
      if (focused === undefined || !event.isTrusted || locked()) return;
      const text = textOf(focused);
      const [start, end] = ends();
      const command = event.ctrlKey || event.metaKey;
      const key = event.key.length === 1 && command ? event.key.toLowerCase() : event.key;
      const move = (to: number) => {
        caret = Math.max(0, Math.min(text.length, to));
        if (!event.shiftKey) anchor = caret;
      };
      if (command && key === 'a') {
        anchor = 0;
        caret = text.length;
      } else if (command && (key === 'c' || key === 'x')) {
        if (start < end) clipboard = text.slice(start, end);
        if (start < end && key === 'x') insert('');
      } else if (command && key === 'v') insert(clipboard);
      else if (command || event.altKey) return;
      else if (key === 'Tab') {
        focused = (focused + (event.shiftKey ? elements.length - 1 : 1)) % elements.length;
        anchor = 0;
        caret = textOf(focused).length;
      } else if (key === 'Enter') options.onEnter?.(focused);
      else if (key === 'Backspace' || key === 'Delete') {
        if (start === end && key === 'Backspace') anchor = Math.max(0, start - 1);
        if (start === end && key === 'Delete') caret = Math.min(text.length, end + 1);
        insert('');
      } else if (key === 'ArrowLeft') move(start < end && !event.shiftKey ? start : caret - 1);
      else if (key === 'ArrowRight') move(start < end && !event.shiftKey ? end : caret + 1);
      else if (key === 'Home') move(0);
      else if (key === 'End') move(text.length);
      else if (key.length === 1) insert(event.key);
      else return;
      event.preventDefault();
      draw();
    },
    true,
  );
  draw();
  return {
    texts,
    focused: () => focused,
    selected: () => (focused === undefined ? '' : textOf(focused).slice(...ends())),
    clipboard: () => clipboard,
    write(field, text) {
      texts[field] = text;
      focused = undefined;
      draw();
    },
  };
}
