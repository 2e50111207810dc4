import type { ElementKind } from '../../../family/screen/element.js';
import { button, choice, progress, toggle, words } from '../controls.js';
import { type Block, type Draft, type Kit, type Room, classes, escape, tag } from '../kit.js';

export function list(kit: Kit, room: Room): Block | undefined {
  const layout = kit.variant('list', {
    lead: ['none', 'none', 'icon', 'face', 'checkbox'] as ('none' | 'icon' | 'face' | 'checkbox')[],
    tail: ['none', 'none', 'badge', 'switch', 'icon', 'text'] as ('none' | 'badge' | 'switch' | 'icon' | 'text')[],
    frame: ['panel items lined', 'panel items', 'items lined', 'items'],
    chosen: ['none', 'yes', 'mild'],
  });
  if (!layout) return undefined;
  const height = Math.max(kit.row, layout.lead === 'face' ? 1.5 + 2 * kit.pad : 0) + 0.1;
  const maxCount = Math.floor((room.height - 0.6) / height);
  if (maxCount < 2 || room.width < 6) return undefined;
  const count = kit.between(2, Math.min(7, maxCount));
  const group = kit.group();
  const taken = layout.lead === 'none' ? 1 : 3;
  const tailRoom = layout.tail === 'none' ? 0 : layout.tail === 'text' ? Math.min(5, room.width / 3) : 3;
  const [leads, tails] = [kit.iconSet(count), kit.iconSet(1)];
  const current = layout.chosen === 'none' ? -1 : kit.random.between(0, count - 1);
  const rows = Array.from({ length: count }, (_, place) => {
    const before = kit.drafts.at(-1)?.label;
    const limit = Math.max(2, room.width - taken - tailRoom - 1.2);
    const label = before && kit.random.chance(0.12) ? kit.wording.nearMiss(before, limit) : kit.wording.label(limit);
    // Its words are no element of their own.
    const item = kit.add({
      kind: 'item',
      label,
      group,
      place,
      ...(layout.lead === 'icon' && { icon: leads[place] }),
      ...(layout.chosen !== 'none' && { current: place === current }),
    });
    const tick =
      layout.lead === 'checkbox'
        ? kit.add({ kind: 'checkbox', label: '', row: label, checked: kit.random.chance(0.4) })
        : undefined;
    return { item, tick, tail: tailOf(kit, layout.tail, label, tailRoom, tails) };
  });
  return {
    height: count * height + 0.6,
    html: () =>
      `<div class="${layout.frame}">${rows
        .map(
          ({ item, tick, tail }) =>
            `<div${classes('item', item.current && 'yes', item.current && layout.chosen === 'mild' && 'mild')}${tag(item)}>` +
            `${layout.lead === 'face' ? '<i class="avatar-dot"></i>' : ''}${tick ? choice(kit, tick) : ''}${kit.icon(item.icon)}` +
            `<div class="words">${escape(item.label)}</div><i class="spare"></i>${tail()}</div>`,
        )
        .join('')}</div>`,
  };
}

function tailOf(
  kit: Kit,
  kind: 'none' | 'badge' | 'switch' | 'icon' | 'text',
  row: string,
  room: number,
  icons: ReturnType<Kit['iconSet']>,
): () => string {
  switch (kind) {
    case 'none':
      return () => '';
    case 'badge': {
      if (kit.random.chance(0.4)) return () => '';
      const draft = kit.add({ kind: 'badge', label: String(kit.random.between(1, 99)), row });
      return () => `<div class="badge"${tag(draft)}>${draft.label}</div>`;
    }
    case 'switch': {
      const draft = kit.add({ kind: 'switch', label: '', name: row, row, checked: kit.random.chance(0.5) });
      return () => toggle(draft);
    }
    case 'icon': {
      const draft = kit.add({ kind: 'icon', label: '', icon: icons[0], row });
      return () => `<div${tag(draft)}>${kit.icon(draft.icon)}</div>`;
    }
    case 'text': {
      const draft = kit.add({ kind: 'text', label: kit.wording.word(room), row });
      return () => `<div class="words faint" style="flex:none"${tag(draft)}>${escape(draft.label)}</div>`;
    }
  }
}

