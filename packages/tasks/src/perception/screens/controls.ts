import { shapePaths } from '../../family/screen/element.js';
import { type Draft, type Kit, classes, escape, tag } from './kit.js';

export type ButtonStyle = 'solid' | 'edged' | 'quiet' | 'plain';
export const buttonStyles: readonly ButtonStyle[] = ['solid', 'edged', 'quiet', 'plain'];

const fillOf = (kit: Kit, draft: Draft): string => {
  if (!draft.colour) return '';
  const { fill, on } = kit.look.named[draft.colour];
  return ` style="background:${fill};color:${on};border-color:rgba(0,0,0,.2)"`;
};

export const button = (kit: Kit, draft: Draft, dress: ButtonStyle, more = ''): string =>
  `<div${classes('btn', dress, draft.disabled && 'off', draft.label === '' && 'bare', more)}${tag(draft)}${fillOf(kit, draft)}>` +
  `${kit.icon(draft.icon)}${draft.label ? `<span>${escape(draft.label)}</span>` : ''}</div>`;

export const choice = (kit: Kit, draft: Draft, more = ''): string =>
  `<div${classes('choice', draft.disabled && 'off', more)}${tag(draft)}>` +
  `<i${classes('tickbox', draft.kind, kit.look.ticks, draft.checked && 'yes')}></i>` +
  `${draft.label ? `<span>${escape(draft.label)}</span>` : ''}</div>`;

export const toggle = (draft: Draft): string =>
  `<i${classes('switch', draft.checked && 'yes', draft.disabled && 'off')}${tag(draft)}></i>`;

export function input(kit: Kit, draft: Draft, width?: number): string {
  const words = draft.label ? escape(draft.label) : draft.hint ? `<em>${escape(draft.hint)}</em>` : '';
  const caret = draft.focused ? '<b class="caret"></b>' : '';
  const style = width === undefined ? '' : ` style="width:${width}em"`;
  return (
    `<div${classes('input', 'clip', kit.look.fields, draft.kind !== 'field' && draft.kind, draft.focused && 'focused', draft.disabled && 'off')}${tag(draft)}${style}>` +
    `${kit.icon(draft.icon)}<span>${draft.label ? words + caret : caret + words}</span>` +
    `${draft.kind === 'select' ? '<i class="down"></i>' : ''}</div>`
  );
}

export const stepper = (kit: Kit, draft: Draft, less: Draft, more: Draft): string =>
  `<div class="stepper">${key(kit, less)}<div class="count"${tag(draft)}><span>${escape(draft.label)}</span></div>${key(kit, more)}</div>`;

const key = (kit: Kit, draft: Draft): string => `<div class="key-cap"${tag(draft)}>${kit.icon(draft.icon)}</div>`;

export const slider = (draft: Draft): string =>
  `<div class="slider"${tag(draft)}><i class="track"><i style="width:${draft.value}%"></i></i><i class="knob" style="left:${draft.value}%"></i></div>`;

export const progress = (kit: Kit, draft: Draft): string =>
  `<div class="progress"${tag(draft)}><i style="width:${draft.value}%${draft.colour ? `;background:${kit.look.named[draft.colour].fill}` : ''}"></i></div>`;

/** Renders a shape `side` em wide. */
export const shape = (kit: Kit, draft: Draft, side: number): string =>
  `<div class="figure"${tag(draft)} style="width:${side}em;height:${side}em"><svg viewBox="0 0 24 24">` +
  `<path d="${draft.shape ? shapePaths[draft.shape] : ''}" fill="${draft.colour ? kit.look.named[draft.colour].fill : 'currentColor'}"/></svg></div>`;

export const pill = (kit: Kit, draft: Draft, inner = ''): string =>
  `<div${classes(draft.kind, draft.current && 'yes')}${tag(draft)}${fillOf(kit, draft)}>` +
  `${kit.icon(draft.icon)}<span>${escape(draft.label)}</span>${inner}</div>`;

export const words = (draft: Draft, ...names: readonly (string | false)[]): string =>
  `<div${classes('words', ...names)}${tag(draft)}>${escape(draft.label)}</div>`;
