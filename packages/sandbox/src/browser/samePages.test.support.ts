import type { Action } from '@gyre/protocol';

/** A page whose `state` must be equal in Chromium and in gyre. */
export interface SamePage {
  readonly name: string;
  readonly html: string;
  readonly actions: readonly Action[];
  /** In order: `true` for OK, or a text to type. */
  readonly answers?: readonly (boolean | string)[];
  readonly state: string;
  /** Documents of `open` have opaque origins, which their windows do not share. */
  readonly isServed?: boolean;
}

export const size = { width: 400, height: 300 };

const pointAt = (x: number, y: number): { x: number; y: number } => ({ x: x / size.width, y: y / size.height });
const click = (x: number, y: number): Action => ({ type: 'click', point: pointAt(x, y) });
const key = (keys: string): Action => ({ type: 'hotkey', keys });
const type = (text: string): Action => ({ type: 'type', text });
const wheel = (direction: 'up' | 'down' | 'left' | 'right', x = 50, y = 50): Action => ({
  type: 'scroll',
  direction,
  point: pointAt(x, y),
});
const drag = (from: readonly [number, number], to: readonly [number, number]): Action => ({
  type: 'drag',
  start: pointAt(...from),
  end: pointAt(...to),
});

const tall = '<div style="height:3000px;flex:none;background:linear-gradient(red,blue)"></div>';
const box = (style: string, inside = tall, attributes = 'id=box'): string =>
  `<div ${attributes} style="width:300px;height:200px;overflow:auto;${style}">${inside}</div>`;
const wide = '<div style="width:3000px;height:100px;background:linear-gradient(90deg,red,blue)"></div>';
const offsets = 'Math.round(box.scrollLeft) + "," + Math.round(box.scrollTop) + "," + Math.round(scrollY)';
const below = '<div style="height:2000px"></div>';

