/** Colours of the report and the studio, by the system's light or dark scheme. */
export const tokens = `:root {
  color-scheme: light dark;
  --paper: light-dark(#fbfaf7, #14161a);
  --card: light-dark(#ffffff, #1b1e24);
  --ink: light-dark(#1d1f23, #eceae4);
  --soft: light-dark(#676a70, #9a9ca3);
  --line: light-dark(#e5e2da, #2c3038);
  --edge: light-dark(#8d8a82, #6b7079);
  --track: light-dark(#efece5, #2a2e36);
  --random: light-dark(#8d9097, #858a94);
  --start: light-dark(#d9822b, #f0a04b);
  --trained: light-dark(#0f766e, #2dd4bf);
  --oracle: light-dark(#6d5bd0, #a99bf5);
  --good: light-dark(#166b34, #4ade80);
  --bad: light-dark(#b91c1c, #f87171);
  --mark: #ff2d6f;
}`;

/** Marks of actions on a screen, as `pointer` draws them. */
export const pointerStyle = `.pointer path, .pointer circle { fill: none; stroke-linecap: round; stroke-linejoin: round; }
.pointer .halo { stroke: #fff; opacity: .8; } .pointer .line { stroke: var(--mark); } .pointer .glow { fill: var(--mark); fill-opacity: .08; } .pointer .dot { fill: var(--mark); }
.pointer .tag { fill: var(--mark); stroke: #fff; paint-order: stroke; font-weight: 700; font-family: 'DejaVu Sans Mono', ui-monospace, monospace; }
.keycap .side { fill: #14161a; opacity: .85; } .keycap .top { fill: #fdfdfd; stroke: #14161a; }
.keycap text { fill: #14161a; font-family: 'DejaVu Sans Mono', ui-monospace, Menlo, monospace; font-weight: 600; text-anchor: middle; dominant-baseline: central; }`;
