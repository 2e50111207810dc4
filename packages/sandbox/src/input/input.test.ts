import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Action } from '@gyre/protocol';
import { BrowserPool, type BrowserSession } from '../index.js';

const size = { width: 200, height: 160 };
let pool: BrowserPool;
let session: BrowserSession;
beforeAll(async () => {
  pool = await BrowserPool.launch();
  session = await pool.lease({ size });
});
afterAll(() => pool.close());

const log = `<script>
  var seen = [];
  const names = 'mousedown mouseup click dblclick auxclick contextmenu mousemove wheel keydown keyup input drop scroll';
  for (const name of names.split(' ')) addEventListener(name, (e) => {
    seen.push([name, e.isTrusted ? '' : 'untrusted', e.key ?? (name === 'input' ? e.target.value : e.button + '@' + e.clientX + ',' + e.clientY)].filter(String).join(' '));
    document.documentElement.dataset.seen = seen.join('|');
  }, true);
</script>`;

async function act(html: string, ...actions: Action[]): Promise<string[]> {
  await session.browser.open({ html: `<!doctype html><style>body{margin:0}</style>${log}${html}`, seed: 1 });
  for (const action of actions) await session.screen.act(action);
  return (await session.browser.evaluate<string>('document.documentElement.dataset.seen ?? ""')).split('|');
}
const value = (expression: string) => session.browser.evaluate<unknown>(expression);
const field = '<input style="position:absolute;left:10px;top:10px;width:150px">';
const onField: Action = { type: 'click', point: { x: 0.2, y: 0.12 } };

describe('the mouse', () => {
  it('clicks with each button at the pixel under the point', async () => {
    const point = { x: 0.25, y: 0.5 };
    expect(await act('', { type: 'click', point })).toEqual(
      ['mousemove', 'mousedown', 'mouseup', 'click'].map((name) => `${name} 0@50,80`),
    );
    expect(await act('', { type: 'right_click', point })).toContain('contextmenu 2@50,80');
    expect(await act('', { type: 'middle_click', point })).toContain('auxclick 1@50,80');
    expect(await act('', { type: 'double_click', point })).toContain('dblclick 0@50,80');
    expect(await act('', { type: 'click', point: { x: 1, y: 1 } })).toContain('click 0@199,159');
  });

  it('moves, and shows what is under it', async () => {
    const hover = '<style>p{height:80px;margin:0}p:hover{margin-left:7px}</style><p>x</p>';
    expect(await act(hover, { type: 'mouse_move', point: { x: 0.5, y: 0.25 } })).toEqual(['mousemove 0@100,40']);
    expect(await value('getComputedStyle(document.querySelector("p")).marginLeft')).toBe('7px');
  });

  it('presses, moves and releases separately', async () => {
    const seen = await act(
      '',
      { type: 'mouse_down', point: { x: 0.1, y: 0.1 } },
      { type: 'mouse_move', point: { x: 0.5, y: 0.5 } },
      { type: 'mouse_up', point: { x: 0.75, y: 0.5 } },
    );
    expect(seen).toContain('mousedown 0@20,16');
    expect(seen).toContain('mouseup 0@150,80');
  });

  it.each(['drag', 'swipe'] as const)('%ss along a path', async (type) => {
    const seen = await act('', { type, start: { x: 0.1, y: 0.5 }, end: { x: 0.5, y: 0.5 } });
    expect(seen).toEqual([
      'mousemove 0@20,80',
      'mousedown 0@20,80',
      'mousemove 0@40,80',
      'mousemove 0@60,80',
      'mousemove 0@80,80',
      'mousemove 0@100,80',
      'mouseup 0@100,80',
      'click 0@100,80',
    ]);
  });

  it('drags and drops what is draggable', async () => {
    const html = `<p draggable=true style="width:50px;height:40px;margin:0">x</p><div style="position:absolute;left:100px;top:80px;width:90px;height:70px"
      ondragover="event.preventDefault()" ondrop="event.preventDefault();this.textContent=event.dataTransfer.getData('text')">here</div>
      <script>document.querySelector('p').ondragstart = (e) => e.dataTransfer.setData('text', 'carried')</script>`;
    await act(html, { type: 'drag', start: { x: 0.1, y: 0.1 }, end: { x: 0.7, y: 0.7 } });
    expect(await value('document.querySelector("div").textContent')).toBe('carried');
  });

  it('presses long', async () => {
    const html = `<script>let down; onmousedown = () => down = performance.now(); onmouseup = () => document.title = performance.now() - down</script>`;
    await act(html, { type: 'long_press', point: { x: 0.5, y: 0.5 } });
    expect(Number(await value('document.title'))).toBeCloseTo(600, 5);
  });

  it('turns the wheel half a screen, on what is under it, unless the page prevents it', async () => {
    const list =
      '<div id=list style="width:80px;height:60px;overflow:auto"><p style="height:900px"></div><p style="height:2000px">';
    const tops = () => value('list.scrollTop + " " + scrollY');
    const point = { x: 0.1, y: 0.1 };
    expect(await act(list, { type: 'scroll', point, direction: 'down' })).toContain('wheel 0@20,16');
    expect(await tops()).toBe('80 0');
    await session.screen.act({ type: 'scroll', point: { x: 0.9, y: 0.9 }, direction: 'down' });
    expect(await tops()).toBe('80 80');
    await session.screen.act({ type: 'scroll', direction: 'up' });
    expect(await tops()).toBe('80 0');
    await act(`${list}<script>addEventListener('wheel', (e) => e.preventDefault(), { passive: false })</script>`, {
      type: 'scroll',
      point,
      direction: 'down',
    });
    expect(await tops()).toBe('0 0');
  });
});

