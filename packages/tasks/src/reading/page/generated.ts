import { drawnWords } from './drawnText.js';
import { type Visibility, paddingBox } from './visibility.js';
import type { WordCutter } from './wordCutter.js';

interface GeneratedRule {
  readonly selector: string;
  readonly pseudo: '::before' | '::after';
}

/** Cached: the sheets of a document do not change. */
let known: readonly GeneratedRule[] | undefined;

/** Adds text that style sheets generate with `content`. */
export function addGenerated(visibility: Visibility, cutter: WordCutter): void {
  known ??= [...document.styleSheets].flatMap(rulesOf);
  for (const { selector, pseudo } of known) {
    for (const element of document.querySelectorAll(selector)) {
      const style = getComputedStyle(element, pseudo);
      const text = contentOf(style.content, element);
      const surface = text === '' ? undefined : visibility.surfaceOf(element);
      if (!surface) continue;
      const fontSize = Number.parseFloat(style.fontSize);
      const box = paddingBox(element);
      const [x, top] = [box.left + pixels(style.left), box.top + pixels(style.top)];
      const start = { x, middle: top + (pixels(style.height) || 1.2 * fontSize) / 2 };
      const generated = { ...surface, style, fontSize };
      for (const word of drawnWords(text, start, generated)) cutter.add(word, element, generated);
    }
  }
}

const pixels = (length: string): number => Number.parseFloat(length) || 0;

function rulesOf(sheet: CSSStyleSheet): GeneratedRule[] {
  let rules: CSSRule[];
  try {
    rules = [...sheet.cssRules];
  } catch {
    // Sheets of other origins cannot be read.
    return [];
  }
  return rules.flatMap((rule) => {
    if (!(rule instanceof CSSStyleRule) || !/attr\(|["'][^"']/.test(rule.style.content)) return [];
    return rule.selectorText.split(',').flatMap((selector): GeneratedRule[] => {
      const [, plain, pseudo] = /^(.*?)::?(before|after)$/.exec(selector.trim()) ?? [];
      if (pseudo === undefined) return [];
      return [{ selector: plain === '' ? '*' : (plain ?? '*'), pseudo: pseudo === 'before' ? '::before' : '::after' }];
    });
  });
}

/** Reads a computed `content`, whose `attr()` the browser may leave unresolved. */
function contentOf(content: string, element: Element): string {
  const parts = content.matchAll(/attr\(([\w-]+)\)|"((?:[^"\\]|\\.)*)"/g);
  return [...parts].map(([, name, text]) => (name === undefined ? text : element.getAttribute(name)) ?? '').join('');
}
