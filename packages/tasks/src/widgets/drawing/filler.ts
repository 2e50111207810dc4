import type { Box } from '../../family/box.js';
import type { Random } from '../../family/random.js';
import { placed } from './placed.js';
import type { Labels } from './labels.js';

/** Returns plausible filler. It has no `data-name`, so it does not react. */
export function fill(random: Random, box: Box, row: number, labels: Labels): string[] {
  const { width, height } = box;
  if (width < 70 || height < 34) return random.chance(0.6) ? [placed('filler', box, lines(random, height, 7))] : [];
  const rows = Math.max(1, Math.floor((height - 12) / row));
  const word = () => labels.filler();
  const some = (count: number, html: (index: number) => string) =>
    Array.from({ length: Math.max(1, count) }, (_, index) => html(index)).join('');
  const kinds: (() => string)[] = [
    () => `<p class="muted">${some(Math.floor((rows * width) / 60), () => `${word()} `)}</p>`,
    () => lines(random, height - 12, 9),
    () => '<div class="picture"></div>',
    () => some(rows, () => `<div class="across"><i class="face"></i><span>${word()}</span></div>`),
    () => `<div class="figure">${random.between(2, 99)}</div><div class="muted">${word()}</div>`,
    () => `<div class="bars">${some(6, () => `<i style="height:${random.between(15, 100)}%"></i>`)}</div>`,
    () =>
      some(rows, () => {
        const control = random.pick(['box', 'box on', 'dot', 'switch', 'switch on']);
        return `<div class="across"><i class="${control}"></i><span>${word()}</span></div>`;
      }),
    () =>
      some(Math.min(3, Math.floor(rows / 1.4)), () =>
        random.chance(0.5)
          ? `<div class="across"><div class="btn ${random.pick(['solid', 'outline', 'soft'])}">${word()}</div></div>`
          : `<div class="across"><div class="field">${random.chance(0.6) ? word() : ''}</div></div>`,
      ),
    () =>
      some(
        rows,
        () =>
          `<div class="across cells">${some(Math.min(4, Math.floor(width / 70)), () => `<span>${word()}</span>`)}</div>`,
      ),
  ];
  const html = random.pick(kinds)();
  return [placed(`filler${random.chance(0.75) ? ' card' : ''}`, box, html)];
}

function lines(random: Random, height: number, step: number): string {
  return Array.from(
    { length: Math.max(1, Math.min(12, Math.floor(height / step))) },
    () => `<div class="skeleton" style="width:${random.between(40, 98)}%;margin-bottom:${step - 5}px"></div>`,
  ).join('');
}
