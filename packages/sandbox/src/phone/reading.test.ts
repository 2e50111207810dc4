import { describe, expect, it } from 'vitest';
import { findApp } from './apps.js';
import { androidError } from './androidError.js';
import type { Action } from '@gyre/protocol';
import { checkAction as check } from '../input/checkAction.js';
import { performAction } from '../input/performAction.js';
import { phoneLimits } from './input.js';
import { PhoneFinger } from './finger.js';
import { keycodeNamed, keycodesOf } from './keycodes.js';
import { parseList } from './phones.js';
import { parseGeometry } from './screen.js';
import { parseTree } from './tree.js';
import { piecesOf } from './typing.js';

const bad = (field: string) =>
  expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field }) });
const infra = (field: string) => expect.objectContaining({ code: 'infra', detail: expect.objectContaining({ field }) });

describe('output of phones and adb', () => {
  it('is read from the list of devices, with what to do about each state', () => {
    const listed = parseList(
      [
        'R58M12ABCDE            device usb:1-1 product:beyond1 model:SM_G973F device:beyond1 transport_id:4',
        '127.0.0.1:5555         offline product:a model:b device:c transport_id:12',
        'emulator-5554          unauthorized transport_id:2',
        '0123456789             no permissions (user in plugdev group; are your udev rules wrong?); see [http://x.y/z] usb:1-2 transport_id:5',
        'abc                    somethingnew transport_id:6',
        '',
      ].join('\n'),
    );
    expect(listed.map(({ serial, state, model, transport }) => [serial, state, model, transport])).toEqual([
      ['R58M12ABCDE', 'device', 'SM_G973F', 4n],
      ['127.0.0.1:5555', 'offline', 'b', 12n],
      ['emulator-5554', 'unauthorized', undefined, 2n],
      ['0123456789', 'no permissions', undefined, 5n],
      ['abc', 'somethingnew', undefined, 6n],
    ]);
    expect(listed.map(({ fix }) => fix === '')).toEqual([true, false, false, false, false]);
    expect(listed[2]!.fix).toContain('allow USB debugging');
  });

  it('has the size of the rotated screen, in the old and the new format', () => {
    const output = 'Physical size: 1080x2400\n';
    const upright = { width: 1_080, height: 2_400 };
    const lying = { width: 2_400, height: 1_080 };
    expect(parseGeometry(output)).toEqual({ rotation: 0, size: upright });
    expect(parseGeometry(`${output}SurfaceOrientation: 1`)).toEqual({ rotation: 1, size: lying });
    expect(
      parseGeometry(`${output}  Viewport INTERNAL: displayId=0, port=0, orientation=3, logicalFrame=[0, 0, 9, 9]`),
    ).toEqual({
      rotation: 3,
      size: lying,
    });
    expect(parseGeometry(`${output}Override size: 540x1200\nSurfaceOrientation: 2`)).toEqual({
      rotation: 2,
      size: { width: 540, height: 1_200 },
    });
    expect(() => parseGeometry('wm: not found')).toThrow(infra('screen'));
  });

  it('is recognised as an error', () => {
    expect(androidError('Error type 3\nError: Activity class {a/.B} does not exist.\n')).toBe(
      'Error: Activity class {a/.B} does not exist.',
    );
    const threw =
      'Exception occurred while executing:\njava.lang.SecurityException: Injecting needs INJECT_EVENTS\n at x';
    expect(androidError(threw)).toBe('java.lang.SecurityException: Injecting needs INJECT_EVENTS');
    const harmless = 'java.io.FileNotFoundException: /sys/board_info/user_cpu_freq: open failed: EACCES\n';
    for (const said of ['', harmless, 'Status: ok\n', 'Starting: Intent { cmp=a/.ErrorActivity }']) {
      expect(androidError(said)).toBeUndefined();
    }
  });

  it('has roles, texts and boxes of the screen, and is refused if the tree is incomplete', () => {
    const xml = `<?xml version='1.0'?><hierarchy rotation="0"><node class="android.widget.FrameLayout" bounds="[0,0][200,400]">
      <node text="a &lt;b&gt; &quot;c&quot; &#10;&#x1F600; &amp;amp;" class="android.widget.EditText" password="true" enabled="false" bounds="[20,100][120,200]" />
      <node text="" content-desc="back" class="com.example.Wheel" clickable="true" resource-id="a:id/b" bounds="[0,0][200,40]"></node>
      </node></hierarchy>`;
    const [group, ...others] = parseTree(xml, { width: 200, height: 400 });
    expect(others).toEqual([]);
    expect(group).toMatchObject({ role: 'group', box: { x: 0, y: 0, width: 1, height: 1 } });
    expect(group!.children).toMatchObject([
      {
        role: 'text field',
        text: 'a <b> "c" \n😀 &amp;',
        states: ['password', 'disabled'],
        box: { x: 0.1, y: 0.25, width: 0.5, height: 0.25 },
      },
      { role: 'Wheel', description: 'back', id: 'a:id/b', states: ['clickable'], children: [] },
    ]);
    expect(() => parseTree(xml.slice(0, -12), { width: 200, height: 400 })).toThrow(infra('tree'));
  });
});

