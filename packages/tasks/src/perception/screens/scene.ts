import type { Size, Split } from '@gyre/protocol';
import type { Random } from '../../family/random.js';
import { buttons, chips, crumbs, links, pagination, shapes, tabs, toolbar } from './blocks/actions.js';
import { calendar, chart, greys, photo } from './blocks/figures.js';
import { area, choices, fields, searchBar, settings } from './blocks/forms.js';
import { cards, list, menu, table } from './blocks/lists.js';
import { chat, code, figures, heading, paragraph, texts } from './blocks/text.js';
import { button, words } from './controls.js';
import { type Block, type Draft, Kit, type Room, classes, escape, tag } from './kit.js';
import { drawLook } from './look.js';
import { type Overlay, dialog, popup, tooltip } from './overlay.js';
import { type Fonts, drawTypeface } from './typeface.js';
import { type Language, Wording } from '../words/wording.js';

export interface Scene {
  readonly kit: Kit;
  readonly overlay?: Overlay;
  html(): string;
}

type DrawBlock = (kit: Kit, room: Room) => Block | undefined;

const parts: readonly (readonly [DrawBlock, number])[] = [
  [buttons, 14],
  [choices, 9],
  [list, 9],
  [fields, 8],
  [texts, 8],
  [toolbar, 7],
  [settings, 7],
  [table, 7],
  [tabs, 5],
  [chips, 5],
  [shapes, 10],
  [paragraph, 6],
  [heading, 5],
  [cards, 4],
  [menu, 3],
  [searchBar, 3],
  [area, 3],
  [figures, 3],
  [crumbs, 3],
  [pagination, 3],
  [links, 3],
  [chart, 3],
  [calendar, 3],
  [chat, 3],
  [code, 3],
  [photo, 2],
  [greys, 1],
];
const lots = parts.flatMap(([draw, count]) => Array.from({ length: count }, () => draw));

/** Draws bars, a side menu, columns of blocks, sometimes an overlay. */
export function drawScene(
  random: Random,
  terms: { size: Size; split: Split; language: Language; fonts: Fonts },
): Scene {
  const { size, split, language, fonts } = terms;
  const face = drawTypeface(random, split, fonts, language === 'zh', size.width);
  const look = drawLook(random, split);
  const kit = new Kit(random, split, language, size, look, face, new Wording(random, split, language, face.breadth));
  const [width, height] = [size.width / face.size, size.height / face.size];
  const plan = kit.ownLayout('plan', {
    top: ['none', 'none', 'title', 'tools', 'tabs', 'search'] as Top[],
    side: [true, false],
    columns: [1, 1, 2, 3],
    panels: [true, false, false],
    inset: [0.4, 0.7, 1],
    align: ['', '', 'centre', 'spread'],
  });
  const top = kit.attempt(() => drawTop(kit, plan.top, width));
  const bodyHeight = height - (top?.height ?? 0);
  const side = plan.side && size.width >= 320 && bodyHeight > 8 ? drawSide(kit, bodyHeight) : undefined;
  const bodyWidth = width - (side ? sideWidth + 0.9 : 0);
  const columns = Math.max(1, Math.min(plan.columns + (size.width >= 640 ? 1 : 0), Math.floor(bodyWidth / 14)));
  const inner = bodyWidth / columns - 2 * plan.inset - (plan.panels ? 1.6 : 0);
  const drawnColumns = Array.from({ length: columns }, () =>
    drawColumn(kit, { width: inner, height: bodyHeight - 2 * plan.inset }, plan.panels),
  );
  const overlay = drawOverlay(kit);
  const style = `font:${face.weight} ${face.size}px/1.25 ${face.stack};${look.style};--pad:${kit.pad};--gap:${kit.gap};--inset:${plan.inset}em;--bar:var(--accent);--bar-on:var(--on)`;
  return {
    kit,
    ...(overlay && { overlay }),
    html: () =>
      `<div class="view clip" style="${style.replaceAll('"', "'")}"><div style="display:flex;flex-direction:column;flex:1;min-width:0">` +
      `${top?.html() ?? ''}<div style="display:flex;flex:1;min-height:0">${side?.html() ?? ''}` +
      `${drawnColumns
        .map(
          (blocks) =>
            `<div${classes('col', 'clip', plan.align)} style="overflow:hidden">${blocks
              .map((block) => (plan.panels ? `<div class="panel">${block.html()}</div>` : block.html()))
              .join('')}</div>`,
        )
        .join('')}</div></div>${overlay?.visible ? overlay.html() : ''}</div>`,
  };
}

