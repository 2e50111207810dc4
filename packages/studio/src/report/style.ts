import { Markup } from '../markup.js';
import { pointerStyle, tokens } from '../tokens.js';

export const style = new Markup(`
${tokens}
:root:has(#light:checked) { color-scheme: light; }
:root:has(#dark:checked) { color-scheme: dark; }
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 ui-sans-serif, system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif;
  -webkit-font-smoothing: antialiased; font-variant-numeric: tabular-nums;
}
main { max-width: 1120px; margin: 0 auto; padding: 40px 32px 80px; }
h1, h2, .lead { font-family: 'Iowan Old Style', Charter, 'Source Serif 4', Georgia, 'Liberation Serif', serif; }
h1 { font-size: clamp(34px, 5vw, 54px); line-height: 1.08; letter-spacing: -.018em; font-weight: 600; margin: 10px 0 18px; max-width: 26ch; text-wrap: balance; }
h1 em { font-style: normal; color: var(--trained); }
h2 { font-size: 27px; letter-spacing: -.01em; font-weight: 600; margin: 60px 0 6px; }
h3 { font-size: 14px; font-weight: 650; margin: 34px 0 10px; }
h3::before { content: ''; display: inline-block; width: 22px; height: 2px; background: var(--trained); vertical-align: middle; margin-right: 10px; }
p { margin: 0 0 12px; max-width: 72ch; }
small { display: block; font-size: 13px; font-weight: 400; color: var(--soft); line-height: 1.4; }
.brand { display: flex; align-items: center; gap: 12px; font-size: 14px; color: var(--soft); margin-bottom: 46px; }
.brand b { color: var(--ink); font-size: 17px; letter-spacing: -.01em; }
.brand svg { width: 24px; height: 24px; }
.theme { margin-left: auto; display: flex; border: 1px solid var(--line); border-radius: 999px; padding: 2px; }
.theme label { padding: 2px 11px; border-radius: 999px; cursor: pointer; font-size: 12.5px; }
.theme input { position: absolute; opacity: 0; pointer-events: none; }
.theme label:has(:checked) { background: var(--track); color: var(--ink); }
.theme label:has(:focus-visible) { outline: 2px solid var(--trained); }
.lead { font-size: 20px; line-height: 1.5; color: var(--soft); max-width: 62ch; }
.lead b { color: var(--ink); font-weight: 600; }
.facts { display: flex; flex-wrap: wrap; gap: 10px 36px; margin: 30px 0 0; padding: 18px 0; border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); }
.facts div { font-size: 14.5px; } .facts dt { font-size: 12px; color: var(--soft); } .facts dd { margin: 0; font-weight: 550; }
dl { margin: 0; }
.fine { font-size: 13.5px; color: var(--soft); }
.results { width: 100%; border-collapse: collapse; margin: 18px 0 14px; }
.results thead th { font-size: 13px; font-weight: 550; color: var(--soft); text-align: left; padding: 0 22px 10px 0; border-bottom: 1px solid var(--line); }
.results tbody th { text-align: left; font-weight: 650; font-size: 17px; width: 30%; padding: 18px 28px 18px 0; vertical-align: top; }
.results td { padding: 14px 22px 16px 0; vertical-align: top; width: 17.5%; }
.results tbody tr + tr > * { border-top: 1px solid var(--line); }
.results td b { font-size: 28px; font-weight: 600; letter-spacing: -.02em; line-height: 1.15; }
.results td b i { font-style: normal; font-size: 15px; font-weight: 500; margin-left: 2px; letter-spacing: 0; }
.results td span { font-size: 13px; color: var(--soft); margin-left: 8px; white-space: nowrap; }
b.random { color: var(--random); } b.start { color: var(--start); } b.trained { color: var(--trained); } b.oracle { color: var(--oracle); }
.bar { display: block; width: 100%; height: 14px; margin: 4px 0 3px; }
.bar .track { fill: var(--track); } .bar .fill { fill: currentColor; opacity: .38; }
.bar .whisker { stroke: currentColor; stroke-width: 1.6px; fill: none; vector-effect: non-scaling-stroke; }
.bar.random { color: var(--random); } .bar.start { color: var(--start); } .bar.trained { color: var(--trained); } .bar.oracle { color: var(--oracle); }
.plain { display: block; overflow-x: auto; border-collapse: collapse; margin: 18px 0 28px; font-size: 14.5px; } .plain th { text-align: left; font-weight: 550; color: var(--soft); } .plain th, .plain td { padding: 6px 18px 6px 0; border-bottom: 1px solid var(--line); white-space: nowrap; } .plain .long { white-space: normal; min-width: 200px; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(440px, 100%), 1fr)); gap: 20px; margin-top: 18px; }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 18px 18px 10px; }
figcaption { font-weight: 650; margin-bottom: 6px; }
figure svg { width: 100%; height: auto; overflow: visible; font-size: 12px; }
figure .grid { stroke: var(--line); } figure .base { stroke: var(--soft); opacity: .6; }
figure .tick, figure .axis { fill: var(--soft); } figure .name { font-weight: 600; font-size: 12.5px; }
figure .line { fill: none; stroke: currentColor; stroke-width: 2.2; stroke-linejoin: round; stroke-linecap: round; }
figure .line.main { stroke-width: 3.6; } figure .line.back { stroke-width: 1.6; } figure .back { opacity: .55; }
figure .band { fill: currentColor; opacity: .13; } figure .end { fill: currentColor; stroke: var(--card); stroke-width: 1.6; } figure .name { fill: currentColor; }
figure.wide { margin-top: 18px; } .sankey .flow { fill: currentColor; opacity: .26; } .sankey .flow:hover { opacity: .45; } .sankey .node { fill: currentColor; }
.sankey .label { font-size: 13px; font-weight: 600; fill: var(--ink); } .sankey .count { font-weight: 400; fill: var(--soft); }
.s0 { color: var(--trained); } .s1 { color: var(--start); } .s2 { color: var(--oracle); }
.s3 { color: light-dark(#be3a7a, #f472b6); } .s4 { color: light-dark(#2b6cb0, #60a5fa); } .s5 { color: light-dark(#6b7280, #a3a9b5); }
.strip { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 16px 18px 14px; break-inside: avoid-page; flex: 1 1 100%; min-width: 0; }
.strips { display: flex; flex-wrap: wrap; gap: 16px; }
.strip.short { flex: 1 1 440px; }
.strip.short ol { flex-wrap: nowrap; }
.strip.short li { min-width: 0; }
.strip header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 6px 12px; margin-bottom: 14px; }
.strip q { font-size: 17px; font-family: 'Iowan Old Style', Charter, Georgia, 'Liberation Serif', serif; quotes: '\\201C' '\\201D'; }
.strip .note { font-size: 13px; color: var(--soft); }
.chip, .badge { font-size: 12.5px; font-weight: 600; border-radius: 999px; padding: 1px 10px; white-space: nowrap; }
.chip { color: var(--chip); border: 1.5px solid var(--chip); }
.chip.random { --chip: var(--random); } .chip.start { --chip: var(--start); } .chip.trained { --chip: var(--trained); } .chip.oracle { --chip: var(--oracle); }
.badge { margin-left: auto; } .badge.good { color: var(--good); background: color-mix(in srgb, var(--good) 13%, transparent); } .badge.bad { color: var(--bad); background: color-mix(in srgb, var(--bad) 12%, transparent); }
.strip ol { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 18px 14px; }
.strip li { max-width: 100%; }
.strip svg { display: block; width: 100%; height: auto; border-radius: 9px; overflow: hidden; outline: 1px solid light-dark(rgb(0 0 0 / .12), rgb(255 255 255 / .14)); background: #fff; }
.strip p { font-size: 13px; line-height: 1.35; color: var(--soft); margin: 8px 2px 0; overflow-wrap: anywhere; }
.strip p b { color: var(--ink); margin-right: 7px; font-weight: 650; }
${pointerStyle}
.films { margin: 0 0 16px; } .films figcaption { display: flex; align-items: baseline; gap: 12px; font-weight: 400; } .films q { font-size: 17px; font-family: 'Iowan Old Style', Charter, Georgia, 'Liberation Serif', serif; }
.films label { margin-left: auto; font-size: 12.5px; color: var(--soft); cursor: pointer; }
.films > div { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 18px; } .film header { display: flex; margin: 8px 0; }
.film svg { display: block; width: 100%; height: auto; border-radius: 9px; overflow: hidden; outline: 1px solid light-dark(rgb(0 0 0 / .12), rgb(255 255 255 / .14)); background: #fff; }
.moment { visibility: hidden; } .films:has(:checked) .moment { animation-play-state: paused !important; }
@media (prefers-reduced-motion: reduce) { .moment { animation: none !important; } .moment:last-child { visibility: visible; } .films label { display: none; } }
summary { cursor: pointer; font-size: 13px; color: var(--soft); } details[open] summary { margin-bottom: 12px; }
.notes { padding-left: 20px; max-width: 76ch; } .notes li { margin-bottom: 6px; }
.settings { columns: 2; column-gap: 48px; margin-top: 12px; font-size: 14px; }
.settings div { display: flex; gap: 16px; justify-content: space-between; border-bottom: 1px solid var(--line); padding: 5px 0; break-inside: avoid; }
.settings dt { color: var(--soft); } .settings dd { margin: 0; text-align: right; overflow-wrap: anywhere; }
@media (max-width: 760px) {
  main { padding: 24px 16px 60px; } .settings { columns: 1; }
  .results, .results tbody, .results tr { display: block; } .results thead { display: none; }
  .results tbody th { display: block; width: auto; padding-bottom: 4px; border: 0; }
  .results tbody tr { display: grid; grid-template-columns: 1fr 1fr; border-top: 1px solid var(--line); } .results tbody tr > * { border: 0 !important; }
  .results tbody th { grid-column: 1 / -1; } .results td { width: auto; }
}
@media print { .theme, .films label { display: none; } .moment { animation: none !important; } .moment:last-child { visibility: visible; } body { background: #fff; } }
`);
