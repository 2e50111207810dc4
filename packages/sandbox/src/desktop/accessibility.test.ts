import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BareEnclosure } from '../isolation/bareEnclosure.js';
import type { AccessibleNode } from './accessibility.js';
import { Desktop } from './desktop.js';
import { missingForDesktop } from './requirement.js';

const size = { width: 800, height: 600 };
const missing = missingForDesktop().map(({ debian }) => debian);

const subtree = (node: AccessibleNode): AccessibleNode[] => [node, ...node.children.flatMap(subtree)];

describe.skipIf(missing.length > 0)(
  `the accessibility trees of programs${missing.length > 0 ? ` (needs ${missing.join(', ')})` : ''}`,
  () => {
    let enclosure: BareEnclosure;
    beforeAll(async () => {
      enclosure = await BareEnclosure.create();
    });
    afterAll(() => enclosure.close());

    it('include a tree for a program with AT-SPI, and a reason for one without', async () => {
      const desktop = await Desktop.start(enclosure, { size });
      await desktop.launch('xterm');
      await desktop.waitForWindow(({ program }) => program === 'XTerm');
      await desktop.launch('mousepad');
      const editor = await desktop.waitForWindow(({ program, focused }) => program === 'Mousepad' && focused);
      await desktop.act({ type: 'type', text: 'Grüße, 你好' });
      const programs = await desktop.accessibility();
      expect(programs).toMatchObject([
        { program: 'Mousepad', pid: editor.pid, reason: undefined },
        { program: 'XTerm', tree: undefined, reason: 'XTerm does not support AT-SPI' },
      ]);
      const nodes = subtree(programs[0]!.tree!);
      expect(nodes[0]).toMatchObject({ role: 'application', name: 'mousepad' });
      const written = nodes.find(({ role }) => role === 'text')!;
      expect(written.text).toBe('Grüße, 你好');
      expect(written.states).toEqual(expect.arrayContaining(['focused', 'editable', 'showing']));

      const menu = nodes.find(({ role, name }) => role === 'menu' && name === 'Edit')!;
      const item = (shown: AccessibleNode[]) => shown.find(({ name }) => name.trim() === 'Paste');
      expect(item(nodes)).toBeUndefined();
      const { x, y, width, height } = menu.box!;
      await desktop.act({ type: 'click', point: { x: x + width / 2, y: y + height / 2 } });
      await expect
        .poll(async () => item(subtree((await desktop.accessibility())[0]!.tree!))?.role, { timeout: 5_000 })
        .toBe('menu item');
      await desktop.act({ type: 'hotkey', keys: 'escape' });
      expect(item(subtree((await desktop.accessibility({ hidden: true }))[0]!.tree!))?.role).toBe('menu item');
      await desktop.close();
    });

    it('include a reason for each program without a message bus', async () => {
      const desktop = await Desktop.start(enclosure, { size, accessibility: false });
      expect(desktop.env.DBUS_SESSION_BUS_ADDRESS).toBeUndefined();
      await desktop.launch('xterm');
      await desktop.waitForWindow(({ program }) => program === 'XTerm');
      expect(await desktop.accessibility()).toMatchObject(
        [{ program: 'XTerm', tree: undefined, reason: /message bus/ }].map((expected) => ({
          ...expected,
          reason: expect.stringMatching(expected.reason),
        })),
      );
      await desktop.close();
    });
  },
);
