import { widthOf } from '../drawing/font.js';
import { LabelMisfit } from '../drawing/labels.js';
import type { TabsArgument } from './tabs.page.js';
import { widgetFamily } from '../widgetFamily.js';

export const tabs = widgetFamily({
  name: 'tabs',
  description: 'Open a tab and click a button on it.',
  templates: {
    press: [
      'open the tab {tab} and press {button}',
      'go to {tab} and press {button}',
      'press {button} in the tab {tab}',
      'click the tab {tab}, then click {button}',
    ],
  },
  layouts: { side: ['top', 'top', 'bottom', 'left'], look: ['line', 'box', 'pill'], panel: ['list', 'grid'] },
  room: { width: [150, 400], height: [110, 240] },
  styles: `
.tabs{position:absolute;inset:0;display:flex;flex-direction:column}
.tabs.bottom{flex-direction:column-reverse}
.tabs.left{flex-direction:row}
.tabs .strip{flex:none;display:flex;gap:2px}
.tabs.left .strip{flex-direction:column}
.tabs .tab{height:var(--row);padding:0 var(--pad);display:flex;align-items:center;white-space:pre;color:var(--muted)}
.tabs .tab:hover{background:var(--soft)}
.tabs.line .strip{border:solid var(--line);border-width:0 0 1px}
.tabs.line.bottom .strip{border-width:1px 0 0}
.tabs.line.left .strip{border-width:0 1px 0 0}
.tabs.line .tab.open{color:var(--text);box-shadow:inset 0 -3px var(--accent)}
.tabs.box .tab{border:1px solid var(--line);background:var(--soft)}
.tabs.box .tab.open{color:var(--text);background:var(--card);border-color:var(--muted);font-weight:700}
.tabs.pill .tab{border-radius:20px}
.tabs.pill .tab.open{background:var(--accent);color:var(--on-accent)}
.tabs .panel{flex:1;min-width:0;padding:var(--gap);display:flex;flex-wrap:wrap;gap:var(--gap);align-content:flex-start;overflow:hidden}
.tabs .panel.list{flex-direction:column;flex-wrap:nowrap;align-items:flex-start}`,
  page: 'widgets/panels/tabs',
  draw({ random, area, row, gap, skin, labels, layout }) {
    const { font } = skin;
    const pad = area.width < 180 ? 5 : random.between(6, 12);
    const isLeft = layout.side === 'left';
    const count = isLeft ? 3 : area.width < 180 ? random.between(2, 3) : random.between(3, 5);
    const bold = 1.1;
    const room = isLeft ? Math.min(110, area.width * 0.45) : area.width / count - 2;
    const titles = labels.several(count, (room - 2 * pad) / bold);
    const strip = isLeft ? Math.max(...titles.map((title) => widthOf(title, font) * bold)) + 2 * pad : 0;
    const width = area.width - strip - 2 * gap;
    const height = area.height - (isLeft ? 0 : row) - 2 * gap;
    const columns = layout.panel === 'grid' && width > 120 ? 2 : 1;
    const max = Math.min(6, columns * Math.floor((height + gap) / (row + gap)));
    if (max < 2) throw new LabelMisfit('less than 2 buttons on a tab');
    const buttonRoom = (width - gap * (columns - 1)) / columns - 18;
    const panels = titles.map(() => labels.several(random.between(2, max), buttonRoom));
    const target = { tab: random.between(0, count - 1), button: 0 };
    const goalButtons = panels[target.tab] ?? [];
    target.button = random.between(0, goalButtons.length - 1);
    // The same button on two tabs, so that the tab has to be read.
    const decoys = panels[(target.tab + 1) % count] ?? [];
    if (random.chance(0.4)) decoys[random.between(0, decoys.length - 1)] = goalButtons[target.button] ?? '';
    const open = random.between(0, count - 1);

    const strips = titles.map((title, index) => `<div class="tab" data-name="tab-${index}">${title}</div>`);
    const sheets = panels.map((buttons, index) => {
      const look = (label: string, number: number) =>
        `<div class="btn ${skin.button}" data-name="button-${index}-${number}">${label}</div>`;
      const text =
        random.chance(0.4) && max > buttons.length
          ? `<div class="muted" style="width:100%">${labels.filler()}</div>`
          : '';
      return `<div class="panel ${layout.panel}" data-name="panel-${index}" hidden>${text}${buttons.map(look).join('')}</div>`;
    });
    const argument: TabsArgument = { count, target, open };
    return {
      html:
        `<div class="tabs ${layout.side} ${layout.look}" style="--pad:${pad}px"><div class="strip">${strips.join('')}</div>` +
        `${sheets.join('')}</div>`,
      argument,
      say: 'press',
      texts: { tab: titles[target.tab] ?? '', button: goalButtons[target.button] ?? '' },
      turns: 2,
    };
  },
});
