export interface ChooserEntry {
  /** Relative to the home. */
  readonly path: string;
  /** In bytes; undefined for folders. */
  readonly size?: number;
}

export interface ChooserTerms {
  readonly entries: readonly ChooserEntry[];
  readonly multiple: boolean;
  readonly folder: boolean;
  readonly accept: string;
  readonly isDrop: boolean;
}

/** Turns a dialog into a file chooser for mouse, arrows and typed names. */
export function setChooser(form: HTMLFormElement, terms: ChooserTerms, answer: (given: object) => void): void {
  new Chooser(form, terms, answer).draw();
}

class Chooser {
  readonly #form: HTMLFormElement;
  readonly #terms: ChooserTerms;
  readonly #answer: (given: object) => void;
  readonly #list = document.querySelector<HTMLElement>('.list')!;
  readonly #names = document.querySelector('input')!;
  readonly #place = document.querySelector<HTMLElement>('.path')!;
  /** Accepted extensions; empty for any. */
  readonly #endings: readonly string[];
  #folder = '';
  #entries: readonly ChooserEntry[] = [];
  #selected: readonly string[] = [];
  #last = -1;
  #dragged: readonly string[] = [];
  #moved: { readonly x: number; readonly y: number; readonly box: DOMRect } | undefined;

  constructor(form: HTMLFormElement, terms: ChooserTerms, answer: (given: object) => void) {
    this.#form = form;
    this.#terms = terms;
    this.#answer = answer;
    const types = terms.accept.toLowerCase().split(',');
    this.#endings = types.map((type) => type.trim()).filter((type) => type.startsWith('.'));
    this.#listen();
  }

  draw(): void {
    const { entries, folder } = this.#terms;
    this.#place.textContent = `Home${this.#folder && ` / ${this.#folder.split('/').join(' / ')}`}`;
    this.#entries = entries
      .filter((entry) => parentOf(entry.path) === this.#folder && (!folder || isFolder(entry)))
      .sort((a, b) => Number(isFolder(b)) - Number(isFolder(a)) || (a.path < b.path ? -1 : 1));
    const rows = this.#entries.map((entry, index) => this.#row(entry, index));
    if (this.#folder) rows.unshift(rowOf('..', '', -1));
    if (rows.length === 0) rows.push(elementOf('div', 'none', 'This folder is empty.'));
    this.#list.replaceChildren(...rows);
  }

  #row(entry: ChooserEntry, index: number): HTMLElement {
    const { path, size } = entry;
    const row = rowOf(nameOf(path) + (isFolder(entry) ? '/' : ''), size === undefined ? '' : sizeText(size), index);
    row.classList.toggle('selected', this.#selected.includes(path));
    row.classList.toggle('dim', !isFolder(entry) && !this.#fits(path));
    return row;
  }

  #fits(path: string): boolean {
    const lower = path.toLowerCase();
    return this.#endings.length === 0 || this.#endings.some((ending) => lower.endsWith(ending));
  }

  #entry(path: string): ChooserEntry | undefined {
    return this.#terms.entries.find((entry) => entry.path === path);
  }

  #enter(path: string): void {
    this.#folder = path;
    this.#selected = [];
    this.#last = -1;
    this.#list.scrollTop = 0;
    this.#names.value = '';
    this.draw();
  }