export function table(kit: Kit, room: Room): Block | undefined {
  const layout = kit.variant('table', {
    head: [true, true, false],
    lines: ['lined', 'striped', ''],
    control: ['none', 'checkbox', 'button', 'icon', 'switch', 'progress'] as TableControl[],
    panel: [true, false],
  });
  if (!layout) return undefined;
  const height = 1.25 + 1.5 * kit.pad + 0.35;
  const rowsFit = Math.floor((room.height - (layout.panel ? 1 : 0.2)) / height) - (layout.head ? 1 : 0);
  if (rowsFit < 2 || room.width < 9) return undefined;
  const count = kit.between(2, Math.min(8, rowsFit));
  const columns = kit.between(2, Math.min(5, Math.floor(room.width / 6.5)));
  const width = room.width / (columns + (layout.control === 'none' ? 0 : 1)) - 1.4;
  const group = kit.group();
  const head = layout.head
    ? Array.from({ length: columns }, () => kit.add({ kind: 'text', label: kit.wording.word(width) }))
    : [];
  const shared = { action: kit.wording.word(Math.max(2, width - 1)), icons: kit.iconSet(2) };
  const chosen = kit.random.chance(0.3) ? kit.random.between(0, count - 1) : -1;
  const rows = Array.from({ length: count }, (_, place) => {
    const labels = Array.from({ length: columns }, (_, column) =>
      column > 0 && kit.random.chance(0.4) ? String(kit.random.between(0, 999)) : kit.wording.word(Math.max(2, width)),
    );
    const name = labels[0] ?? '';
    const row = kit.add({ kind: 'row', label: name, group, place, ...(chosen >= 0 && { current: place === chosen }) });
    const cells = labels.map((label, column) =>
      kit.add({ kind: 'cell', label, row: name, ...(head[column] && { name: head[column].label }) }),
    );
    return { row, cells, control: tableControl(kit, layout.control, name, shared) };
  });
  return {
    height: (count + (layout.head ? 1 : 0)) * height + (layout.panel ? 1 : 0.2),
    html: () =>
      `<div${classes(layout.panel && 'panel flat')}><table${classes('table', layout.lines)}>` +
      (head.length > 0
        ? `<tr>${head.map((draft) => `<th><div class="words"${tag(draft)}>${escape(draft.label)}</div></th>`).join('')}${layout.control === 'none' ? '' : '<th></th>'}</tr>`
        : '') +
      `${rows
        .map(
          ({ row, cells, control }) =>
            `<tr${classes(row.current && 'yes')}${tag(row)}>${cells.map((draft) => `<td${tag(draft)}>${escape(draft.label)}</td>`).join('')}${control ? `<td>${control()}</td>` : ''}</tr>`,
        )
        .join('')}</table></div>`,
  };
}

type TableControl = 'none' | 'checkbox' | 'button' | 'icon' | 'switch' | 'progress';

function tableControl(
  kit: Kit,
  kind: TableControl,
  row: string,
  shared: { action: string; icons: ReturnType<Kit['iconSet']> },
): (() => string) | undefined {
  switch (kind) {
    case 'none':
      return undefined;
    case 'checkbox': {
      const draft = kit.add({ kind, label: '', row, checked: kit.random.chance(0.4) });
      return () => choice(kit, draft);
    }
    case 'button': {
      const draft = kit.add({ kind, label: shared.action, row });
      return () => `<div class="wrap">${button(kit, draft, 'edged', 'low')}</div>`;
    }
    case 'icon': {
      const drafts = shared.icons.map((icon) => kit.add({ kind, label: '', icon, row }));
      return () =>
        `<div class="beside">${drafts.map((draft) => `<div${tag(draft)}>${kit.icon(draft.icon)}</div>`).join('')}</div>`;
    }
    case 'switch': {
      const draft = kit.add({ kind, label: '', row, checked: kit.random.chance(0.5) });
      return () => toggle(draft);
    }
    case 'progress': {
      const draft = kit.add({ kind, label: '', row, value: kit.random.between(1, 19) * 5 });
      return () => progress(kit, draft);
    }
  }
}

