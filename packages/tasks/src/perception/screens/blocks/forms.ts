import { choice, input, progress, slider, stepper, toggle } from '../controls.js';
import { type Block, type Draft, type Kit, type Room, classes, escape } from '../kit.js';

const caption = (text: string, width?: number): string =>
  `<div class="words clip"${width === undefined ? '' : ` style="width:${width}em;overflow:hidden;max-width:none"`}>${escape(text)}</div>`;

export function fields(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('fields', {
    names: ['above', 'beside', 'beside', 'within'],
    icons: [true, false, false],
    kind: ['field', 'field', 'select', 'mixed'],
  });
  if (!variant) return undefined;
  const { names, icons, kind } = variant;
  const height = kit.row + 0.4 + (names === 'above' ? 1.3 : 0) + kit.gap;
  const maxCount = Math.floor(room.height / height);
  if (maxCount < 1 || room.width < 8) return undefined;
  const count = kit.between(1, Math.min(4, maxCount));
  const side = names === 'beside' ? Math.min(7, room.width * 0.38) : 0;
  const inside = Math.max(3, room.width - side - (icons ? 3.5 : 1.8));
  const drafts = Array.from({ length: count }, () => {
    const fieldKind =
      kind === 'mixed' ? kit.random.pick(['field', 'select', 'field'] as const) : (kind as 'field' | 'select');
    const name = kit.wording.word(side || Math.min(10, room.width - 1));
    const filled = fieldKind === 'select' || kit.random.chance(0.55);
    const icon = icons && fieldKind === 'field' ? kit.iconSet(1)[0] : undefined;
    const draft = kit.add({
      kind: fieldKind,
      label: filled ? kit.wording.value(inside - (fieldKind === 'select' ? 1 : 0)) : '',
      name,
      ...(icon && { icon }),
      ...(fieldKind === 'field' && { focused: false }),
      ...(kit.random.chance(0.07) && { disabled: true }),
    });
    if (!filled && (names === 'within' || kit.random.chance(0.3)))
      draft.hint = names === 'within' ? name : kit.wording.word(inside);
    return draft;
  });
  focusOne(kit, drafts);
  return {
    height: count * height,
    html: () =>
      `<div class="stack">${drafts
        .map((draft) => {
          const box = input(kit, draft);
          if (names === 'beside')
            return `<div class="beside">${caption(draft.name ?? '', side)}<div class="grow">${box}</div></div>`;
          return names === 'above' || draft.label !== ''
            ? `<div>${caption(draft.name ?? '')}${box}</div>`
            : `<div>${box}</div>`;
        })
        .join('')}</div>`,
  };
}

function focusOne(kit: Kit, drafts: readonly Draft[]): void {
  const able = drafts.filter(({ kind, disabled }) => (kind === 'field' || kind === 'area') && !disabled);
  if (able.length > 0 && kit.random.chance(0.5) && !kit.drafts.some(({ focused }) => focused))
    kit.random.pick(able).focused = true;
}

export function area(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('area', { lines: [2, 3, 4], named: [true, false] });
  if (!variant) return undefined;
  const { lines, named } = variant;
  const height = lines * 1.25 + 2 * kit.pad + 0.4 + (named ? 1.3 : 0);
  if (height > room.height || room.width < 8) return undefined;
  const name = named ? kit.wording.word(room.width - 1) : undefined;
  const draft = kit.add({
    kind: 'area',
    label: kit.random.chance(0.6) ? kit.wording.sentence() : '',
    focused: false,
    ...(name !== undefined && { name }),
  });
  focusOne(kit, [draft]);
  return {
    height,
    html: () =>
      `<div>${name === undefined ? '' : caption(name)}<div style="display:grid;height:${lines * 1.25 + 2 * kit.pad + 0.3}em">${input(kit, draft)}</div></div>`,
  };
}

export function searchBar(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('search', {
    tail: ['button', 'icon', 'none'],
    lens: [true, false],
  });
  if (!variant) return undefined;
  const { tail, lens } = variant;
  if (room.width < 9 || room.height < kit.row + 0.4) return undefined;
  const label = tail === 'button' ? kit.wording.word(Math.min(5, room.width / 3)) : '';
  const field = kit.add({
    kind: 'field',
    label: kit.random.chance(0.5) ? kit.wording.value(Math.max(3, room.width / 2 - 2)) : '',
    focused: false,
    ...(lens && tail !== 'icon' && { icon: 'search' as const }),
  });
  focusOne(kit, [field]);
  if (field.label === '' && kit.random.chance(0.5)) field.hint = kit.wording.word(Math.max(3, room.width / 2 - 2));
  const end =
    tail === 'none'
      ? undefined
      : kit.add(tail === 'button' ? { kind: 'button', label } : { kind: 'icon', label: '', icon: 'search' });
  return {
    height: kit.row + 0.4,
    html: () =>
      `<div class="beside"><div class="grow">${input(kit, field)}</div>${end ? `<div class="btn ${end.icon ? 'bare quiet' : 'solid'}" data-e="${end.id}">${kit.icon(end.icon)}${end.label ? `<span>${escape(end.label)}</span>` : ''}</div>` : ''}</div>`,
  };
}