describe('the keyboard', () => {
  it('types letters, capitals, symbols and other scripts; a line break is the enter key', async () => {
    const seen = await act(field, onField, { type: 'type', text: 'aB 9%é漢\n' });
    expect(await value('document.querySelector("input").value')).toBe('aB 9%é漢');
    for (const key of ['keydown a', 'keydown B', 'keydown %', 'keydown Enter']) expect(seen).toContain(key);
    expect(seen.some((event) => event.includes('untrusted'))).toBe(false);
  });

  it('types lines into a text area', async () => {
    await act(
      '<textarea autofocus></textarea>',
      { type: 'click', point: { x: 0.1, y: 0.1 } },
      { type: 'type', text: 'a\r\nb' },
    );
    expect(await value('document.querySelector("textarea").value')).toBe('a\nb');
  });

  it('does hotkeys', async () => {
    await act(
      field,
      onField,
      { type: 'type', text: 'gone' },
      { type: 'hotkey', keys: 'ctrl a' },
      { type: 'type', text: 'new' },
    );
    expect(await value('document.querySelector("input").value')).toBe('new');
    await session.screen.act({ type: 'hotkey', keys: 'backspace' });
    await session.screen.act({ type: 'hotkey', keys: 'shift X' });
    expect(await value('document.querySelector("input").value')).toBe('neX');
    const chord = await act(`<script>onkeydown = (e) => document.title = [e.ctrlKey, e.shiftKey, e.code]</script>`, {
      type: 'hotkey',
      keys: 'ctrl shift arrowleft',
    });
    expect(await value('document.title')).toBe('true,true,ArrowLeft');
    expect(chord.filter((event) => event.startsWith('keyup'))).toHaveLength(3);
  });

  it.each([
    ['ctrl shift z', 'true Z KeyZ'],
    ['Ctrl+Shift+Z', 'true Z KeyZ'],
    ['shift+a', 'false A KeyA'],
    ['shift 1', 'false ! Digit1'],
    ['ctrl+shift+/', 'true ? Slash'],
    ['shift+arrow_left', 'false ArrowLeft ArrowLeft'],
    ['Ctrl-C', 'true c KeyC'],
    ['pgdn', 'false PageDown PageDown'],
    ['KP_Enter', 'false Enter Enter'],
    ['menu', 'false ContextMenu ContextMenu'],
    ['ctrl+plus', 'true + Equal'],
  ])('shows the page what %s is', async (keys, expected) => {
    const html = `<script>onkeydown = (e) => document.title = [e.ctrlKey, e.key, e.code].join(' ')</script>`;
    await act(html, { type: 'hotkey', keys });
    expect(await value('document.title')).toBe(expected);
  });

  it('shows shift that is held in the keys after it', async () => {
    const seen = await act(field, onField, { type: 'press', key: 'shift' }, { type: 'hotkey', keys: '2' });
    expect(seen).toContain('keydown @');
    expect(await value('document.querySelector("input").value')).toBe('@');
    await session.screen.act({ type: 'release', key: 'Shift_L' });
    await session.screen.act({ type: 'hotkey', keys: 'a' });
    expect(await value('document.querySelector("input").value')).toBe('@a');
  });

  it('holds a key until it is released', async () => {
    const seen = await act('', { type: 'press', key: 'arrowup' }, { type: 'wait', seconds: 0.1 });
    expect(seen).toEqual(['keydown ArrowUp']);
    await session.screen.act({ type: 'release', key: 'arrowup' });
    expect(await value('document.documentElement.dataset.seen')).toBe('keydown ArrowUp|keyup ArrowUp');
  });

  it('holds shift for what is typed and clicked meanwhile', async () => {
    const html = `${field}<script>onclick = (e) => document.title = e.shiftKey</script>`;
    await act(html, { type: 'press', key: 'shift' }, onField, { type: 'release', key: 'shift' });
    expect(await value('document.title')).toBe('true');
  });
});

