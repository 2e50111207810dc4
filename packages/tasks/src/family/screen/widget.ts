import type { Element, TaskElementKind } from './element.js';
import { shapePaths } from './element.js';
import { type Face, fontStack } from './face.js';
import { colours } from './theme.js';

/** Labels contain only a..z and spaces, so they need no escaping. */
export interface Widget extends Element {
  readonly kind: TaskElementKind;
  readonly face: Face;
  readonly look: Look;
  readonly focused?: boolean;
}

export type Look =
  | 'solid'
  | 'outline'
  | 'soft'
  | 'coloured'
  /** For shapes: alone, or on a quiet key. */
  | 'bare'
  | 'key'
  /** For checkboxes and radios: a mark and words, framed, or framed words only. */
  | 'mark'
  | 'framed'
  | 'pill'
  | 'box'
  | 'line'
  | 'title'
  | 'bar'
  | 'muted';

/** Renders a widget; `control` is its number for the page script. */
export function renderWidget(widget: Widget, control?: number): string {
  const { kind, look, label, box, face } = widget;
  const style = [
    `left:${box.x}px;top:${box.y}px;width:${box.width}px;height:${box.height}px`,
    `font:${face.weight} ${face.size}px/1.1 ${fontStack(face.family)}`,
  ];
  const number = control === undefined ? '' : ` data-control="${control}"`;
  const open = (tag: string, attributes = '') =>
    `<${tag} class="widget ${kind} ${look}${widget.focused ? ' focused' : ''}"${number}${attributes} style="${style.join(';')}">`;
  switch (kind) {
    case 'button':
      if (widget.colour) {
        const { fill, on } = colours[widget.colour];
        style.push(`background-color:${fill};color:${on}`);
      }
      return `${open('button')}<span>${label}</span></button>`;
    case 'shape': {
      const fill = widget.colour ? colours[widget.colour].fill : 'currentColor';
      const path = widget.shape ? shapePaths[widget.shape] : '';
      return `${open('button')}<svg viewBox="0 0 24 24"><path d="${path}" fill="${fill}"/></svg></button>`;
    }
    case 'checkbox':
    case 'radio':
      return `${open('button', ` role="${kind}" aria-checked="${widget.checked ?? false}"`)}<i></i><span>${label}</span></button>`;
    case 'field':
      return `${open('div', ' role="textbox" contenteditable="plaintext-only" spellcheck="false"')}${label}</div>`;
    case 'text':
    case 'tile':
      return `${open('div')}<span>${label}</span></div>`;
  }
}