const wheels: readonly SamePage[] = [
  { name: 'the page', html: below, actions: [wheel('down')], state: 'scrollY' },
  { name: 'down and up', html: below, actions: [wheel('down'), wheel('down'), wheel('up')], state: 'scrollY' },
  { name: 'a box before the page', html: box('') + below, actions: [wheel('down')], state: offsets },
  {
    name: 'a box at its end, and then the page',
    html: box('', '<div style="height:300px">') + below,
    actions: [wheel('down'), wheel('down')],
    state: offsets,
  },
  {
    name: 'a reversed column',
    html: box('display:flex;flex-direction:column-reverse'),
    actions: [wheel('up'), wheel('up'), wheel('down')],
    state: offsets,
  },
  { name: 'from right to left', html: box('direction:rtl', wide), actions: [wheel('left')], state: offsets },
  {
    name: 'vertical writing from the right',
    html: box('writing-mode:vertical-rl', '<div style="width:3000px;height:50px">'),
    actions: [wheel('left'), wheel('left'), wheel('right')],
    state: offsets,
  },
  { name: 'sideways', html: box('', wide), actions: [wheel('right'), wheel('right'), wheel('left')], state: offsets },
  {
    name: 'a box in a shadow root',
    html: `<div id=host></div>${below}<script>host.attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(box(''))}; box = host.shadowRoot.firstChild</script>`,
    actions: [wheel('down')],
    state: offsets,
  },
  {
    name: 'a box in a closed shadow root, with a slot',
    html: `<div id=host>${tall}</div>${below}<script>let root = host.attachShadow({ mode: 'closed' }); root.innerHTML = '<div style="width:300px;height:200px;overflow:auto"><slot></slot></div>'; const inner = root.firstChild; inner.onscroll = () => (document.title = inner.scrollTop)</script>`,
    actions: [wheel('down')],
    state: 'document.title + "," + scrollY',
  },
  {
    name: 'a frame',
    html: `<iframe id=box style="width:300px;height:200px;border:0" srcdoc="<body style='height:2000px'><script>onscroll = () => parent.postMessage(scrollY, '*')</script>"></iframe>${below}<script>onmessage = ({ data }) => (document.title = data)</script>`,
    actions: [wheel('down')],
    state: 'document.title + "," + scrollY',
  },
  {
    name: 'a frame at its end, and then the page',
    html: `<iframe style="width:300px;height:200px;border:0" srcdoc="<body style='height:100px'>"></iframe>${below}`,
    actions: [wheel('down')],
    state: 'scrollY',
  },
  {
    name: 'a page that is locked below a dialog',
    html: `<style>body { overflow: hidden }</style><div style="position:fixed;inset:0;background:#0008"></div>${below}`,
    actions: [wheel('down')],
    state: 'scrollY',
  },
  {
    name: 'overscroll-behavior: contain',
    html: box('overscroll-behavior:contain', '<div style="height:210px">') + below,
    actions: [wheel('down'), wheel('down')],
    state: offsets,
  },
  {
    name: 'overflow: clip and hidden',
    html: `<div id=box style="width:300px;height:100px;overflow:hidden">${tall}</div>${below}`,
    actions: [wheel('down')],
    state: offsets,
  },
  {
    name: 'mandatory snapping',
    html: box('scroll-snap-type:y mandatory', '<div style="height:200px;scroll-snap-align:start"></div>'.repeat(8)),
    actions: [wheel('down'), { type: 'wait', seconds: 1 }],
    state: offsets,
  },
  {
    name: 'a listener that prevents it',
    html: box('') + `${below}<script>box.addEventListener('wheel', (e) => e.preventDefault())</script>`,
    actions: [wheel('down'), wheel('down', 350, 250)],
    state: offsets,
  },
  {
    name: 'a passive listener that tries to prevent it',
    html: box('') + `<script>addEventListener('wheel', (e) => e.preventDefault())</script>${below}`,
    actions: [wheel('down')],
    state: offsets,
  },
  {
    name: 'a fixed box over a scrolled one',
    html: `${box('')}<div style="position:fixed;left:0;top:0;width:100px;height:100px;background:lime"></div>${below}`,
    actions: [wheel('down')],
    state: offsets,
  },
  {
    name: 'a text area',
    html: `<textarea id=box style="width:300px;height:100px">${'line\n'.repeat(100)}</textarea>${below}`,
    actions: [wheel('down')],
    state: offsets,
  },
  {
    name: 'a box that is turned',
    html: box('transform:rotate(90deg)'),
    actions: [wheel('down', 100, 100)],
    state: offsets,
  },
  {
    name: 'pointer-events: none over a box',
    html: `${box('')}<div style="position:fixed;inset:0;pointer-events:none"></div>`,
    actions: [wheel('down')],
    state: offsets,
  },
  {
    name: 'the events that come with it',
    html: `${box('')}<script>const told = []; for (const name of ['wheel', 'scroll', 'scrollend']) box.addEventListener(name, () => { if (told.at(-1) !== name) told.push(name) })</script>`,
    actions: [wheel('down'), { type: 'wait', seconds: 0.5 }],
    state: 'told.join(" ")',
  },
];

const eventRecorder = (names: string, target = 'window'): string =>
  `<script>const told = []; for (const name of '${names}'.split(' ')) ${target}.addEventListener(name, (event) => told.push(event.type + (event.key ? ':' + event.key : '') + (event.inputType ? ':' + event.inputType : '')), true)</script>`;
const allTold = 'told.join(" ")';

