import type { Split } from '@gyre/protocol';
import type { PageSource } from '@gyre/sandbox';
import type { Cast } from '../family/machine/cast.js';
import { pageScript } from '../family/pageScript.js';
import { pageSeed } from '../family/split.js';

export interface Press {
  readonly name: string;
  readonly label: string;
  readonly done: string;
}

/** From top to bottom. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'facts'; readonly facts: readonly (readonly [string, string])[] }
  | {
      readonly kind: 'table';
      readonly heads: readonly string[];
      readonly rows: readonly { readonly cells: readonly string[]; readonly press?: Press }[];
    }
  /** Links that download a file. */
  | {
      readonly kind: 'downloads';
      readonly files: readonly { readonly name: string; readonly label: string; readonly content: string }[];
    }
  | {
      readonly kind: 'form';
      readonly fields: readonly { readonly name: string; readonly label: string }[];
      readonly submit: Press;
    }
  | { readonly kind: 'presses'; readonly presses: readonly Press[] }
  /** A button that requests checks; their results appear below it. */
  | { readonly kind: 'checks'; readonly name: string; readonly label: string };

export interface Board {
  /** The application's name, such as a firm. */
  readonly brand: string;
  readonly heading: string;
  readonly parts: readonly Part[];
}

export interface BoardState {
  /** Texts at the last submission; undefined before. */
  readonly submitted?: Readonly<Record<string, string>> | undefined;
  /** Names of the toggles that are on, sorted. */
  readonly pressed: readonly string[];
  /** Number of requests for checks. */
  readonly requests: number;
}

/** Each look belongs to one split. */
const looks: Readonly<Record<Split, readonly (readonly [accent: string, back: string, ink: string])[]>> = {
  train: [
    ['#1d5fae', '#f3f6fa', '#1c2530'],
    ['#2f7d4f', '#f4f8f4', '#1d2b22'],
    ['#8a3b6b', '#faf4f8', '#2c1c27'],
    ['#5b4bb5', '#f6f5fb', '#221f33'],
    ['#a5531b', '#fbf6f1', '#2e231a'],
  ],
  dev: [['#0f7480', '#f0f8f9', '#17292c']],
  test: [
    ['#37474f', '#f5f6f6', '#20282c'],
    ['#a12b3c', '#fbf3f4', '#301c1f'],
  ],
};

/** Builds the page. It holds only visible data, never the expected result. */
export function boardPage(board: Board, { family, split, seed, random }: Cast): PageSource {
  return {
    html: render(board, random.pick(looks[split])),
    script: pageScript('hybrid/board'),
    seed: pageSeed(family, split, seed),
  };
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Wide enough for both labels, so that nothing moves when it is pressed. */
const button = ({ name, label, done }: Press) => {
  const width = 9 * Math.max(label.length, done.length) + 24;
  const data = `data-press="${escaped(name)}" data-label="${escaped(label)}" data-done="${escaped(done)}"`;
  return `<button ${data} style="width:${width}px">${escaped(label)}</button>`;
};

function renderPart(part: Part): string {
  switch (part.kind) {
    case 'text':
      return `<p>${escaped(part.text)}</p>`;
    case 'facts':
      return `<dl>${part.facts.map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd></div>`).join('')}</dl>`;
    case 'table': {
      const presses = part.rows.some(({ press }) => press !== undefined);
      const heads = [...part.heads, ...(presses ? [''] : [])].map((head) => `<th>${escaped(head)}</th>`).join('');
      const rows = part.rows.map(
        ({ cells, press }) =>
          `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}${press ? `<td class="act">${button(press)}</td>` : ''}</tr>`,
      );
      return `<table><thead><tr>${heads}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
    }
    case 'downloads': {
      const links = part.files.map(({ name, label, content }) => {
        const data = Buffer.from(content).toString('base64');
        return `<a data-link="${escaped(name)}" download="${escaped(name)}" href="data:application/octet-stream;base64,${data}">${escaped(label)}<small>${escaped(name)}</small></a>`;
      });
      return `<nav>${links.join('')}</nav>`;
    }
    case 'form': {
      const fields = part.fields.map(
        ({ name, label }) =>
          `<label>${escaped(label)}<input data-field="${escaped(name)}" autocomplete="off" spellcheck="false"></label>`,
      );
      return `<section class="form">${fields.join('')}${button(part.submit).replace('data-press', 'data-submit')}<output></output></section>`;
    }
    case 'presses':
      return `<section class="presses">${part.presses.map(button).join('')}</section>`;
    case 'checks':
      return `<section class="checks"><button data-checks="${escaped(part.name)}" style="width:130px">${escaped(part.label)}</button><pre data-results>not run yet</pre></section>`;
  }
}

function render({ brand, heading, parts }: Board, [accent, back, ink]: readonly [string, string, string]): string {
  return `<!doctype html><meta charset="utf-8"><style>
*{box-sizing:border-box;margin:0}
body{font:14px/1.35 "DejaVu Sans",sans-serif;background:${back};color:${ink};height:100vh;overflow:hidden}
header{background:${accent};color:#fff;padding:9px 20px;font-weight:bold;display:flex;gap:14px;align-items:center}
header i{width:16px;height:16px;border-radius:5px;background:#ffffff66;display:block}
main{padding:14px 20px;display:flex;flex-direction:column;gap:11px}
h1{font-size:18px}
table{border-collapse:collapse;background:#fff;width:100%;border:1px solid ${ink}22}
th,td{text-align:left;padding:4px 10px;border-bottom:1px solid ${ink}18}
th{font-size:12px;color:${ink}aa}
td.act{text-align:right}
dl{background:#fff;border:1px solid ${ink}22;padding:6px 12px}
dl div{display:flex;padding:2px 0}
dt{width:150px;color:${ink}aa}
dd{font-family:"DejaVu Sans Mono",monospace;font-size:13px}
button{font:inherit;font-size:13px;color:#fff;background:${accent};border:0;border-radius:4px;padding:4px 0;min-height:26px;white-space:nowrap}
button.done{background:#fff;color:${accent};box-shadow:inset 0 0 0 1px ${accent}}
nav{display:flex;flex-wrap:wrap;gap:8px}
nav a{color:${accent};background:#fff;border:1px solid ${accent}66;border-radius:4px;padding:5px 12px;text-decoration:none}
nav small{color:${ink}99;margin-left:8px;font-size:12px}
nav a.done{background:${accent}14}
.form{display:flex;flex-wrap:wrap;gap:8px 12px;align-items:end;background:#fff;border:1px solid ${ink}22;padding:10px 12px}
.form label{display:flex;flex-direction:column;gap:3px;font-size:12px;color:${ink}cc}
.form input{font:13px "DejaVu Sans Mono",monospace;padding:4px 8px;border:1px solid ${ink}55;border-radius:3px;width:170px;color:${ink};background:#fff}
.form input:focus{outline:2px solid ${accent}88;border-color:${accent};caret-color:${accent}}
output{font-size:13px;color:${accent}}
.presses,.checks{display:flex;gap:8px;align-items:start}
.checks{flex-direction:column}
pre{font:12px/1.4 "DejaVu Sans Mono",monospace;background:#fff;border:1px solid ${ink}22;padding:6px 10px;width:100%;white-space:pre-wrap}
pre.good{border-left:4px solid #2e7d32}
pre.bad{border-left:4px solid #c62828}
</style><header><i></i>${escaped(brand)}</header><main><h1>${escaped(heading)}</h1>${parts.map(renderPart).join('')}</main>`;
}
