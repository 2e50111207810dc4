import { setTimeout as pause } from 'node:timers/promises';
import { GyreError, type Size } from '@gyre/protocol';
import type { Box } from '../input/box.js';
import type { Link } from './link.js';
import type { PhoneScreen } from './screen.js';

export interface PhoneNode {
  /** Such as `button` or `text field`; otherwise the last part of `class`. */
  readonly role: string;
  /** Such as `android.widget.Button`. */
  readonly class: string;
  readonly text: string;
  /** For screen readers; may be empty. */
  readonly description: string;
  /** Such as `com.android.settings:id/search`; may be empty. */
  readonly id: string;
  readonly package: string;
  /** Such as `clickable`, `checked`, `focused`, `disabled`. */
  readonly states: readonly string[];
  readonly box: Box;
  readonly children: readonly PhoneNode[];
}

const roles: Readonly<Record<string, string>> = {
  Button: 'button',
  CheckBox: 'check box',
  EditText: 'text field',
  FrameLayout: 'group',
  GridView: 'grid',
  ImageButton: 'button',
  ImageView: 'image',
  LinearLayout: 'group',
  ListView: 'list',
  ProgressBar: 'progress bar',
  RadioButton: 'radio button',
  RecyclerView: 'list',
  RelativeLayout: 'group',
  ScrollView: 'scroll area',
  SeekBar: 'slider',
  Spinner: 'menu',
  Switch: 'switch',
  TextView: 'text',
  ToggleButton: 'switch',
  View: 'view',
  ViewGroup: 'group',
  WebView: 'web page',
};

const states = [
  'checkable',
  'checked',
  'clickable',
  'focusable',
  'focused',
  'long-clickable',
  'password',
  'scrollable',
  'selected',
];

/** Safe to recurse. */
const maxDepth = 200;

const maxBytes = 2 ** 24;

const file = '/data/local/tmp/gyre-tree.xml';

/** uiautomator fails while the screen is moving. */
const tries = 3;
const betweenMs = 300;

/** Waits for the screen to rest. Throws `infra` if it does not. */
export async function readTree(link: Link, screen: PhoneScreen): Promise<PhoneNode[]> {
  let output = '';
  for (let look = 0; look < tries; look++) {
    if (look > 0) await pause(betweenMs);
    output = await link.ask(`uiautomator dump ${file}`);
    if (!output.includes('dumped to')) continue;
    const bytes = await link.pull(file);
    if (bytes.length > maxBytes) throw unreadable('is too much');
    const xml = bytes.toString('utf8');
    const { size } = await screen.geometry();
    await link.ask(`rm -f ${file}`);
    return parseTree(xml, size);
  }
  throw new GyreError('infra', `the phone did not return its accessibility tree: ${output.trim().split('\n')[0]}`, {
    part: 'phone',
    field: 'tree',
    fix: 'wait until nothing moves on the screen, or use a screenshot',
  });
}

/**
 * Parses `uiautomator dump`.
 *
 * @param size in px, rotated.
 */
export function parseTree(xml: string, size: Size): PhoneNode[] {
  const root: PhoneNode[] = [];
  const open: PhoneNode[][] = [root];
  for (const [, closing, name, attributes = '', empty] of xml.matchAll(
    /<(\/?)(\w+)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>/g,
  )) {
    if (name !== 'node') continue;
    if (closing === '/') {
      if (open.length > 1) open.pop();
      continue;
    }
    const children: PhoneNode[] = [];
    open.at(-1)!.push(nodeOf(attributes, size, children));
    if (empty === '/') continue;
    if (open.push(children) > maxDepth) throw unreadable('is nested too deeply');
  }
  if (xml.includes('</hierarchy>') && open.length === 1) return root;
  throw unreadable('is incomplete');
}

function unreadable(why: string): GyreError {
  const fix = 'try again';
  return new GyreError('infra', `the accessibility tree of the phone ${why}`, { part: 'phone', field: 'tree', fix });
}

function nodeOf(attributes: string, size: Size, children: readonly PhoneNode[]): PhoneNode {
  const value = new Map([...attributes.matchAll(/([\w:-]+)="([^"]*)"/g)].map((pair) => [pair[1]!, decoded(pair[2]!)]));
  const text = (name: string) => value.get(name) ?? '';
  const last = text('class').split('.').at(-1) ?? '';
  return {
    role: Object.hasOwn(roles, last) ? roles[last]! : last,
    class: text('class'),
    text: text('text'),
    description: text('content-desc'),
    id: text('resource-id'),
    package: text('package'),
    states: [...states.filter((name) => text(name) === 'true'), ...(text('enabled') === 'false' ? ['disabled'] : [])],
    box: boxOf(text('bounds'), size),
    children,
  };
}

/** Parses `[left,top][right,bottom]` in px. */
function boxOf(bounds: string, { width, height }: Size): Box {
  const [left = 0, top = 0, right = left, bottom = top] = (bounds.match(/-?\d+/g) ?? []).map(Number);
  return { x: left / width, y: top / height, width: (right - left) / width, height: (bottom - top) / height };
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decoded(text: string): string {
  return text.replace(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return Object.hasOwn(entities, name) ? entities[name]! : whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
