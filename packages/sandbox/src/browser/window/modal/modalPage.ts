import type { Question } from '../question.js';
import { documentUrl } from '../../page.js';
import { told } from '../../tab/loadFailure.js';

/** A file or folder that a chooser shows: its path from the home, and bytes of a file. */
export interface ChosenEntry {
  readonly path: string;
  readonly size?: number | undefined;
}

/** Files that a chooser offers, and how many are chosen. */
export interface ChooserTerms {
  readonly multiple: boolean;
  /** A folder is chosen, and no file. */
  readonly folder: boolean;
  /** The input's attribute `accept`. */
  readonly accept: string;
  readonly entries: readonly ChosenEntry[];
}

/** A dialog as it is drawn. */
export type Dialog = Exclude<Question, { kind: 'files' }> | ({ readonly kind: 'files' } & ChooserTerms) | DropDialog;

/** A panel of files that was opened by keys: to be dragged onto the page. */
export type DropDialog = { readonly kind: 'drop' } & ChooserTerms;

/** Characters of a message that are shown. */
const mostText = 10_000;

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character]!);

const style = `
  * { box-sizing: border-box }
  html, body { margin: 0; height: 100%; overflow: hidden; background: #fff; cursor: default }
  body { font: clamp(9px, 2.1vw, 14px)/1.4 'Liberation Sans', Arial, 'Noto Sans CJK SC', sans-serif; color: #1f1f1f }
  img { position: fixed; inset: 0; width: 100vw; height: 100vh }
  .shade { position: fixed; inset: 0; background: rgb(0 0 0 / 0.12) }
  form { position: fixed; top: 0; left: 50%; translate: -50% 0; width: min(448px, 100vw - 8px); max-height: 100vh; display: flex;
    flex-direction: column; background: #fff; border-radius: 0 0 10px 10px; box-shadow: 0 2px 14px rgb(0 0 0 / 0.45); padding: 1.1em 1.3em }
  h1 { font-size: 1.05em; margin: 0 0 0.6em; overflow-wrap: anywhere }
  p { margin: 0 0 0.8em; white-space: pre-wrap; overflow: auto; overflow-wrap: anywhere; max-height: 40vh }
  label { display: grid; grid-template-columns: 6em 1fr; align-items: center; margin-bottom: 0.5em }
  input { font: inherit; width: 100%; padding: 0.35em 0.5em; border: 1px solid #747775; border-radius: 4px }
  .buttons { display: flex; justify-content: flex-end; gap: 0.6em; margin-top: 0.4em }
  button { font: inherit; padding: 0.35em 1.3em; border-radius: 1.4em; border: 1px solid #747775; background: #fff; color: #0b57d0 }
  button.default { background: #0b57d0; border-color: #0b57d0; color: #fff }
  :is(button, input):focus-visible { outline: 2px solid #0b57d0; outline-offset: 1px }
  form.files { width: min(560px, 100vw - 8px); height: min(400px, 100vh - 4px) }
  form.drop { top: auto; bottom: 0; border-radius: 10px 10px 0 0; height: min(320px, 55vh) }
  .files h1 { cursor: move; user-select: none }
  .path { color: #5f6368; margin-bottom: 0.4em; white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
  .list { flex: 1; overflow: auto; border: 1px solid #c7c7c7; min-height: 3em; margin-bottom: 0.5em; user-select: none; outline: none }
  .row { display: flex; gap: 0.5em; padding: 0.15em 0.5em }
  .row .name { flex: 1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
  .row .size { color: #5f6368 }
  .row.selected { background: #d3e3fd }
  .row.dim { color: #9aa0a6 }
  .none { padding: 0.5em; color: #5f6368 }`;

/** Sets the answer where whoever draws the dialog reads it. */
const answering = `
  const answer = (given) => { document.documentElement.dataset.answer ??= JSON.stringify(given); };
  const form = document.querySelector('form');
  addEventListener('keydown', (event) => { if (event.key === 'Escape') answer({ accept: false }); });
  // The keys stay with the dialog, wherever the mouse is pressed.
  addEventListener('mousedown', (event) => { if (!event.target.closest('input, button, form.files *')) event.preventDefault(); });
  document.querySelector('.cancel')?.addEventListener('click', () => answer({ accept: false }));`;

const fields = `
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const fields = Object.fromEntries([...form.querySelectorAll('input')].map((input) => [input.name, input.value]));
    answer({ accept: true, ...fields });
  });`;