const inputs: readonly SamePage[] = [
  {
    name: 'a click',
    html: `<button style="position:fixed;inset:0">x</button>${eventRecorder('pointerdown mousedown focus pointerup mouseup click dblclick')}`,
    actions: [click(50, 50)],
    state: allTold,
  },
  {
    name: 'a double click',
    html: `<button style="position:fixed;inset:0">x</button>${eventRecorder('mousedown mouseup click dblclick')}`,
    actions: [{ type: 'double_click', point: pointAt(50, 50) }],
    state: allTold,
  },
  {
    name: 'the right button',
    html: eventRecorder('mousedown mouseup click auxclick contextmenu'),
    actions: [{ type: 'right_click', point: pointAt(50, 50) }],
    state: allTold,
  },
  {
    name: 'a text field',
    html: `<input id=field style="position:fixed;left:0;top:0">${eventRecorder('keydown beforeinput input keyup change')}`,
    actions: [click(20, 10), type('aB'), key('backspace'), key('tab')],
    state: `field.value + "|" + ${allTold}`,
  },
  {
    name: 'selection by keys',
    html: '<input id=field value="one two three" style="position:fixed;left:0;top:0">',
    actions: [
      click(150, 10),
      key('end'),
      key('ctrl+shift+left'),
      type('X'),
      key('ctrl+a'),
      key('ctrl+c'),
      key('end'),
      key('ctrl+v'),
    ],
    state: 'field.value',
  },
  {
    name: 'undo and redo',
    html: '<textarea id=field style="position:fixed;left:0;top:0"></textarea>',
    actions: [click(20, 10), type('one'), key('ctrl+z'), key('ctrl+shift+z'), type(' two')],
    state: 'field.value',
  },
  {
    name: 'lines of a text area',
    html: '<textarea id=field style="position:fixed;left:0;top:0"></textarea>',
    actions: [click(20, 10), type('a\nb\nc'), key('up'), key('home'), type('>'), key('delete')],
    state: 'field.value',
  },
  {
    name: 'tab and shift tab',
    html: `<input id=a><a href="#" id=b>x</a><button id=c>y</button><input type=checkbox id=d>`,
    actions: [click(20, 15), key('tab'), key('tab'), key('tab'), key('space'), key('shift+tab')],
    state: 'document.activeElement.id + d.checked',
  },
  {
    name: 'a form sent by enter',
    html: `<form onsubmit="event.preventDefault(); document.title = new URLSearchParams(new FormData(this))"><input name=q style="position:fixed;left:0;top:0"></form>`,
    actions: [click(20, 10), type('hello world'), key('enter')],
    state: 'document.title',
  },
  {
    name: 'radio buttons by keys',
    html: `<input type=radio name=r id=a checked><input type=radio name=r id=b><input type=radio name=r id=c>`,
    actions: [click(15, 15), key('right'), key('down')],
    state: 'document.querySelector(":checked").id + document.activeElement.id',
  },
  {
    name: 'a range by keys and clicks',
    html: '<input type=range id=field style="position:fixed;left:0;top:0;width:200px;margin:0">',
    actions: [click(100, 8), key('right'), key('right'), key('pagedown')],
    state: 'field.value',
  },
  {
    name: 'a number by keys',
    html: '<input type=number id=field value=5 step=2 style="position:fixed;left:0;top:0">',
    actions: [click(20, 10), key('up'), key('up'), key('down')],
    state: 'field.value',
  },
  {
    name: 'a label',
    html: '<label style="position:fixed;inset:0 0 50% 0"><input type=checkbox id=field>text</label>',
    actions: [click(200, 80)],
    state: 'field.checked',
  },
  {
    name: 'details',
    html: '<details id=box style="position:fixed;left:0;top:0"><summary>more</summary>text</details>',
    actions: [click(25, 8)],
    state: 'box.open',
  },
  {
    name: 'a dialog element closed by escape',
    html: `<dialog id=box><button>x</button></dialog><script>box.showModal(); box.onclose = () => (document.title = 'closed')</script>`,
    actions: [click(5, 5), key('escape')],
    state: 'box.open + document.title',
  },
  {
    name: 'a popover closed by a click beside it',
    html: `<button popovertarget=box style="position:fixed;left:0;top:0">x</button><div popover id=box>text</div>`,
    actions: [click(8, 8), click(390, 290)],
    state: 'box.matches(":popover-open")',
  },
  {
    name: 'hovering',
    html: `<style>#box:hover { width: 77px }</style><div id=box style="position:fixed;left:0;top:0;width:50px;height:50px;background:red"></div>${eventRecorder('mouseenter mouseover mouseout mouseleave', 'box')}`,
    actions: [
      { type: 'mouse_move', point: pointAt(20, 20) },
      { type: 'mouse_move', point: pointAt(300, 200) },
    ],
    state: `${allTold} + box.offsetWidth`,
  },
  {
    name: 'a click while control is held',
    html: `<script>onmousedown = ({ ctrlKey, shiftKey }) => (document.title = [ctrlKey, shiftKey])</script>`,
    actions: [{ type: 'press', key: 'ctrl' }, click(20, 10), { type: 'release', key: 'ctrl' }],
    state: 'document.title',
  },
  {
    name: 'a mouse that is held and moved',
    html: `<div id=box style="position:absolute;left:0;top:0;width:40px;height:40px;background:red"></div><script>
      let held; box.onpointerdown = (e) => { held = e; box.setPointerCapture(e.pointerId) };
      box.onpointermove = (e) => held && (box.style.left = e.clientX - 20 + 'px'); box.onpointerup = () => (held = undefined)</script>`,
    actions: [drag([20, 20], [220, 120])],
    state: 'box.style.left',
  },
  {
    name: 'drag and drop',
    html: `<div draggable=true id=a style="position:fixed;left:0;top:0;width:60px;height:60px;background:red"></div><div id=b style="position:fixed;left:200px;top:100px;width:100px;height:100px;background:lime"></div>
      <script>a.ondragstart = (e) => e.dataTransfer.setData('text/plain', 'carried'); b.ondragover = (e) => e.preventDefault(); b.ondrop = (e) => (document.title = e.dataTransfer.getData('text/plain'))</script>`,
    actions: [drag([30, 30], [250, 150])],
    state: 'document.title',
  },
  {
    name: 'text selected by dragging',
    html: '<p style="position:fixed;left:0;top:0;margin:0;font:20px monospace">abcdefghijklmnop</p>',
    actions: [drag([1, 10], [200, 280])],
    state: 'getSelection().toString().trim()',
  },
  {
    name: 'editable content',
    html: '<div contenteditable id=box style="position:fixed;inset:0">text</div>',
    actions: [click(10, 10), key('end'), type(' more'), key('ctrl+a'), key('ctrl+b')],
    state: 'box.innerHTML',
  },
  {
    name: 'a link to an anchor',
    html: `<a href="#there" style="position:fixed;left:0;top:0">go</a>${below}<p id=there>there</p>${below}`,
    actions: [click(8, 10)],
    state: 'Math.round(scrollY) + location.hash',
  },
  {
    name: 'scrolling by keys',
    html: `${below}<p>end`,
    actions: [click(200, 100), key('pagedown'), key('space'), key('down')],
    state: 'scrollY',
  },
  {
    name: 'home and end of the page',
    html: below,
    actions: [click(200, 100), key('end'), key('pageup')],
    state: 'scrollY',
  },
  {
    name: 'keys that are no text',
    html: eventRecorder('keydown keyup'),
    actions: [click(200, 100), key('f5'), key('ctrl+k'), key('alt+x'), key('insert'), key('capslock')],
    state: allTold,
  },
  {
    name: 'foreign characters',
    html: '<input id=field style="position:fixed;left:0;top:0">',
    actions: [click(20, 10), type('żółw 你好 😀')],
    state: 'field.value',
  },
  {
    name: 'a field with a longest length and a pattern',
    html: '<input id=field maxlength=3 pattern="[a-z]+" style="position:fixed;left:0;top:0">',
    actions: [click(20, 10), type('abcdef')],
    state: 'field.value + field.checkValidity()',
  },
  {
    name: 'a disabled button and a read-only field',
    html: '<button disabled onclick="document.title = 1" style="position:fixed;left:0;top:0">x</button><input readonly id=field value=1 style="position:fixed;left:0;top:50px">',
    actions: [click(8, 8), click(20, 60), type('2')],
    state: 'document.title + field.value',
  },
  {
    name: 'a multiple select',
    html: '<select multiple id=field size=4 style="position:fixed;left:0;top:0;font:20px monospace"><option>a<option>b<option>c<option>d</select>',
    actions: [click(10, 10), { type: 'press', key: 'shift' }, click(10, 60), { type: 'release', key: 'shift' }],
    state: '[...field.selectedOptions].map((o) => o.value).join()',
  },
];

