import { widthOf } from '../drawing/font.js';
import { LabelMisfit } from '../drawing/labels.js';
import type { ShortcutArgument } from './shortcut.page.js';
import { widgetFamily } from '../widgetFamily.js';

export const shortcut = widgetFamily({
  name: 'shortcut',
  description: 'Press a keyboard shortcut given in the instruction or next to a command on the screen.',
  templates: {
    keys: ['press {keys}', 'press the keys {keys}', 'use the shortcut {keys}'],
    command: ['press the shortcut of {command}', 'use the keys of {command}', 'press the keys for {command}'],
  },
  layouts: { look: ['menu', 'keys', 'table'], lines: ['none', 'ruled', 'striped'], sign: ['+', '-', ' '] },
  room: { width: [146, 320], height: [96, 240] },
  styles: `
.shortcut .entry{justify-content:space-between;gap:8px;height:var(--high)}
.shortcut.ruled .entry{border-bottom:1px solid var(--line);border-radius:0}
.shortcut.striped .entry:nth-child(even){background:var(--soft)}
.shortcut .hint{color:var(--muted)}
.shortcut.keys .hint{padding:0 4px;border:1px solid var(--muted);border-bottom-width:2px;border-radius:3px;color:var(--text);font-size:92%}
.shortcut.table .hint{width:var(--hint);color:var(--text)}
.shortcut .last{white-space:pre;color:var(--muted)}`,
  page: 'widgets/keys/shortcut',
  draw({ random, area, row, skin, labels, layout }) {
    const { font } = skin;
    const high = row + random.between(0, 3);
    const max = Math.min(7, Math.floor((area.height - row) / high));
    if (max < 2) throw new LabelMisfit('less than 2 commands');
    const count = random.between(2, max);
    const taken = new Set<string>();
    while (taken.size < count) {
      // Combinations that differ in one key are easily confused.
      const letter = random.pick([...'abcdefghijklmnopqrstuvwxyz0123456789']);
      const like = [...taken].at(-1)?.split(' ').at(-1);
      const last = like !== undefined && random.chance(0.35) ? like : letter;
      const key = last.length === 1 ? last : letter;
      taken.add(
        random.pick([
          () => `ctrl ${key}`,
          () => `ctrl ${key}`,
          () => `ctrl shift ${key}`,
          () => `alt ${key}`,
          () => `f${random.between(1, 12)}`,
          () => random.pick(['escape', 'delete', 'enter', 'home', 'end', 'insert', 'shift enter', 'ctrl enter']),
        ])(),
      );
    }
    const keys = [...taken];
    const title = (key: string) => (key.length === 1 ? key.toUpperCase() : key.charAt(0).toUpperCase() + key.slice(1));
    const hints = keys.map((combination) => combination.split(' ').map(title).join(layout.sign));
    const widest = Math.max(...hints.map((hint) => widthOf(hint, font))) + 12;
    const room = area.width - widest - 22;
    if (room < 36) throw new LabelMisfit('no room beside the keys');
    const names = labels.several(count, room);
    const target = random.between(0, count - 1);
    const read = random.chance(0.6);
    const entries = names.map(
      (name, index) => `<div class="entry"><span>${name}</span><span class="hint">${hints[index]}</span></div>`,
    );
    const argument: ShortcutArgument = { keys: keys[target] ?? '' };
    const written = keys.map((combination) => combination.replaceAll(' ', '+'));
    return {
      html:
        `<div class="down shortcut ${layout.look} ${layout.lines}" style="--high:${high}px;--hint:${widest}px;gap:0">` +
        `${entries.join('')}<div class="last push" data-name="last"></div></div>`,
      argument,
      say: read ? 'command' : 'keys',
      texts: { command: names[target] ?? '', keys: written[target] ?? '' },
      turns: 1,
      files: {
        contents: Object.fromEntries(names.map((name, index) => [name, written[index] ?? ''])),
        ...(read && { subject: names[target] ?? '' }),
      },
    };
  },
});
