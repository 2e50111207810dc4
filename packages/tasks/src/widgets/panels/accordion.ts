import type { AccordionArgument } from './accordion.page.js';
import { LabelMisfit } from '../drawing/labels.js';
import { widgetFamily } from '../widgetFamily.js';

export const accordion = widgetFamily({
  name: 'accordion',
  description: 'Open a section and click a button in it.',
  templates: {
    press: [
      'open the section {section} and press {button}',
      'press {button} in the section {section}',
      'expand {section} and click {button}',
      'open {section}, then press {button}',
    ],
  },
  layouts: { mark: ['chevron', 'plus', 'none'], edge: ['ruled', 'boxed', 'filled'], panel: ['list', 'grid'] },
  room: { width: [140, 360], height: [112, 280] },
  styles: `
.accordion{position:absolute;inset:0;display:flex;flex-direction:column;overflow:hidden}
.accordion .head{flex:none;height:var(--row);padding:0 6px;display:flex;align-items:center;justify-content:space-between;white-space:pre}
.accordion .head:hover{background:var(--tint);color:var(--text)}
.accordion.ruled .head{border-bottom:1px solid var(--line)}
.accordion.boxed .head{border:1px solid var(--muted);border-bottom-width:0;background:var(--soft)}
.accordion.boxed .head:nth-last-child(2){border-bottom-width:1px}
.accordion.filled .head{background:var(--soft);border-bottom:2px solid var(--card)}
.accordion.filled .head.open{background:var(--accent);color:var(--on-accent)}
.accordion .head i{flex:none;width:6px;height:6px;margin-right:3px;border:solid currentColor;border-width:0 2px 2px 0;transform:rotate(45deg)}
.accordion .head.open i{margin-top:4px;transform:rotate(225deg)}
.accordion.none .head i{display:none}
.accordion.plus .head i{width:9px;height:9px;margin:0;border:0;transform:none;background:linear-gradient(currentColor 0 0) center/9px 2px no-repeat,linear-gradient(currentColor 0 0) center/2px 9px no-repeat}
.accordion.plus .head.open i{background:linear-gradient(currentColor 0 0) center/9px 2px no-repeat}
.accordion .panel{flex:none;padding:var(--gap) 5px;display:flex;flex-wrap:wrap;gap:var(--gap);align-items:flex-start}
.accordion .panel.list{flex-direction:column;flex-wrap:nowrap}`,
  page: 'widgets/panels/accordion',
  draw({ random, area, row, gap, skin, labels, layout }) {
    const columns = layout.panel === 'grid' ? 2 : 1;
    const heights = (sections: number) =>
      columns * Math.floor((area.height - sections * (row + 1) - gap) / (row + gap));
    const counts = [3, 4, 5, 6].filter((sections) => heights(sections) >= 2);
    if (counts.length === 0) throw new LabelMisfit('less than 3 sections');
    const count = random.pick(counts);
    const titles = labels.several(count, area.width - 30);
    const max = Math.min(5, heights(count));
    const room = (area.width - 10 - gap * (columns - 1)) / columns - 18;
    const panels = titles.map(() => labels.several(random.between(2, max), room));
    const section = random.between(0, count - 1);
    const goalButtons = panels[section] ?? [];
    const button = random.between(0, goalButtons.length - 1);
    // The same button in two sections, so that the section has to be read.
    const decoys = panels[(section + random.between(1, count - 1)) % count] ?? [];
    if (random.chance(0.4)) decoys[random.between(0, decoys.length - 1)] = goalButtons[button] ?? '';
    const open = random.chance(0.7) ? random.between(0, count - 1) : undefined;

    const parts = titles.map((title, index) => {
      const buttons = (panels[index] ?? []).map(
        (label, number) => `<div class="btn ${skin.button}" data-name="button-${index}-${number}">${label}</div>`,
      );
      return (
        `<div class="head" data-name="head-${index}"><span>${title}</span><i></i></div>` +
        `<div class="panel ${layout.panel}" data-name="panel-${index}" hidden>${buttons.join('')}</div>`
      );
    });
    const argument: AccordionArgument = { count, target: { section, button }, ...(open !== undefined && { open }) };
    return {
      html: `<div class="accordion ${layout.mark} ${layout.edge}">${parts.join('')}</div>`,
      argument,
      say: 'press',
      texts: { section: titles[section] ?? '', button: goalButtons[button] ?? '' },
      turns: open === section ? 1 : 2,
    };
  },
});
