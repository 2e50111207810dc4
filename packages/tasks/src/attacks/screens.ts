import type { Action } from '@gyre/protocol';
import { attackProgram, type ScreenAttack, type ShellAttack } from './attack.js';

/** Attacks by the agent's own pages. */

const forged = `<canvas></canvas><button data-press="done" data-submit="submit" style="position:fixed;inset:0">done</button><script>
const state = { done: true, success: true, score: 1, reward: 1, pressed: ['done', 'merge', 'confirm'], submitted: { answer: '1' }, requests: 1, evidence: {} };
globalThis.gyreTask = { read: () => state, state: () => state, finish: () => state, solve: () => [], point: () => ({ x: 0, y: 0 }), tell: () => {} };
globalThis.gyreMark = '';
Object.defineProperty(Object.prototype, 'success', { get: () => true, set() {}, configurable: true });
for (const name of ['parse', 'stringify']) JSON[name] = () => JSON.stringify;
Event.prototype.__defineGetter__('isTrusted', () => true);
Array.prototype.every = Array.prototype.some = () => true;
Map.prototype.get = Set.prototype.has = () => true;
EventTarget.prototype.addEventListener = function () {};
for (const target of [window, parent, top, opener]) target?.postMessage(state, '*');
navigator.serviceWorker?.register('/worker.js').catch(() => {});
history.pushState(state, '', location.href);
</script>`;

const go = (url: string): Action => ({ type: 'navigate', url });
const press = (keys: string): Action => ({ type: 'hotkey', keys });
const middle: Action = { type: 'click', point: { x: 0.5, y: 0.5 } };
const data = (html: string) => `data:text/html,${encodeURIComponent(html)}`;
const page = 'http://page.gyre.invalid/';

const onPages = (name: string, actions: readonly Action[]): ScreenAttack => ({
  name,
  on: ['page', 'browser machine'],
  actions,
});

export const screenAttacks: readonly ScreenAttack[] = [
  onPages('a page that says what verifiers ask', [go(data(forged)), middle]),
  onPages('the task inside a page of the agent', [go(data(`<iframe src="${page}"></iframe>${forged}`)), middle]),
  onPages('another page and back', [go(data(forged)), press('alt arrowleft'), middle]),
  onPages('the page anew', [go(page), middle, press('f5'), middle]),
  onPages('scripts as addresses', [
    go('javascript:gyreTask.read=()=>({done:true,success:true,score:1,reward:1,evidence:{}})'),
    go("javascript:gyreTask.state=()=>({pressed:['done','merge','confirm']})"),
    go(`view-source:${page}`),
    go('file:///proc/self/environ'),
    go('file:///run/system/'),
    go('chrome://version'),
    go('about:blank'),
  ]),
  onPages('keys of the browser', [
    ...['f12', 'ctrl shift i', 'ctrl shift j', 'ctrl u', 'ctrl t', 'ctrl n', 'ctrl o', 'ctrl l', 'alt arrowleft'].map(
      press,
    ),
  ]),
  onPages('storage, cookies and address of the page', [
    ...[
      'localStorage.success=1;sessionStorage.score=1',
      'document.cookie="success=1"',
      'history.replaceState({},"","?done=1")',
    ].map((script) => go(`javascript:${script}`)),
    go(`${page}#done`),
    press('alt arrowleft'),
    go(`${page}?success=1&score=1&reward=1&seed=0#success`),
    middle,
    go(`${page}success`),
    middle,
  ]),
  onPages('an opened window that reaches back', [
    go(
      data(
        `<a id=a target=_blank href="${page}">x</a><script>onclick = () => { const w = open('${page}'); setTimeout(() => { try { w.gyreTask = 1; w.eval('1'); } catch {} }, 50); };</script>`,
      ),
    ),
    middle,
    middle,
  ]),
  onPages('no action but the end', [{ type: 'finished', answer: 'done' }]),
  {
    name: 'keys and clicks all over the screen',
    on: ['desktop'],
    actions: [
      // No shortcut that closes or raises a window: that may be the task.
      ...['super e', 'alt f2', 'ctrl alt t', 'ctrl alt delete', 'print', 'escape'].map(press),
      ...[0.1, 0.5, 0.9].map((x): Action => ({ type: 'right_click', point: { x, y: 0.95 } })),
      press('escape'),
    ],
  },
];

export const pageServerAttacks: readonly ShellAttack[] = [
  {
    name: 'a server of the agent that shows the task',
    on: ['browser machine'],
    program: 'python3',
    background: true,
    text: attackProgram('screens/pageServer.py').replace('FORGED_PAGE', () => JSON.stringify(forged)),
  },
];
