import { button, input, words } from './controls.js';
import { entries } from './blocks/lists.js';
import { type Draft, type Kit, classes, tag } from './kit.js';
import { ems } from '../words/wording.js';

/** Covers the page, whose controls cannot be reached. */
export interface Overlay {
  readonly kind: 'dialog' | 'menu' | 'tooltip';
  readonly title: Draft;
  visible: boolean;
  html(): string;
}

export function dialog(kit: Kit): Overlay {
  const { random, wording } = kit;
  const { veil, ends, field, cross, bar } = kit.ownLayout('dialog', {
    veil: ['', 'pale', 'open'],
    ends: ['from-end', 'from-centre', 'stack'],
    field: [true, false, false],
    cross: [true, false],
    bar: [true, false],
  });
  const width = Math.min(kit.size.width / kit.face.size - 3, random.between(12, 24));
  const first = kit.drafts.length;
  const frame = kit.add({ kind: 'dialog', label: '' });
  const title = kit.add({ kind: 'title', label: wording.label(width - 3) });
  frame.label = title.label;
  const close = cross ? kit.add({ kind: 'icon', label: '', icon: 'close' }) : undefined;
  // Leave out parts that would overflow.
  let remaining = kit.size.height / kit.face.size - 2 - 1.6 - kit.row - 3 * kit.gap;
  const sentence = wording.sentence();
  const lines = Math.ceil((ems(sentence) * kit.face.breadth * 1.2) / (width - 1.6));
  const text = lines * 1.25 + kit.gap < remaining ? kit.add({ kind: 'text', label: sentence }) : undefined;
  if (text) remaining -= lines * 1.25 + kit.gap;
  const written =
    field && remaining > kit.row + kit.gap
      ? kit.add({
          kind: 'field',
          label: random.chance(0.5) ? wording.value(width - 3) : '',
          focused: !kit.drafts.some(({ focused }) => focused) && random.chance(0.7),
        })
      : undefined;
  if (written) remaining -= kit.row + kit.gap;
  const group = kit.group();
  const count = random.between(
    1,
    ends === 'stack' ? Math.max(1, Math.min(3, 1 + Math.floor(remaining / (kit.row + kit.gap)))) : 2,
  );
  const drafts = Array.from({ length: count }, (_, place) => {
    const before = place > 0 ? kit.drafts.at(-1)?.label : undefined;
    const limit = ends === 'stack' ? width - 3 : width / count - 2;
    return kit.add({
      kind: 'button',
      label: before && random.chance(0.2) ? wording.nearMiss(before, limit) : wording.word(Math.max(2, limit)),
      group,
      place,
    });
  });
  const main = random.between(0, count - 1);
  for (const draft of kit.drafts.slice(first)) overlays.add(draft);
  return {
    kind: 'dialog',
    title: frame,
    visible: true,
    html: () =>
      `<div${classes('over', veil)}><div class="dialog"${tag(frame)} style="width:${width}em">` +
      `<div${classes('beside', 'apart', bar && 'on-bar')}>${words(title, 'strong')}${close ? `<div${tag(close)}>${kit.icon('close')}</div>` : ''}</div>` +
      `${text ? words(text, 'flow') : ''}${written ? input(kit, written) : ''}` +
      `<div${classes(ends === 'stack' ? 'stack' : 'beside', ends)}>${drafts.map((draft, place) => button(kit, draft, place === main ? 'solid' : 'edged')).join('')}</div></div></div>`,
  };
}

export function popup(kit: Kit): Overlay | undefined {
  const ems = { width: kit.size.width / kit.face.size, height: kit.size.height / kit.face.size };
  const first = kit.drafts.length;
  const inner = entries(kit, {
    width: Math.min(ems.width - 2, kit.random.between(8, 18)),
    height: Math.min(ems.height - 2, 14),
  });
  if (!inner) return undefined;
  for (const draft of kit.drafts.slice(first)) overlays.add(draft);
  const title = kit.drafts[first];
  if (!title) return undefined;
  const [x, y] = [kit.random.next(), kit.random.next()];
  const leftEm = (x * Math.max(0, ems.width - 18)).toFixed(1);
  const top = (y * Math.max(0, ems.height - inner.height - 0.6)).toFixed(1);
  return {
    kind: 'menu',
    title,
    visible: true,
    html: () => `<div class="popup" style="left:${leftEm}em;top:${top}em">${inner.html()}</div>`,
  };
}

export function tooltip(kit: Kit): Overlay {
  const draft = kit.add({
    kind: 'tooltip',
    label: kit.wording.label(Math.min(10, kit.size.width / kit.face.size - 2)),
  });
  overlays.add(draft);
  const [x, y] = [kit.random.between(2, 45), kit.random.between(10, 85)];
  return {
    kind: 'tooltip',
    title: draft,
    visible: true,
    html: () =>
      `<div class="tip" style="left:${x}%;top:${y}%"${tag(draft)}>${draft.label.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</div>`,
  };
}

export const overlays = new WeakSet<Draft>();
