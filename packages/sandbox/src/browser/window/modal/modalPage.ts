import type { Question } from '../question.js';
import { documentUrl } from '../../page.js';
import { pageProgram } from '../../pageProgram.js';
import { displayText } from '../../tab/loadFailure.js';

/** A file (size in bytes) or folder, relative to the home. */
export interface ChosenEntry {
  readonly path: string;
  readonly size?: number | undefined;
}

export interface ChooserTerms {
  readonly multiple: boolean;
  readonly folder: boolean;
  readonly accept: string;
  readonly entries: readonly ChosenEntry[];
}

export type Dialog = Exclude<Question, { kind: 'files' }> | ({ readonly kind: 'files' } & ChooserTerms) | DropDialog;

/** The ctrl o panel, to drag files onto the page. */
export type DropDialog = { readonly kind: 'drop' } & ChooserTerms;

const maxText = 10_000;

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

const dialogFile = new URL('./page/dialog.page.bundle', import.meta.url);

const button = (text: string, kind: string, type = 'submit'): string =>
  `<button type="${type}" class="${kind}">${text}</button>`;
const cancel = (text = 'Cancel'): string => button(text, 'cancel', 'button');
const buttons = (...all: string[]): string => `<div class="buttons">${all.join('')}</div>`;

function nameOf(from: string): string {
  const url = URL.parse(from);
  return url !== null && url.host !== '' && url.href !== documentUrl ? url.host : 'This page';
}

function form(dialog: Dialog): string {
  switch (dialog.kind) {
    case 'alert':
    case 'confirm':
    case 'prompt':
      return `<form><h1>${escaped(nameOf(dialog.from))} says</h1><p>${escaped(dialog.message.slice(0, maxText))}</p>
        ${dialog.kind === 'prompt' ? `<input name="text" autofocus value="${escaped(dialog.text.slice(0, maxText))}">` : ''}
        ${buttons(button('OK', 'default'), dialog.kind === 'alert' ? '' : cancel())}</form>`;
    case 'beforeunload':
      return `<form><h1>Leave site?</h1><p>Changes you made may not be saved.</p>
        ${buttons(button('Leave', 'default'), cancel())}</form>`;
    case 'credentials':
      return `<form><h1>Sign in</h1><p>${escaped(dialog.from)}${dialog.message ? `\n${escaped(displayText(dialog.message))}` : ''}</p>
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

/** Draws a dialog over a screenshot. Its answer is in the root's `data-answer`. */
export function modalPage(dialog: Dialog, behind: Uint8Array | undefined): string {
  const picture = behind?.length
    ? `<img alt="" decoding="sync" src="data:image/png;base64,${Buffer.from(behind).toString('base64')}">`
    : '';
  const isChooser = dialog.kind === 'files' || dialog.kind === 'drop';
  const chooser = isChooser ? { ...dialog, isDrop: dialog.kind === 'drop' } : undefined;
  const terms = JSON.stringify({ selects: dialog.kind === 'prompt', chooser }).replaceAll('<', '\\u003c');
  return `<!doctype html><meta charset="utf-8"><title>${dialog.kind}</title><style>${style}</style>
    ${picture}${dialog.kind === 'drop' ? '' : '<div class="shade"></div>'}${form(dialog)}
    <script>(${pageProgram(dialogFile)})(${terms})</script>`;
}
