import { GyreError } from '@gyre/protocol';

/** What a session shows: a whole HTML document, plus code that runs out of the page's reach. */
export interface PageSource {
  readonly html: string;
  /** Source of a function `(argument) => void`. It is called in the isolated world once the document is parsed. */
  readonly script?: string;
  /** Anything that JSON can carry. */
  readonly argument?: unknown;
  /** Seeds Math.random and crypto.getRandomValues, separately for the page and for `script`. */
  readonly seed: number;
}

/** Chromium refuses longer URLs. */
const longestUrl = 2_000_000;

/** The document as a `data:` URL: it has an origin of its own, so nothing that it stores outlives it. Throws `bad_input` when too long. */
export function documentUrl(html: string): string {
  const url = `data:text/html;charset=utf-8;base64,${Buffer.from(html).toString('base64')}`;
  if (url.length > longestUrl) {
    throw new GyreError('bad_input', `the page has ${html.length} characters, which is more than a document may have`, {
      field: 'html',
      fix: 'keep the document below 1.4 MB',
    });
  }
  return url;
}

/** Where the isolated world keeps what `script` threw. */
export const failureName = '__gyreFailure';

/** Where the isolated world says whether the document has seen a frame. */
export const firstFrameName = '__gyreFirstFrame';

/** Notes the document's first frame. It must come before the clock, which has animation frames of its own. */
export const firstFrameScript = `
globalThis.${firstFrameName} = false;
requestAnimationFrame(() => { globalThis.${firstFrameName} = true; });`;

/** Calls `script` once the document is parsed, and keeps its exception for `Session.open`. */
export function parsedScript(page: PageSource): string {
  if (page.script === undefined) return '';
  const argument = JSON.stringify(page.argument) ?? 'undefined';
  return `
(() => {
  if (window !== window.top) return;
  const start = () => {
    try {
      (${page.script})(${argument});
    } catch (error) {
      globalThis.${failureName} = String(error?.stack ?? error);
    }
  };
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start, { once: true });
  else start();
})();`;
}