describe('input for a phone', () => {
  const size = { width: 100, height: 200 };
  const linesOf = async (action: Action) => {
    const lines: string[] = [];
    const pointer = new PhoneFinger(
      (line) => Promise.resolve(void lines.push(line)),
      () => Promise.resolve(size),
    );
    const nothing = () => Promise.reject(new Error('only the finger is asked for'));
    const keyboard = { type: nothing, hotkey: nothing };
    await performAction(action, { limits: phoneLimits, pointer, keyboard, wait: nothing });
    return lines.join('\n');
  };
  const checkAction = (action: Action) => check(action, phoneLimits);

  it('is in pixels of the screen, with 1 as the last pixel', async () => {
    expect(await linesOf({ type: 'click', point: { x: 1, y: 0 } })).toBe('input tap 99 0');
    expect(await linesOf({ type: 'long_press', point: { x: 0.5, y: 0.5 } })).toBe('input swipe 50 100 50 100 800');
    expect(await linesOf({ type: 'swipe', start: { x: 0, y: 0 }, end: { x: 0.5, y: 1 } })).toBe(
      'input swipe 0 0 50 199 300',
    );
  });

  it('scrolls against the finger, from the point, and never from the edges', async () => {
    const scroll = (direction: 'up' | 'down' | 'left' | 'right', x: number, y: number) =>
      linesOf({ type: 'scroll', direction, point: { x, y } });
    expect(await scroll('down', 0.5, 0.75)).toBe('input swipe 50 150 50 50 600');
    expect(await scroll('up', 0.5, 0.25)).toBe('input swipe 50 50 50 150 600');
    expect(await scroll('right', 0.75, 0.5)).toBe('input swipe 75 100 25 100 600');
    expect(await scroll('left', 0.25, 0.5)).toBe('input swipe 25 100 75 100 600');
    expect(await scroll('down', 0.5, 0)).toBe('input swipe 50 62 50 12 600');
    expect(await linesOf({ type: 'scroll', direction: 'down' })).toBe('input swipe 50 100 50 12 600');
  });

  it('names keys as people and keyboards do', () => {
    expect(
      ['a', 'Z', '0', 'F5', 'volume_up', 'VolumeUp', 'recents', 'home', 'page-down', '-', '@'].map(keycodeNamed),
    ).toEqual([29, 54, 7, 135, 24, 24, 187, 3, 93, 69, 77]);
    expect(keycodesOf('ctrl shift t')).toEqual([113, 59, 48]);
    for (const name of ['', 'nokey', 'f13', 'constructor', '__proto__', 'é'])
      expect(() => keycodeNamed(name)).toThrow(bad('key'));
    for (const keys of ['', 'a b c d']) expect(() => keycodesOf(keys)).toThrow(bad('keys'));
  });

  it('cuts a text where `input text` would read something else', () => {
    const texts = (text: string) => piecesOf(text).map((piece) => ('text' in piece ? piece.text : piece.keycode));
    expect(texts('100%s off\r\n\tgo')).toEqual(['100%', 's off', 66, 61, 'go']);
    expect(texts('%%ss')).toEqual(['%%', 'ss']);
    expect(texts('')).toEqual([]);
    expect(texts('😀'.repeat(600)).map((text) => (text as string).length)).toEqual([1_000, 200]);
  });

  it('refuses actions that a phone cannot take', () => {
    const point = { x: 0.5, y: 0.5 };
    for (const type of ['right_click', 'middle_click', 'mouse_move', 'mouse_down', 'mouse_up'] as const) {
      expect(() => checkAction({ type, point })).toThrow(bad('type'));
    }
    expect(() => checkAction({ type: 'press', key: 'a' })).toThrow(bad('type'));
    expect(() => checkAction({ type: 'hotkey', keys: 'nokey' })).toThrow(bad('key'));
    expect(() => checkAction({ type: 'navigate', url: 'intent://x#Intent;end' })).toThrow(bad('url'));
    expect(() => checkAction({ type: 'navigate', url: 'file:///sdcard' })).toThrow(bad('url'));
    expect(() => checkAction({ type: 'type', text: 'a\u001bb' })).toThrow(bad('text'));
    expect(() => checkAction({ type: 'click', point: { x: 2, y: 0 } })).toThrow(bad('point.x'));
  });

  it('finds apps by package, by a given or common name, or by a part of one package alone', () => {
    const apps = ['com.android.settings', 'com.example.notes', 'com.example.notes.pro', 'org.mozilla.firefox'].map(
      (name) => ({
        package: name,
        activity: `${name}.Main`,
      }),
    );
    const packageOf = (name: string, names = {}) => findApp(name, apps, names).package;
    expect(packageOf('com.example.notes')).toBe('com.example.notes');
    expect(packageOf('Settings')).toBe('com.android.settings');
    expect(packageOf('browser')).toBe('org.mozilla.firefox');
    expect(packageOf('Firefox')).toBe('org.mozilla.firefox');
    expect(packageOf('My Diary', { 'my diary': 'com.example.notes' })).toBe('com.example.notes');
    for (const name of ['notes', 'weather', '...', 'constructor', ' '])
      expect(() => packageOf(name)).toThrow(bad('name'));
  });
});