describe('actions', () => {
  it('that only observe or answer change nothing and take no time', async () => {
    expect(await act('', { type: 'screenshot' }, { type: 'finished' }, { type: 'call_user' })).toEqual(['']);
    expect(await value('performance.now()')).toBe(0);
  });

  it('take a step of game time; wait takes what it says', async () => {
    await act('', { type: 'click', point: { x: 0.5, y: 0.5 } }, { type: 'wait', seconds: 2 });
    expect(await value('performance.now()')).toBeCloseTo(2100, 5);
    await act('', { type: 'wait' });
    expect(await value('performance.now()')).toBeCloseTo(5000, 5);
  });

  it.each([
    [{ type: 'open_app', name: 'maps' }, 'open_app'],
    [{ type: 'press_home' }, 'press_home'],
    [{ type: 'hotkey', keys: 'ctrl nosuch' }, 'nosuch'],
    [{ type: 'hotkey', keys: 'a b c d e f' }, 'a b c d e f'],
    [{ type: 'press', key: 'nosuch' }, 'nosuch'],
    [{ type: 'navigate', url: 'file:///etc/passwd' }, 'file:'],
    [{ type: 'navigate', url: 'chrome://version' }, 'chrome:'],
    [{ type: 'navigate', url: 'javascript:alert(1)' }, 'javascript:'],
  ] as [Action, string][])('that a browser cannot take are refused: %j', async (action, named) => {
    await expect(act('', action)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining(named) as string,
    });
    expect(session.state).toBe('leased');
    expect(await value('performance.now()')).toBe(0);
  });

  it('navigate, and go back no further than the page of the task', async () => {
    await act('<title>task</title>', { type: 'navigate', url: 'data:text/html,<title>next</title>' });
    expect(await value('document.title')).toBe('next');
    await session.screen.act({ type: 'navigate_back' });
    expect(await value('document.title')).toBe('task');
    await session.screen.act({ type: 'press_back' });
    expect(await value('document.title')).toBe('task');
  });
});