function drawColumn(kit: Kit, room: Room, panels: boolean): Block[] {
  const blocks: Block[] = [];
  const framed = panels ? 1.3 : 0;
  let remaining = room.height;
  for (let attempt = 0; attempt < 10 && remaining > 1.8; attempt++) {
    const block = kit.attempt(() => {
      const drawn = kit.random.pick(lots)(kit, { width: room.width, height: remaining - framed });
      return drawn && drawn.height + framed <= remaining ? drawn : undefined;
    });
    if (!block) continue;
    blocks.push(block);
    remaining -= block.height + framed + kit.gap;
    if (kit.random.chance(0.06)) break;
  }
  return blocks;
}

type Top = 'none' | 'title' | 'tools' | 'tabs' | 'search';

function drawTop(kit: Kit, kind: Top, width: number): Block | undefined {
  const accented = kit.random.chance(0.5);
  const height = kit.row + 2 * kit.pad + 0.5;
  const bar = (inner: () => string): Block => ({
    height,
    html: () => `<div${classes('top', accented && 'on-bar')}>${inner()}</div>`,
  });
  const icon = () => kit.add({ kind: 'icon', label: '', icon: kit.iconSet(1)[0] });
  switch (kind) {
    case 'none':
      return undefined;
    case 'title': {
      const lead = kit.random.chance(0.5)
        ? kit.add({ kind: 'icon', label: '', icon: kit.random.pick(['menu', 'left', 'home'] as const) })
        : undefined;
      const title = kit.add({ kind: 'title', label: kit.wording.label(width - 7) });
      const tail = kit.random.chance(0.5) ? icon() : undefined;
      return bar(
        () =>
          `${lead ? button(kit, lead, 'plain') : ''}<div class="grow">${words(title, 'strong')}</div>${tail ? button(kit, tail, 'plain') : ''}`,
      );
    }
    case 'tools': {
      const count = kit.between(2, Math.min(7, Math.floor(width / 3)));
      const group = kit.group();
      const icons = kit
        .iconSet(count)
        .map((name, place) => kit.add({ kind: 'icon', label: '', icon: name, group, place }));
      return bar(() => icons.map((draft) => button(kit, draft, 'plain')).join(''));
    }
    case 'tabs': {
      const block = tabs(kit, { width: width - 1, height: 9 });
      return block && bar(() => block.html());
    }
    case 'search': {
      const block = searchBar(kit, { width: width - 1.2, height: 9 });
      return block && { ...bar(() => `<div class="grow">${block.html()}</div>`), height: height + 0.5 };
    }
  }
}

const sideWidth = 8;

function drawSide(kit: Kit, height: number): Block {
  const count = kit.between(2, Math.min(8, Math.floor((height - 1) / (kit.row + 0.2))));
  const withIcons = kit.random.chance(0.6);
  const icons = kit.iconSet(count);
  const group = kit.group();
  const current = kit.random.between(0, count - 1);
  const items: Draft[] = Array.from({ length: count }, (_, place) =>
    kit.add({
      kind: 'item',
      label: kit.wording.word(sideWidth - (withIcons ? 3.4 : 1.6)),
      group,
      place,
      current: place === current,
      ...(withIcons && { icon: icons[place] }),
    }),
  );
  return {
    height,
    html: () =>
      `<div class="side" style="width:${sideWidth}em">${items
        .map(
          (draft) =>
            `<div${classes('item', draft.current && 'yes')}${tag(draft)}>${kit.icon(draft.icon)}<div class="words">${escape(draft.label)}</div></div>`,
        )
        .join('')}</div>`,
  };
}

function drawOverlay(kit: Kit): Overlay | undefined {
  const share = kit.random.next();
  if (share < 0.1) return dialog(kit);
  if (share < 0.15) return popup(kit);
  if (share < 0.18) return tooltip(kit);
  return undefined;
}