/** The chooser: folders are entered and files chosen by mouse, by arrows or by their names; files can be dragged out of it. */
const chooser = `
  const { entries, multiple, folder, accept, isDrop } = JSON.parse(document.querySelector('#terms').textContent);
  const list = document.querySelector('.list'), names = document.querySelector('input');
  const place = document.querySelector('.path'), title = document.querySelector('h1');
  const endings = accept.toLowerCase().split(',').map((one) => one.trim()).filter((one) => one.startsWith('.'));
  const fits = (path) => endings.length === 0 || endings.some((ending) => path.toLowerCase().endsWith(ending));
  const parent = (path) => path.split('/').slice(0, -1).join('/');
  const nameOf = (path) => path.split('/').at(-1);
  const sized = (bytes) => bytes < 1000 ? bytes + ' B' : bytes < 1e6 ? (bytes / 1e3).toFixed(1) + ' kB' : (bytes / 1e6).toFixed(1) + ' MB';
  let here = '', shown = [], selected = [], last = -1, dragged, moved;
  const isFolder = ({ size }) => size === undefined;
  const draw = () => {
    place.textContent = 'Home' + (here && ' / ' + here.split('/').join(' / '));
    shown = entries.filter(({ path }) => parent(path) === here && (!folder || isFolder({ size: entries.find((one) => one.path === path).size })));
    shown.sort((a, b) => isFolder(b) - isFolder(a) || (a.path < b.path ? -1 : 1));
    const rows = shown.map((entry, index) => row(nameOf(entry.path) + (isFolder(entry) ? '/' : ''), entry, index));
    if (here) rows.unshift(row('..', undefined, -1));
    if (rows.length === 0) rows.push(Object.assign(document.createElement('div'), { className: 'none', textContent: 'This folder is empty.' }));
    list.replaceChildren(...rows);
  };
  const row = (text, entry, index) => {
    const element = document.createElement('div');
    element.className = 'row' + (selected.includes(entry?.path) && entry ? ' selected' : '') + (entry && !isFolder(entry) && !fits(entry.path) ? ' dim' : '');
    element.dataset.index = index;
    const name = Object.assign(document.createElement('span'), { className: 'name', textContent: text });
    const size = Object.assign(document.createElement('span'), { className: 'size', textContent: entry && !isFolder(entry) ? sized(entry.size) : '' });
    element.append(name, size);
    return element;
  };
  const enter = (path) => { here = path; selected = []; last = -1; list.scrollTop = 0; names.value = ''; draw(); };
  const show = () => {
    draw();
    const chosen = selected.map(nameOf);
    names.value = chosen.length > 1 ? chosen.map((name) => '"' + name + '"').join(' ') : (chosen[0] ?? '');
    list.querySelector('[data-index="' + last + '"]')?.scrollIntoView({ block: 'nearest' });
  };
  const select = (index, { ctrlKey, metaKey, shiftKey } = {}) => {
    const { path } = shown[index];
    if (multiple && shiftKey && last >= 0) selected = shown.slice(Math.min(last, index), Math.max(last, index) + 1).map((one) => one.path);
    else if (multiple && (ctrlKey || metaKey)) selected = selected.includes(path) ? selected.filter((one) => one !== path) : [...selected, path];
    else selected = [path];
    if (!shiftKey) last = index;
    show();
  };
  const choose = (paths) => {
    const chosen = paths.map((path) => entries.find((one) => one.path === path)).filter(Boolean);
    if (chosen.length === 1 && isFolder(chosen[0]) && !folder) return enter(chosen[0].path);
    const files = chosen.filter((one) => folder || !isFolder(one)).map(({ path }) => path);
    if (files.length === 0 || isDrop) return;
    answer({ accept: true, files: multiple && !folder ? files : files.slice(0, 1) });
  };
  const typed = () => {
    const text = names.value.trim();
    const several = [...text.matchAll(/"([^"]*)"/g)].map(([, name]) => name);
    return (several.length > 0 ? several : [text]).map((name) => {
      const whole = name.replace(/^~\\/|\\/$/g, '');
      return name.startsWith('~/') || here === '' ? whole : here + '/' + whole;
    });
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (names.value.trim() === '..') return enter(parent(here));
    if (names.value.trim() === '') return folder ? choose([here || shown[0]?.path]) : undefined;
    const paths = typed().filter((path) => entries.some((one) => one.path === path));
    if (paths.length > 0) return choose(paths);
    place.textContent = 'There is no file ' + names.value;
  });
  const at = (event) => event.target.closest?.('.row');
  list.addEventListener('mousedown', (event) => {
    const element = at(event);
    if (!element) return;
    event.preventDefault();
    const index = Number(element.dataset.index);
    if (index < 0) return;
    // Those that are selected are dragged together.
    if (!(selected.includes(shown[index].path) && !event.ctrlKey)) select(index, event);
    dragged = selected.filter((path) => !isFolder(entries.find((one) => one.path === path)));
  });
  list.addEventListener('dblclick', (event) => {
    const element = at(event);
    if (!element) return;
    const index = Number(element.dataset.index);
    if (index < 0) enter(parent(here));
    else choose([shown[index].path]);
  });
  title.addEventListener('mousedown', (event) => { event.preventDefault(); moved = { x: event.clientX, y: event.clientY, box: form.getBoundingClientRect() }; });
  addEventListener('mousemove', (event) => {
    if (dragged?.length > 0) document.body.style.cursor = 'grabbing';
    if (!moved) return;
    const left = Math.min(Math.max(moved.box.left + event.clientX - moved.x, 0), innerWidth - moved.box.width);
    const top = Math.min(Math.max(moved.box.top + event.clientY - moved.y, 0), innerHeight - moved.box.height);
    Object.assign(form.style, { left: left + 'px', top: top + 'px', bottom: 'auto', translate: 'none' });
  });
  addEventListener('mouseup', (event) => {
    const isOutside = !form.contains(document.elementFromPoint(event.clientX, event.clientY));
    if (dragged?.length > 0 && isOutside) answer({ accept: true, drop: dragged, x: event.clientX, y: event.clientY });
    dragged = moved = undefined;
    document.body.style.cursor = '';
  });
  form.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && shown.length > 0) {
      event.preventDefault();
      select(Math.min(Math.max(last + step, 0), shown.length - 1), { shiftKey: false });
    }
    if (event.key === 'ArrowUp' && event.altKey) enter(parent(here));
    if (event.key === 'a' && event.ctrlKey && multiple && names.value === '') {
      event.preventDefault();
      selected = shown.filter((one) => !isFolder(one)).map((one) => one.path);
      show();
    }
  });
  draw();`;

