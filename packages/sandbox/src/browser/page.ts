import { pageProgram } from './pageProgram.js';

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

/**
 * Where every page source is shown. The browser never asks the network for it: the tab answers. Measured, a document is open
 * this way in two thirds of the time that it takes as a `data:` URL, and it may be longer than a URL.
 */
export const documentUrl = 'http://page.gyre.invalid/';

/** The answer to a request for the document, for `Fetch.fulfillRequest`. */
export function documentResponse(html: string): Readonly<Record<string, unknown>> {
  const headers = {
    'Content-Type': 'text/html;charset=utf-8',
    'Cache-Control': 'no-store',
    // Without allow-same-origin the document has an origin of its own, so nothing that it stores outlives it.
    'Content-Security-Policy':
      'sandbox allow-scripts allow-forms allow-modals allow-popups allow-downloads allow-top-navigation',
  };
  return {
    responseCode: 200,
    responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
    body: Buffer.from(html).toString('base64'),
  };
}

/** Where the isolated world keeps what `script` threw. */
export const failureName = '__gyreFailure';

/** Where the isolated world says whether the document has seen a frame. */
export const firstFrameName = '__gyreFirstFrame';

/** Notes the document's first frame. It must come before the clock, which has animation frames of its own. */
export const firstFrameScript = `
globalThis.${firstFrameName} = false;
requestAnimationFrame(() => { globalThis.${firstFrameName} = true; });`;

/** Returns a script that calls `script` with `argument` once the document is parsed, and stores its exception for `Session.open`. */
export function parsedScript({ script }: PageSource): string {
  if (script === undefined) return '';
  const program = pageProgram(new URL('./page/parsed.page.bundle', import.meta.url));
  return `(${program})({ script: ${script}, argument, failureName: ${JSON.stringify(failureName)} });`;
}
