import { widthOf } from './advances.js';
import { type LineStart, drawnWords, wrapped } from './drawnText.js';
import { type Rect, type TextSurface, type Visibility, paddingBox } from './visibility.js';
import type { WordCutter } from './wordCutter.js';

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const textless = new Set(['checkbox', 'radio', 'range', 'color', 'hidden', 'image', 'file']);
const pressed = new Set(['button', 'submit', 'reset']);

/** Adds the values or placeholders of the page's fields. */
export function addFields(visibility: Visibility, cutter: WordCutter): void {
  for (const field of document.querySelectorAll<Field>('input,textarea,select')) {
    const text = textOf(field);
    if (text.trim() === '') continue;
    const outer = visibility.surfaceOf(field);
    if (!outer) continue;
    const box = paddingBox(field);
    const clip: Rect = {
      left: Math.max(outer.clip.left, box.left),
      top: Math.max(outer.clip.top, box.top),
      right: Math.min(outer.clip.right, box.right),
      bottom: Math.min(outer.clip.bottom, box.bottom),
    };
    const surface = { ...outer, clip };
    for (const [line, start] of placedLines(field, text, surface, box)) {
      for (const word of drawnWords(line, start, surface)) cutter.add(word, field, surface);
    }
  }
}

function textOf(field: Field): string {
  if (field instanceof HTMLSelectElement) return field.selectedOptions[0]?.label ?? '';
  if (textless.has(field.type)) return '';
  if (field.value === '') return field.placeholder;
  return field.type === 'password' ? '•'.repeat(field.value.length) : field.value;
}

type PlacedLine = [line: string, start: LineStart];

function placedLines(field: Field, text: string, surface: TextSurface, box: Rect): PlacedLine[] {
  const { style, fontSize } = surface;
  const [before, after] = [Number.parseFloat(style.paddingLeft), Number.parseFloat(style.paddingRight)];
  const [left, right] = [box.left + before - field.scrollLeft, box.right - after];
  if (field instanceof HTMLTextAreaElement) {
    const lineHeight = Number.parseFloat(style.lineHeight) || 1.2 * fontSize;
    const top = box.top + Number.parseFloat(style.paddingTop) - field.scrollTop;
    return wrapped(text, right - left, surface).map((line, index) => [
      line,
      { x: left, middle: top + (index + 0.5) * lineHeight },
    ]);
  }
  const isButton = field instanceof HTMLInputElement && pressed.has(field.type);
  const room = right - left - widthOf(text, surface);
  const across = isButton || style.textAlign === 'center' ? 0.5 : /^(?:right|end)$/.test(style.textAlign) ? 1 : 0;
  return [[text, { x: left + Math.max(0, room) * across, middle: (box.top + box.bottom) / 2 }]];
}