  #show(): void {
    this.draw();
    const names = this.#selected.map(nameOf);
    this.#names.value = names.length > 1 ? names.map((name) => `"${name}"`).join(' ') : (names[0] ?? '');
    this.#list.querySelector(`[data-index="${this.#last}"]`)?.scrollIntoView({ block: 'nearest' });
  }

  #select(index: number, { ctrlKey = false, metaKey = false, shiftKey = false } = {}): void {
    const { path } = this.#entries[index]!;
    const { multiple } = this.#terms;
    if (multiple && shiftKey && this.#last >= 0) {
      const range = this.#entries.slice(Math.min(this.#last, index), Math.max(this.#last, index) + 1);
      this.#selected = range.map((entry) => entry.path);
    } else if (multiple && (ctrlKey || metaKey)) {
      const others = this.#selected.filter((each) => each !== path);
      this.#selected = others.length < this.#selected.length ? others : [...others, path];
    } else {
      this.#selected = [path];
    }
    if (!shiftKey) this.#last = index;
    this.#show();
  }

  #choose(paths: readonly (string | undefined)[]): void {
    const { multiple, folder, isDrop } = this.#terms;
    const entries = paths.flatMap((path) => this.#entry(path ?? '') ?? []);
    const [first] = entries;
    if (entries.length === 1 && isFolder(first!) && !folder) return this.#enter(first!.path);
    const files = entries.filter((entry) => folder || !isFolder(entry)).map(({ path }) => path);
    if (files.length === 0 || isDrop) return;
    this.#answer({ accept: true, files: multiple && !folder ? files : files.slice(0, 1) });
  }

  /** Parses one name, or several in quotes. */
  #typed(): string[] {
    const text = this.#names.value.trim();
    const quoted = [...text.matchAll(/"([^"]*)"/g)].map(([, name]) => name!);
    return (quoted.length > 0 ? quoted : [text]).map((name) => {
      const path = name.replace(/^~\/|\/$/g, '');
      return name.startsWith('~/') || this.#folder === '' ? path : `${this.#folder}/${path}`;
    });
  }

  #listen(): void {
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#form.addEventListener('keydown', (event) => this.#press(event));
    this.#list.addEventListener('mousedown', (event) => this.#grasp(event));
    this.#list.addEventListener('dblclick', (event) => {
      const index = indexAt(event);
      if (index === undefined) return;
      if (index < 0) this.#enter(parentOf(this.#folder));
      else this.#choose([this.#entries[index]!.path]);
    });
    document.querySelector('h1')!.addEventListener('mousedown', (event) => {
      event.preventDefault();
      this.#moved = { x: event.clientX, y: event.clientY, box: this.#form.getBoundingClientRect() };
    });
    addEventListener('mousemove', (event) => this.#move(event));
    addEventListener('mouseup', (event) => this.#release(event));
  }

  #submit(): void {
    const text = this.#names.value.trim();
    if (text === '..') return this.#enter(parentOf(this.#folder));
    if (text === '') return this.#terms.folder ? this.#choose([this.#folder || this.#entries[0]?.path]) : undefined;
    const paths = this.#typed().filter((path) => this.#entry(path) !== undefined);
    if (paths.length > 0) return this.#choose(paths);
    this.#place.textContent = `There is no file ${this.#names.value}`;
  }

  #press(event: KeyboardEvent): void {
    const { key, altKey, ctrlKey } = event;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step !== undefined && this.#entries.length > 0) {
      event.preventDefault();
      this.#select(Math.min(Math.max(this.#last + step, 0), this.#entries.length - 1));
    }
    if (key === 'ArrowUp' && altKey) this.#enter(parentOf(this.#folder));
    if (key === 'a' && ctrlKey && this.#terms.multiple && this.#names.value === '') {
      event.preventDefault();
      this.#selected = this.#entries.filter((entry) => !isFolder(entry)).map(({ path }) => path);
      this.#show();
    }
  }

  #grasp(event: MouseEvent): void {
    const index = indexAt(event);
    if (index === undefined) return;
    event.preventDefault();
    if (index < 0) return;
    // A selected row drags the whole selection.
    const isSelected = this.#selected.includes(this.#entries[index]!.path);
    if (!isSelected || event.ctrlKey) this.#select(index, event);
    this.#dragged = this.#selected.filter((path) => !isFolder(this.#entry(path)!));
  }

  #move({ clientX, clientY }: MouseEvent): void {
    if (this.#dragged.length > 0) document.body.style.cursor = 'grabbing';
    if (!this.#moved) return;
    const { x, y, box } = this.#moved;
    const leftPx = Math.min(Math.max(box.left + clientX - x, 0), innerWidth - box.width);
    const topPx = Math.min(Math.max(box.top + clientY - y, 0), innerHeight - box.height);
    Object.assign(this.#form.style, { left: `${leftPx}px`, top: `${topPx}px`, bottom: 'auto', translate: 'none' });
  }

  #release({ clientX, clientY }: MouseEvent): void {
    const isOutside = !this.#form.contains(document.elementFromPoint(clientX, clientY));
    if (this.#dragged.length > 0 && isOutside) {
      this.#answer({ accept: true, drop: this.#dragged, x: clientX, y: clientY });
    }
    this.#dragged = [];
    this.#moved = undefined;
    document.body.style.cursor = '';
  }
}

function isFolder({ size }: ChooserEntry): boolean {
  return size === undefined;
}

function parentOf(path: string): string {
  return path.split('/').slice(0, -1).join('/');
}

function nameOf(path: string): string {
  return path.split('/').at(-1)!;
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Returns the row at the mouse; -1 is the parent folder. */
function indexAt(event: MouseEvent): number | undefined {
  const row = (event.target as Element).closest<HTMLElement>('.row');
  return row === null ? undefined : Number(row.dataset.index);
}

function rowOf(name: string, size: string, index: number): HTMLElement {
  const row = elementOf('div', 'row', '');
  row.dataset.index = String(index);
  row.append(elementOf('span', 'name', name), elementOf('span', 'size', size));
  return row;
}

function elementOf(tag: 'div' | 'span', className: string, textContent: string): HTMLElement {
  return Object.assign(document.createElement(tag), { className, textContent });
}
