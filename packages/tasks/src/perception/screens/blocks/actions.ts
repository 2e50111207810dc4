import { type Shape, shapeNames } from '../../../family/screen/element.js';
import { type Colour, colourNames } from '../../../family/screen/theme.js';
import { type ButtonStyle, button, buttonStyles, pill, shape } from '../controls.js';
import { type Block, type Draft, type Kit, type Room, classes, escape, tag } from '../kit.js';
import { ems } from '../../words/wording.js';

const aligns = ['', 'from-centre', 'from-end'] as const;

export function buttons(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('buttons', {
    flow: ['wrap', 'stack', 'grid'],
    align: aligns,
    mix: [...buttonStyles, 'mixed'] as (ButtonStyle | 'mixed')[],
  });
  if (!variant) return undefined;
  const { flow, align, mix } = variant;
  const rows = Math.floor(room.height / (kit.row + kit.gap));
  if (rows < 1) return undefined;
  const columns = flow === 'grid' ? Math.max(1, Math.min(3, Math.floor(room.width / 6))) : 1;
  const cell = flow === 'grid' ? room.width / columns - 1.8 : room.width - 2;
  const maxCount = flow === 'wrap' ? 5 : Math.min(6, rows * columns);
  const count = kit.between(1, maxCount);
  const colourful = kit.look.neutral && kit.random.chance(0.6);
  const colours = kit.random.shuffle(colourNames);
  const group = kit.group();
  const added: { draft: Draft; dress: ButtonStyle }[] = [];
  let [used, line] = [0, 1];
  for (let place = 0; place < count; place++) {
    const before = added.at(-1)?.draft.label;
    const withIcon = kit.random.chance(0.15);
    const limit = Math.min(cell - (withIcon ? 1.6 : 0), flow === 'wrap' ? kit.random.pick([3, 5, 8, 12]) : cell);
    const label =
      before && kit.random.chance(0.22) ? kit.wording.nearMiss(before, limit) : kit.wording.label(Math.max(2, limit));
    const width = ems(label) * kit.face.breadth + (withIcon ? 1.6 : 0) + 3.2 * kit.pad + 0.9 + kit.gap;
    if (flow === 'wrap') {
      if (used > 0 && used + width > room.width) [used, line] = [0, line + 1];
      if (line > rows) break;
      used += width;
    }
    const colour = colourful && kit.random.chance(0.75) ? colours[place] : undefined;
    const disabled = kit.random.chance(0.1);
    const draft = kit.add({
      kind: 'button',
      label,
      group,
      place,
      ...(withIcon && { icon: kit.iconSet(1)[0] }),
      ...(colour && { colour }),
      ...(disabled && { disabled }),
    });
    added.push({ draft, dress: mix === 'mixed' ? kit.random.pick(buttonStyles) : mix });
  }
  if (added.length === 0) return undefined;
  const lines = flow === 'stack' ? added.length : flow === 'grid' ? Math.ceil(added.length / columns) : line;
  const style = flow === 'grid' ? ` style="grid-template-columns:repeat(${columns},1fr)"` : '';
  return {
    height: lines * kit.row + (lines - 1) * kit.gap,
    html: () =>
      `<div${classes(flow, flow === 'wrap' && align)}${style}>${added.map(({ draft, dress }) => button(kit, draft, dress)).join('')}</div>`,
  };
}

export function toolbar(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('toolbar', {
    dress: buttonStyles,
    panel: [true, false, false],
    spread: ['', 'apart', 'from-centre', 'from-end'],
    scale: [1, 1, 1.25, 1.6, 2],
  });
  if (!variant) return undefined;
  const { dress, panel, spread, scale } = variant;
  const height = scale * (1.3 + 2 * kit.pad) + 0.3 + (panel ? 1 : 0);
  const maxIcons = Math.floor((room.width - 1.5) / (scale * (1.5 + 2 * kit.pad) + kit.gap));
  if (height > room.height || maxIcons < 2) return undefined;
  const group = kit.group();
  const coloured = kit.random.chance(0.3);
  const icons = kit.iconSet(kit.between(2, Math.min(8, maxIcons))).map((icon, place) => {
    const colour = coloured ? kit.colour(0.6) : undefined;
    return kit.add({
      kind: 'icon',
      label: '',
      icon,
      group,
      place,
      ...(colour && { colour }),
      ...(kit.random.chance(0.08) && { disabled: true }),
    });
  });
  return {
    height,
    html: () =>
      `<div${classes('beside', spread, panel && 'panel flat')} style="font-size:${scale}em">${icons
        .map((draft) => button(kit, draft, dress))
        .join('')}</div>`,
  };
}

