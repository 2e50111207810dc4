import { html, type Markup } from '../markup.js';

export interface SankeyLink {
  readonly from: string;
  readonly to: string;
  readonly n: number;
  /** Leads to what flows. */
  readonly href?: string;
}

/** Links connect adjacent columns. */
export interface Sankey {
  readonly columns: readonly (readonly string[])[];
  readonly links: readonly SankeyLink[];
  /** CSS colours of nodes and their inflows. */
  readonly colours?: Readonly<Record<string, string>>;
}

const size = { width: 1040, height: 320 };
const plot = { left: 4, right: 1036, top: 26, bottom: 312 };
const nodeWidth = 12;
/** In px. */
const gap = 30;
/** In px. */
const minHeight = 1.5;

interface Node {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly height: number;
  readonly n: number;
  readonly side: 'left' | 'right';
}

/** Omits nodes without flow. */
export function sankey({ columns, links, colours = {} }: Sankey): Markup {
  const some = links.filter(({ n }) => n > 0);
  const through = (name: string): number => {
    const sum = (side: 'from' | 'to') => some.reduce((total, link) => total + (link[side] === name ? link.n : 0), 0);
    return Math.max(sum('from'), sum('to'));
  };
  const filledColumns = columns
    .map((names) => names.filter((name) => through(name) > 0))
    .filter((names) => names.length > 0);
  const scale = Math.min(
    ...filledColumns.map((names) => {
      const total = names.reduce((sum, name) => sum + through(name), 0);
      return (plot.bottom - plot.top - gap * (names.length - 1)) / total;
    }),
  );
  const nodes = new Map<string, Node>();
  filledColumns.forEach((names, column) => {
    const isLast = column === filledColumns.length - 1;
    const x = plot.left + (column / Math.max(1, filledColumns.length - 1)) * (plot.right - plot.left - nodeWidth);
    let y = plot.top;
    for (const name of names) {
      const n = through(name);
      const height = Math.max(minHeight, n * scale);
      nodes.set(name, { name, x, y, height, n, side: isLast ? 'left' : 'right' });
      y += height + gap;
    }
  });
  const used = new Map<string, number>();
  const next = (end: string, height: number): number => {
    const offset = used.get(end) ?? 0;
    used.set(end, offset + height);
    return offset;
  };
  // Bands ordered like the nodes cross least.
  const place = [...nodes.keys()];
  const sorted = [...some].sort(
    (a, b) => place.indexOf(a.from) - place.indexOf(b.from) || place.indexOf(a.to) - place.indexOf(b.to),
  );
  const bands = sorted.map(({ from, to, n, href }) => {
    const [source, target] = [nodes.get(from), nodes.get(to)];
    if (!source || !target) return undefined;
    const height = n * scale;
    const [y0, y1] = [source.y + next(`from ${from}`, height), target.y + next(`to ${to}`, height)];
    const [x0, x1] = [source.x + nodeWidth, target.x];
    const middle = (x0 + x1) / 2;
    const path = `M${x0} ${r(y0)}C${middle} ${r(y0)} ${middle} ${r(y1)} ${x1} ${r(y1)}V${r(y1 + height)}C${middle} ${r(y1 + height)} ${middle} ${r(y0 + height)} ${x0} ${r(y0 + height)}Z`;
    const band = html`<path class="flow" d="${path}" color="${colourOf(to)}"
      ><title>${from} to ${to}: ${n}</title></path
    >`;
    return href === undefined
      ? band
      : html`<a href="${href}" aria-label="${n} episodes from ${from} to ${to}">${band}</a>`;
  });
  const marks = [...nodes.values()].map(({ name, x, y, height, n, side }) => {
    const label = side === 'right' ? { x, anchor: 'start' } : { x: x + nodeWidth, anchor: 'end' };
    return html`<rect
        class="node"
        x="${x}"
        y="${y}"
        width="${nodeWidth}"
        height="${height}"
        color="${colourOf(name)}"
      /><text class="label" x="${label.x}" y="${y - 8}" text-anchor="${label.anchor}"
        >${name} <tspan class="count">${n}</tspan></text
      >`;
  });
  function colourOf(name: string): string {
    return colours[name] ?? 'var(--soft)';
  }
  return html`<svg
    class="sankey"
    viewBox="0 0 ${size.width} ${size.height}"
    role="${some.some(({ href }) => href !== undefined) ? 'group' : 'img'}"
    aria-label="Episodes by origin, verdict and pool"
  >
    ${bands}${marks}
  </svg>`;
}

const r = (value: number) => Math.round(value * 10) / 10;