const order = (script: string): string =>
  `<button style="position:fixed;inset:0">x</button><script>const told = []; const tell = (text) => told.push(text);
   onclick = () => { ${script} }</script>`;
const played: readonly Action[] = [click(50, 50), { type: 'wait', seconds: 1 }];

const orders: readonly SamePage[] = [
  {
    name: 'timers, microtasks and frames',
    html: order(
      `setTimeout(() => tell('timer')); Promise.resolve().then(() => tell('micro')); queueMicrotask(() => tell('queued')); tell('now')`,
    ),
    actions: played,
    state: allTold,
  },
  {
    name: 'timers by their times',
    html: order(`setTimeout(() => tell('c'), 30); setTimeout(() => tell('a'), 10); setTimeout(() => tell('b'), 20)`),
    actions: played,
    state: allTold,
  },
  {
    name: 'microtasks between timers',
    html: order(
      `for (const name of 'ab') setTimeout(() => { tell(name); Promise.resolve().then(() => Promise.resolve()).then(() => tell(name + name)) })`,
    ),
    actions: played,
    state: allTold,
  },
  {
    name: 'a timer that is cleared by another',
    html: order(
      `const late = setTimeout(() => tell('late'), 20); setTimeout(() => clearTimeout(late), 10); setTimeout(() => tell('end'), 30)`,
    ),
    actions: played,
    state: allTold,
  },
  {
    name: 'an interval that ends itself',
    html: order(`let n = 0; const id = setInterval(() => { tell(++n); if (n === 3) clearInterval(id) }, 10)`),
    actions: played,
    state: allTold,
  },
  {
    name: 'frame callbacks within frame callbacks',
    html: order(
      `requestAnimationFrame((a) => { tell('first'); requestAnimationFrame((b) => tell(b > a)) }); requestAnimationFrame(() => tell('second'))`,
    ),
    actions: played,
    state: allTold,
  },
  {
    name: 'a mutation observer',
    html: order(
      `new MutationObserver((list) => tell('mutations ' + list.length)).observe(document.body, { childList: true }); document.body.append('a'); document.body.append('b'); Promise.resolve().then(() => tell('micro')); setTimeout(() => tell('timer'))`,
    ),
    actions: played,
    state: allTold,
  },
  {
    name: 'a resize and an intersection observer',
    html: order(
      `const box = document.createElement('div'); box.style.cssText = 'width:50px;height:50px'; new ResizeObserver(() => tell('size')).observe(box); new IntersectionObserver(() => tell('seen')).observe(box); document.body.append(box)`,
    ),
    actions: played,
    state: allTold,
  },
  {
    name: 'events of a transition',
    html: order(
      `const box = document.createElement('div'); box.style.cssText = 'width:50px;height:50px;transition:width 100ms'; document.body.append(box); for (const name of ['transitionrun', 'transitionstart', 'transitionend']) box.addEventListener(name, () => tell(name)); box.offsetWidth; box.style.width = '90px'`,
    ),
    actions: played,
    state: allTold,
  },
  {
    name: 'events of an animation',
    html: `<style>@keyframes grow { to { width: 90px } }</style>${order(
      `const box = document.createElement('div'); box.style.cssText = 'width:50px;height:50px;animation:grow 50ms 2'; for (const name of ['animationstart', 'animationiteration', 'animationend']) box.addEventListener(name, () => tell(name)); document.body.append(box)`,
    )}`,
    actions: played,
    state: allTold,
  },
  {
    name: 'an animation by script',
    html: order(
      `const box = document.createElement('div'); document.body.append(box); box.animate([{ opacity: 0 }, { opacity: 1 }], 100).finished.then(() => tell('finished'))`,
    ),
    actions: played,
    state: allTold,
  },
  {
    name: 'a message channel and postMessage',
    html: order(
      `const { port1, port2 } = new MessageChannel(); port1.onmessage = ({ data }) => tell('port ' + data); onmessage = ({ data }) => tell('window ' + data); port2.postMessage(1); postMessage(2, '*')`,
    ),
    actions: played,
    state: 'told.sort().join(" ")',
  },
  {
    name: 'an abort signal with a time limit',
    html: order(`AbortSignal.timeout(50).addEventListener('abort', ({ target }) => tell(target.reason.name))`),
    actions: played,
    state: allTold,
  },
  {
    name: 'a busy wait',
    html: order(`for (const end = Date.now() + 50; Date.now() < end; ); tell('over')`),
    actions: played,
    state: allTold,
  },
  {
    name: 'custom elements and their callbacks',
    html: order(
      `customElements.define('x-a', class extends HTMLElement { connectedCallback() { tell('in') } disconnectedCallback() { tell('out') } }); const a = document.createElement('x-a'); document.body.append(a); a.remove()`,
    ),
    actions: played,
    state: allTold,
  },
];