export function shapes(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('shapes', { side: [1.8, 2.2, 2.8, 3.4], align: aligns, panel: [true, false, false] });
  if (!variant) return undefined;
  const { side, align, panel } = variant;
  const perRow = Math.floor((room.width - (panel ? 1.3 : 0)) / (side + kit.gap));
  const rows = Math.min(2, Math.floor((room.height - (panel ? 1.3 : 0)) / (side + kit.gap)));
  if (!kit.look.neutral || perRow < 2 || rows < 1) return undefined;
  const count = kit.between(2, Math.min(7, perRow * rows));
  const narrow = kit.random.chance(0.5) ? 3 : 8;
  const someShapes = kit.random.shuffle(shapeNames).slice(0, narrow);
  const someColours = kit.random.shuffle(colourNames).slice(0, narrow);
  const pairs = new Map<string, [Shape, Colour]>();
  while (pairs.size < count) {
    const pair: [Shape, Colour] = [kit.random.pick(someShapes), kit.random.pick(someColours)];
    pairs.set(pair.join(' '), pair);
  }
  const drafts = [...pairs.values()].map(([form, colour]) =>
    kit.add({ kind: 'shape', label: '', shape: form, colour }),
  );
  return {
    height: Math.ceil(count / perRow) * (side + kit.gap) + (panel ? 1.3 : 0),
    html: () =>
      `<div${classes('wrap', align, panel && 'panel')}>${drafts.map((draft) => shape(kit, draft, side)).join('')}</div>`,
  };
}

export function chips(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('chips', {
    kind: ['chip', 'chip', 'badge'] as ('chip' | 'badge')[],
    align: aligns,
    cross: [true, false],
  });
  if (!variant) return undefined;
  const { kind, align } = variant;
  const group = kit.group();
  const drafts: Draft[] = [];
  let used = 0;
  const rowHeight = 1.3 + 1.3 * kit.pad + kit.gap;
  let rows = 1;
  const maxCount = kit.between(2, 6);
  while (drafts.length < maxCount) {
    const label = kit.wording.word(Math.min(7, room.width - 2));
    const width = ems(label) * kit.face.breadth + 1.4 + kit.gap;
    if (used > 0 && used + width > room.width) [used, rows] = [0, rows + 1];
    if (rows * rowHeight > room.height) break;
    used += width;
    const colour = kit.colour(0.45);
    drafts.push(
      kit.add({
        kind,
        label,
        group,
        place: drafts.length,
        ...(colour && { colour }),
        ...(kind === 'chip' && !colour && { current: kit.random.chance(0.25) }),
      }),
    );
  }
  if (drafts.length === 0) return undefined;
  return {
    height: rows * rowHeight,
    html: () => `<div${classes('wrap', align)}>${drafts.map((draft) => pill(kit, draft)).join('')}</div>`,
  };
}