export function choices(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('choices', {
    kind: ['checkbox', 'checkbox', 'radio'] as ('checkbox' | 'radio')[],
    flow: ['stack', 'stack', 'grid'],
    framed: [true, false, false],
  });
  if (!variant) return undefined;
  const { kind, flow, framed } = variant;
  const columns = flow === 'grid' && room.width > 12 ? 2 : 1;
  const height = (framed ? kit.row : 1.3) + kit.gap;
  const rows = Math.floor(room.height / height);
  if (rows < 1 || (kind === 'radio' && rows * columns < 2)) return undefined;
  const count = kit.between(kind === 'radio' ? 2 : 1, Math.min(6, rows * columns));
  const group = kit.group();
  const limit = room.width / columns - (framed ? 3.2 : 2);
  const drafts = Array.from({ length: count }, (_, place) => {
    const before = place > 0 ? kit.drafts.at(-1)?.label : undefined;
    const label = before && kit.random.chance(0.15) ? kit.wording.nearMiss(before, limit) : kit.wording.label(limit);
    return kit.add({
      kind,
      label,
      group,
      place,
      checked: kind === 'checkbox' && kit.random.chance(0.4),
      ...(kit.random.chance(0.06) && { disabled: true }),
    });
  });
  if (kind === 'radio' && kit.random.chance(0.75)) kit.random.pick(drafts).checked = true;
  return {
    height: Math.ceil(count / columns) * height,
    html: () =>
      `<div${classes(flow)}${columns > 1 ? ' style="grid-template-columns:1fr 1fr"' : ''}>${drafts
        .map((draft) => choice(kit, draft, framed ? 'boxed' : ''))
        .join('')}</div>`,
  };
}

export function settings(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('settings', {
    kind: ['switch', 'switch', 'slider', 'stepper', 'progress', 'mixed'],
    panel: [true, false],
    under: [true, false],
  });
  if (!variant) return undefined;
  const { kind, panel, under } = variant;
  const height = (under ? 2.6 : 1.35) + kit.gap + (kind === 'stepper' || kind === 'mixed' ? 2 * kit.pad + 0.2 : 0);
  const maxRows = Math.floor((room.height - (panel ? 1.4 : 0)) / height);
  if (maxRows < 1 || room.width < 9) return undefined;
  const side = Math.max(3, under ? room.width - 4 : room.width * 0.5 - (panel ? 1 : 0));
  const rows = Array.from({ length: kit.between(1, Math.min(5, maxRows)) }, () => {
    const name = kit.wording.label(side);
    const settingKind = kind === 'mixed' ? kit.random.pick(['switch', 'slider', 'stepper', 'progress'] as const) : kind;
    return {
      name,
      control: settingOf(kit, settingKind as SettingKind, name),
      compact: settingKind === 'switch' || settingKind === 'stepper',
    };
  });
  return {
    height: rows.length * height + (panel ? 1.4 : 0),
    html: () =>
      `<div${classes('stack', panel && 'panel')}>${rows
        .map(({ name, control, compact }) =>
          under && !compact
            ? `<div>${caption(name)}<div class="beside" style="height:1.35em">${control()}</div></div>`
            : `<div class="beside apart">${caption(name)}${compact ? control() : `<div class="grow beside">${control()}</div>`}</div>`,
        )
        .join('')}</div>`,
  };
}

type SettingKind = 'switch' | 'slider' | 'stepper' | 'progress';

function settingOf(kit: Kit, kind: SettingKind, name: string): () => string {
  switch (kind) {
    case 'switch': {
      const draft = kit.add({
        kind,
        label: '',
        name,
        checked: kit.random.chance(0.5),
        ...(kit.random.chance(0.06) && { disabled: true }),
      });
      return () => toggle(draft);
    }
    case 'slider': {
      const draft = kit.add({ kind, label: '', name, value: kit.random.between(0, 20) * 5 });
      return () => slider(draft);
    }
    case 'stepper': {
      const less = kit.add({ kind: 'icon', label: '', icon: 'minus', row: name });
      const draft = kit.add({ kind, label: String(kit.random.between(0, 40)), name });
      const more = kit.add({ kind: 'icon', label: '', icon: 'plus', row: name });
      return () => stepper(kit, draft, less, more);
    }
    case 'progress': {
      const colour = kit.colour(0.4);
      const draft = kit.add({ kind, label: '', name, value: kit.random.between(1, 20) * 5, ...(colour && { colour }) });
      const share = kit.random.chance(0.5) ? kit.add({ kind: 'text', label: `${draft.value}%`, row: name }) : undefined;
      return () =>
        `${progress(kit, draft)}${share ? `<div class="words" data-e="${share.id}">${share.label}</div>` : ''}`;
    }
  }
}