export function entries(kit: Kit, room: Room, kind: ElementKind = 'entry'): Block | undefined {
  const variant = kit.variant('entries', {
    icons: [true, false],
    keys: [true, false],
    chosen: [true, false],
  });
  if (!variant) return undefined;
  const { icons, keys, chosen } = variant;
  const maxCount = Math.floor((room.height - 0.6) / kit.row);
  if (maxCount < 2) return undefined;
  const count = kit.between(2, Math.min(6, maxCount));
  const withKeys = keys && room.width > 12;
  const some = kit.iconSet(count);
  const group = kit.group();
  const letters = kit.random.shuffle([...'ACDEFGHJKLMNOPQRSTUVXYZ']);
  const current = kit.random.between(0, count - 1);
  const rows = Array.from({ length: count }, (_, place) => {
    const draft: Draft = kit.add({
      kind,
      label: kit.wording.label(Math.max(2, room.width - 1.5 - (icons ? 2 : 0) - (withKeys ? 6 : 0))),
      group,
      place,
      ...(icons && { icon: some[place] }),
      ...(chosen && { current: place === current }),
    });
    const shortcut =
      withKeys && kit.random.chance(0.7) ? `${kit.random.pick(['Ctrl', 'Alt', 'Shift'])}+${letters[place]}` : undefined;
    return { draft, shortcut: shortcut && kit.add({ kind: 'text', label: shortcut, row: draft.label }) };
  });
  return {
    height: count * kit.row + 0.6,
    html: () =>
      rows
        .map(
          ({ draft, shortcut }) =>
            `<div${classes('entry', draft.current && 'yes')}${tag(draft)}>${kit.icon(draft.icon)}<div class="words">${escape(draft.label)}</div>` +
            `${shortcut ? `<div class="keys"${tag(shortcut)}>${shortcut.label}</div>` : ''}</div>`,
        )
        .join(''),
  };
}

export function menu(kit: Kit, room: Room): Block | undefined {
  if (room.width < 7) return undefined;
  const inner = entries(kit, room);
  return inner && { height: inner.height, html: () => `<div class="panel items">${inner.html()}</div>` };
}

export function cards(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('cards', {
    picture: ['photo', 'icon', 'none'],
    foot: ['button', 'text', 'icon', 'none'],
  });
  if (!variant) return undefined;
  const { picture, foot } = variant;
  const height =
    (picture === 'photo' ? 3.2 : picture === 'icon' ? 2.2 : 0) + 1.4 + (foot === 'none' ? 0 : kit.row + 0.3) + 1.2;
  const count = Math.min(4, Math.floor(room.width / 7.5));
  if (count < 1 || height > room.height) return undefined;
  const width = room.width / count - kit.gap - 1.4;
  const icons = kit.iconSet(count * 2);
  const shared = kit.random.chance(0.5) ? kit.wording.word(Math.max(2, width - 1)) : undefined;
  const drawnCards = Array.from({ length: count }, (_, index) => {
    const name = kit.wording.word(width);
    const title = kit.add({ kind: 'text', label: name, ...(picture === 'icon' && { icon: icons[index] }) });
    const label =
      foot === 'button'
        ? (shared ?? kit.wording.word(Math.max(2, width - 1)))
        : foot === 'text'
          ? kit.wording.label(width)
          : '';
    const end =
      foot === 'none'
        ? undefined
        : kit.add({
            kind: foot === 'button' ? 'button' : foot === 'text' ? 'text' : 'icon',
            label,
            row: name,
            ...(foot === 'icon' && { icon: icons[count + index] }),
          });
    return { title, end };
  });
  return {
    height,
    html: () =>
      `<div class="beside">${drawnCards
        .map(
          ({ title, end }) =>
            `<div class="panel grow stack" style="gap:.3em">` +
            (picture === 'photo' ? '<div class="photo" style="height:3em"></div>' : '') +
            `<div${tag(title)}>${picture === 'icon' ? `<div style="font-size:1.5em">${kit.icon(title.icon)}</div>` : ''}<div class="words strong">${escape(title.label)}</div></div>` +
            `${end ? (end.kind === 'text' ? words(end, 'faint') : `<div class="wrap">${button(kit, end, end.kind === 'icon' ? 'plain' : 'quiet')}</div>`) : ''}</div>`,
        )
        .join('')}</div>`,
  };
}