export function tabs(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('tabs', {
    icons: [true, false, false],
    stretch: [true, false],
  });
  if (!variant) return undefined;
  const { icons, stretch } = variant;
  if (room.height < kit.row + 0.3) return undefined;
  const group = kit.group();
  const drafts: Draft[] = [];
  let used = 0.5;
  const chosen = kit.iconSet(6);
  const maxCount = kit.between(2, 5);
  while (drafts.length < maxCount) {
    const label = kit.wording.word(Math.max(2, Math.min(7, room.width / 2 - 2)));
    const width = ems(label) * kit.face.breadth * 1.08 + 1.4 + (icons ? 1.6 : 0);
    if (used + width > room.width) break;
    used += width;
    const icon = icons ? chosen[drafts.length] : undefined;
    drafts.push(kit.add({ kind: 'tab', label, group, place: drafts.length, current: false, ...(icon && { icon }) }));
  }
  if (drafts.length < 2) return undefined;
  kit.random.pick(drafts).current = true;
  return {
    height: kit.row + 0.4,
    html: () =>
      `<div${classes('tabs', kit.look.tabs)}>${drafts
        .map(
          (draft) =>
            `<div${classes('tab', draft.current && 'yes', stretch && 'grow')}${tag(draft)}>${kit.icon(draft.icon)}<span>${escape(draft.label)}</span></div>`,
        )
        .join('')}</div>`,
  };
}

export function crumbs(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('crumbs', { slash: [true, false], align: aligns, under: [true, false] });
  if (!variant) return undefined;
  const { slash, align, under } = variant;
  const group = kit.group();
  const drafts: Draft[] = [];
  let used = 0;
  while (drafts.length < 4) {
    const label = kit.wording.word(Math.max(2, Math.min(6, room.width / 2 - 2)));
    used += ems(label) * kit.face.breadth * 1.08 + 1.4;
    if (used > room.width) break;
    drafts.push(kit.add({ kind: 'crumb', label, group, place: drafts.length }));
  }
  if (drafts.length < 2) return undefined;
  drafts.at(-1)!.current = true;
  const between = `<b${slash ? ' class="slash"' : ''}></b>`;
  return {
    height: under ? 1.7 : 1.3,
    html: () =>
      `<div${classes('crumbs', align, under && 'ruled')}>${drafts
        .map((draft) => `<div${classes('crumb', draft.current && 'yes')}${tag(draft)}>${escape(draft.label)}</div>`)
        .join(between)}</div>`,
  };
}

export function pagination(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('pagination', { arrows: [true, false], align: aligns });
  if (!variant) return undefined;
  const { arrows, align } = variant;
  const width = 2.2 + kit.gap;
  const maxCount = Math.floor(room.width / width) - (arrows ? 2 : 0);
  if (maxCount < 3 || room.height < kit.row) return undefined;
  const count = kit.between(3, Math.min(6, maxCount));
  const first = kit.random.chance(0.6) ? 1 : kit.random.between(2, 60);
  const group = kit.group();
  const chosen = kit.random.between(0, count - 1);
  const arrow = (icon: 'left' | 'right') => kit.add({ kind: 'icon', label: '', icon });
  const back = arrows ? arrow('left') : undefined;
  const pages = Array.from({ length: count }, (_, place) =>
    kit.add({ kind: 'page', label: String(first + place), group, place, current: place === chosen }),
  );
  const on = arrows ? arrow('right') : undefined;
  const end = (draft: Draft | undefined) => (draft ? button(kit, draft, 'plain') : '');
  return {
    height: kit.row,
    html: () =>
      `<div${classes('beside', align)}>${end(back)}${pages
        .map((draft) => `<div${classes('page', draft.current && 'yes')}${tag(draft)}>${draft.label}</div>`)
        .join('')}${end(on)}</div>`,
  };
}

export function links(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('links', { flow: ['stack', 'wrap'], align: aligns });
  if (!variant) return undefined;
  const { flow, align } = variant;
  const count = kit.between(1, Math.min(4, Math.floor(room.height / (1.25 + kit.gap))));
  const drafts = Array.from({ length: count }, () =>
    kit.add({ kind: 'link', label: kit.wording.label(room.width - 0.5) }),
  );
  return {
    height: count * (1.25 + kit.gap),
    html: () =>
      `<div${classes(flow, flow === 'wrap' && align)}>${drafts
        .map((draft) => `<div class="link"${tag(draft)}>${escape(draft.label)}</div>`)
        .join('')}</div>`,
  };
}
