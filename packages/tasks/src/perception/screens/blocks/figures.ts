import { words } from '../controls.js';
import { type Block, type Kit, type Room, classes, escape, tag } from '../kit.js';

export function chart(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('chart', {
    panel: [true, false],
    values: [true, false],
    gap: [0.3, 0.5, 0.9],
  });
  if (!variant) return undefined;
  const { panel, values, gap } = variant;
  const maxBars = Math.floor(room.width / 3.4);
  if (maxBars < 2 || room.height < 8) return undefined;
  const count = kit.between(2, Math.min(7, maxBars));
  const tall = Math.min(9, room.height - (panel ? 3 : 1.8));
  const width = room.width / count - gap - 0.3;
  const group = kit.group();
  const heights = kit.random.shuffle([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const bars = Array.from({ length: count }, (_, place) => {
    const value = (heights[place] ?? 1) * 10;
    const name = kit.wording.word(Math.max(1.2, width));
    const colour = kit.colour(0.5);
    const bar = kit.add({ kind: 'bar', label: '', name, value, group, place, ...(colour && { colour }) });
    return {
      bar,
      number:
        values && width > 2
          ? kit.add({ kind: 'text', label: String(value + kit.random.between(0, 9)), row: name })
          : undefined,
    };
  });
  return {
    height: tall + 1.6 + (panel ? 1.4 : 0),
    html: () =>
      `<div${classes(panel && 'panel')}><div class="chart" style="height:${tall}em;gap:${gap}em">${bars
        .map(
          ({ bar, number }) =>
            `<div>${number ? words(number) : ''}<div class="bar-fill"${tag(bar)} style="height:${(((bar.value ?? 0) / 100) * (tall - 1.5)).toFixed(2)}em${bar.colour ? `;background:${kit.look.named[bar.colour].fill}` : ''}"></div></div>`,
        )
        .join(
          '',
        )}</div><div class="chart-names" style="gap:${gap}em">${bars.map(({ bar }) => `<div>${escape(bar.name ?? '')}</div>`).join('')}</div></div>`,
  };
}

const weekdays = { en: [...'MTWTFSS'], zh: [...'一二三四五六日'] } as const;

export function calendar(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('calendar', { head: [true, false], panel: [true, false] });
  if (!variant) return undefined;
  const { head, panel } = variant;
  const weeks = Math.min(6, Math.floor((room.height - 3) / (1.3 + 0.8 * kit.pad)) - 1);
  if (weeks < 2 || room.width < 12.5) return undefined;
  const title = head ? kit.add({ kind: 'title', label: kit.wording.word(room.width - 6) }) : undefined;
  const [back, on] = head
    ? (['left', 'right'] as const).map((icon) => kit.add({ kind: 'icon', label: '', icon }))
    : [undefined, undefined];
  const group = kit.group();
  const skipped = kit.random.between(0, 6);
  const dayCount = Math.min(kit.random.between(28, 31), weeks * 7 - skipped);
  const chosen = kit.random.between(0, dayCount - 1);
  const days = Array.from({ length: dayCount }, (_, place) =>
    kit.add({ kind: 'day', label: String(place + 1), group, place, current: place === chosen }),
  );
  return {
    height: (weeks + 1) * (1.3 + 0.8 * kit.pad) + (head ? 1.8 : 0) + (panel ? 1.2 : 0),
    html: () =>
      `<div${classes(panel && 'panel')}>` +
      (title && back && on
        ? `<div class="beside apart"><div${tag(back)}>${kit.icon('left')}</div>${words(title, 'strong')}<div${tag(on)}>${kit.icon('right')}</div></div>`
        : '') +
      `<div class="days">${weekdays[kit.language].map((name) => `<div class="faint">${name}</div>`).join('')}` +
      `${'<i></i>'.repeat(skipped)}${days.map((draft) => `<div${classes('day', draft.current && 'yes')}${tag(draft)}>${draft.label}</div>`).join('')}</div></div>`,
  };
}

export function photo(kit: Kit, room: Room): Block | undefined {
  const variant = kit.variant('photo', { veiled: [true, false], tall: [3, 4, 5, 6] });
  if (!variant) return undefined;
  const { veiled, tall } = variant;
  if (tall > room.height) return undefined;
  const caption = kit.add({ kind: 'text', label: kit.wording.label(room.width - 2) });
  return {
    height: tall,
    html: () =>
      `<div class="photo" style="height:${tall}em">${words(caption, veiled && 'veiled', !veiled && 'strong')}</div>`,
  };
}

/** Draws grey bars in place of text. */
export function greys(kit: Kit, room: Room): Block | undefined {
  const lines = kit.between(1, Math.min(3, Math.floor(room.height)));
  const widths = Array.from({ length: lines }, () => kit.random.between(35, 100));
  return {
    height: lines,
    html: () => `<div class="greys">${widths.map((width) => `<i style="width:${width}%"></i>`).join('')}</div>`,
  };
}
