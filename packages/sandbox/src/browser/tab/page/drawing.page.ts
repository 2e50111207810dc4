/**
 * Returns whether Chromium has begun to draw. It waits for the body and render-blocking style sheets, imports and
 * scripts. Finished and failed resources have a performance entry.
 */
export default function isDrawn(): boolean {
  const root = document.documentElement as Element | null;
  const isHtml = root === null || root.namespaceURI === 'http://www.w3.org/1999/xhtml';
  if ((document.body as Element | null) === null && isHtml) return false;
  if ([...document.querySelectorAll<HTMLLinkElement>('head link[rel~=stylesheet i]')].some(isPending)) return false;
  if ([...document.styleSheets].some(hasPendingImport)) return false;
  const scripts = document.querySelectorAll<HTMLScriptElement>('head script[blocking~=render i][src]');
  return [...scripts].every(({ src }) => hasEnded(src));
}

function hasEnded(url: string): boolean {
  return performance.getEntriesByName(url, 'resource').length > 0;
}

function isPending({ href, sheet, disabled, media, rel }: HTMLLinkElement): boolean {
  if (sheet !== null || disabled || href === '' || /\balternate\b/i.test(rel)) return false;
  return (media === '' || matchMedia(media).matches) && !hasEnded(href);
}

function hasPendingImport(sheet: CSSStyleSheet): boolean {
  try {
    return [...sheet.cssRules].some((rule) => {
      if (!(rule instanceof CSSImportRule)) return false;
      if (rule.styleSheet !== null) return hasPendingImport(rule.styleSheet);
      return !hasEnded(new URL(rule.href, sheet.href ?? document.baseURI).href);
    });
  } catch {
    // Cross-origin sheets hide their rules.
    return false;
  }
}
