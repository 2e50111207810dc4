import type { Size } from '@gyre/protocol';
import type { Picture } from './tab.js';

/**
 * Source of an expression that says whether Chromium has begun to draw the document. It waits for the body and for style sheets, imports
 * and scripts that block rendering. A resource that has ended, well or not, has an entry.
 */
export const isDrawnExpression = String.raw`(() => {
  const root = document.documentElement;
  if (document.body === null && (root === null || root.namespaceURI === 'http://www.w3.org/1999/xhtml')) return false;
  const ended = (url) => performance.getEntriesByName(url, 'resource').length > 0;
  const isPending = ({ href, sheet, disabled, media, rel }) =>
    sheet === null && !disabled && !/\balternate\b/i.test(rel) && (media === '' || matchMedia(media).matches) && href !== '' && !ended(href);
  const imports = (sheet) => {
    try {
      return [...sheet.cssRules].some((rule) => rule instanceof CSSImportRule && (rule.styleSheet === null ? !ended(new URL(rule.href, sheet.href ?? document.baseURI).href) : imports(rule.styleSheet)));
    } catch {
      return false;
    }
  };
  if ([...document.querySelectorAll('head link[rel~=stylesheet i]')].some(isPending)) return false;
  if ([...document.styleSheets].some(imports)) return false;
  return ![...document.querySelectorAll('head script[blocking~=render i][src]')].some(({ src }) => !ended(src));
})()`;

/** Returns what the screen shows of a document that is not drawn yet: white, as in every browser. */
export async function blankPicture({ width, height }: Size, { format, quality }: Picture): Promise<Uint8Array> {
  // It is slow to load, and few sessions need it.
  const { default: sharp } = await import('sharp');
  const white = sharp({ create: { width, height, channels: 3, background: '#fff' } });
  return format === 'png' ? white.png().toBuffer() : white.jpeg({ quality }).toBuffer();
}