const doing = (script: string, more = ''): string =>
  `<button style="position:fixed;inset:0" onclick="${script}">x</button><script>globalThis.said = []; const tell = (text) => said.push(String(text)); ${more}</script>`;
const wait: Action = { type: 'wait', seconds: 0.5 };
const allSaid = 'said.join()';

const windows: readonly SamePage[] = [
  {
    name: 'an alert',
    html: doing("tell(alert('Look')); tell('after')"),
    actions: [click(50, 250)],
    answers: [true],
    state: allSaid,
  },
  {
    name: 'a question, yes and no',
    html: doing("tell(confirm('Sure?'))"),
    actions: [click(50, 250), click(50, 250)],
    answers: [true, false],
    state: allSaid,
  },
  {
    name: 'a prompt with its text, another, and none',
    html: doing("tell(prompt('Name?', 'Ann'))"),
    actions: [click(50, 250), click(50, 250), click(50, 250)],
    answers: [true, 'Zoë', false],
    state: allSaid,
  },
  {
    name: 'dialogs one after another',
    html: doing("tell([confirm('one?'), prompt('two?'), confirm('three?')])"),
    actions: [click(50, 250)],
    answers: [false, 'two', true],
    state: allSaid,
  },
  {
    name: 'a dialog of a timer',
    html: doing("setTimeout(() => tell(confirm('now?')), 100)"),
    actions: [click(50, 250), wait],
    answers: [true],
    state: allSaid,
  },
  {
    name: 'what is queued before a dialog',
    html: doing(
      "Promise.resolve().then(() => tell('micro')); setTimeout(() => tell('timer')); tell(confirm('?')); tell('after')",
    ),
    actions: [click(50, 250), wait],
    answers: [true],
    state: allSaid,
  },
  {
    name: 'the events around a dialog',
    html: doing(
      "tell('click ' + confirm('?'))",
      "for (const type of ['mousedown', 'mouseup', 'blur', 'focus']) addEventListener(type, () => tell(type))",
    ),
    actions: [click(50, 250)],
    answers: [true],
    state: 'said.filter((text) => !/blur|focus/.test(text)).join()',
  },
  {
    name: 'a window, its opener and what it is told',
    isServed: true,
    html: doing(
      "const other = window.open('about:blank', 'named'); tell([other.name, other.closed, other.opener === window]); other.document.write('<script>opener.tell(name)<\\/script>')",
    ),
    actions: [click(50, 250), wait],
    state: allSaid,
  },
  {
    name: 'a window that posts a message and closes',
    isServed: true,
    html: doing(
      "globalThis.other = window.open('about:blank'); other.document.write('<script>opener.postMessage(1, `*`); close()<\\/script>')",
      'onmessage = ({ data, source }) => tell([data, source === other])',
    ),
    actions: [click(50, 250), wait],
    state: "said.join() + ',' + other.closed",
  },
  {
    name: 'a window without an opener',
    html: doing("tell(window.open('about:blank', '_blank', 'noopener'))"),
    actions: [click(50, 250), wait],
    state: allSaid,
  },
  {
    name: 'the same name twice',
    html: doing("tell(window.open('about:blank', 'one') === window.open('about:blank', 'one'))"),
    actions: [click(50, 250), wait],
    state: allSaid,
  },
  {
    name: 'a window without a click',
    html: doing('', "setTimeout(() => tell(window.open('about:blank') === null), 50)"),
    actions: [wait],
    state: allSaid,
  },
];

export const samePages: Readonly<Record<string, readonly SamePage[]>> = {
  'the wheel': wheels,
  'mouse and keys': inputs,
  'the order of scripts': orders,
  'dialogs and windows': windows,
};