const button = (text: string, kind: string, type = 'submit'): string =>
  `<button type="${type}" class="${kind}">${text}</button>`;
const cancel = (text = 'Cancel'): string => button(text, 'cancel', 'button');
const buttons = (...all: string[]): string => `<div class="buttons">${all.join('')}</div>`;

/** The host of an address as a dialog names it. */
function nameOf(from: string): string {
  const url = URL.parse(from);
  return url !== null && url.host !== '' && url.href !== documentUrl ? url.host : 'This page';
}

function form(dialog: Dialog): string {
  switch (dialog.kind) {
    case 'alert':
    case 'confirm':
    case 'prompt':
      return `<form><h1>${escaped(nameOf(dialog.from))} says</h1><p>${escaped(dialog.message.slice(0, mostText))}</p>
        ${dialog.kind === 'prompt' ? `<input name="text" autofocus value="${escaped(dialog.text.slice(0, mostText))}">` : ''}
        ${buttons(button('OK', 'default'), dialog.kind === 'alert' ? '' : cancel())}</form>`;
    case 'beforeunload':
      return `<form><h1>Leave site?</h1><p>Changes you made may not be saved.</p>
        ${buttons(button('Leave', 'default'), cancel())}</form>`;
    case 'credentials':
      return `<form><h1>Sign in</h1><p>${escaped(dialog.from)}${dialog.message ? `\n${escaped(told(dialog.message))}` : ''}</p>
        <label>Username<input name="user" autofocus></label><label>Password<input name="password" type="password"></label>
        ${buttons(button('Sign in', 'default'), cancel())}</form>`;
    case 'files':
      return `<form class="files"><h1>${dialog.folder ? 'Open folder' : dialog.multiple ? 'Open files' : 'Open file'}</h1>
        <div class="path"></div><div class="list" tabindex="-1"></div>
        <label>File name<input name="names" autofocus autocomplete="off"></label>
        ${buttons(button('Open', 'default'), cancel())}</form>`;
    case 'drop':
      return `<form class="files drop"><h1>Drag files onto the page</h1>
        <div class="path"></div><div class="list" tabindex="-1"></div>
        <label>File name<input name="names" autofocus autocomplete="off"></label>
        ${buttons(cancel('Close'))}</form>`;
  }
}

/** The page of a dialog, over a picture of what it is about. Its answer stands in the attribute `data-answer` of its root. */
export function modalPage(dialog: Dialog, behind: Uint8Array | undefined): string {
  const picture = behind?.length
    ? `<img alt="" decoding="sync" src="data:image/png;base64,${Buffer.from(behind).toString('base64')}">`
    : '';
  const isChooser = dialog.kind === 'files' || dialog.kind === 'drop';
  const terms = isChooser
    ? JSON.stringify({ ...dialog, isDrop: dialog.kind === 'drop' }).replaceAll('<', '\\u003c')
    : '';
  // Enter answers, wherever the keys go.
  const focus = "(document.querySelector('[autofocus]') ?? document.querySelector('.default'))?.focus();";
  const selecting = dialog.kind === 'prompt' ? "document.querySelector('input').select();" : '';
  return `<!doctype html><meta charset="utf-8"><title>${dialog.kind}</title><style>${style}</style>
    ${picture}${dialog.kind === 'drop' ? '' : '<div class="shade"></div>'}${form(dialog)}
    ${isChooser ? `<script type="application/json" id="terms">${terms}</script>` : ''}
    <script>{${answering}\n${isChooser ? chooser : fields}\n${focus}${selecting}}</script>`;
}
