import { pageProgram } from './pageProgram.js';

/** The content of a page: an HTML document, and code in an isolated world that the page cannot reach. */
export interface PageSource {
  readonly html: string;
  /** Source of a function `(argument) => void`. It is called in the isolated world once the document is parsed. */
  readonly script?: string;
  /** Anything that JSON can carry. */
  readonly argument?: unknown;
  /** Seeds Math.random and crypto.getRandomValues, separately for the page and for `script`. */
  readonly seed: number;
}

/** The address of every page source, which the tab answers itself. Faster than a `data:` URL, and not limited in length. */
export const documentUrl = 'http://page.gyre.invalid/';

/** Returns the response with the document, for `Fetch.fulfillRequest`. */
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

/** Names the global of the isolated world with the exception of `script`. */
export const failureName = '__gyreFailure';

/** Names the global of the isolated world that tells whether the document has seen a frame. */
export const firstFrameName = '__gyreFirstFrame';

/** Notes the document's first frame. Must precede the clock, which has its own animation frames. */
export const firstFrameScript = `
globalThis.${firstFrameName} = false;
requestAnimationFrame(() => { globalThis.${firstFrameName} = true; });`;

/** Returns a script that calls `script` with `argument` once the document is parsed, and stores its exception for `Session.open`. */
export function parsedScript({ script }: PageSource): string {
  if (script === undefined) return '';
  const program = pageProgram(new URL('./page/parsed.page.bundle', import.meta.url));
  return `(${program})({ script: ${script}, argument, failureName: ${JSON.stringify(failureName)} });`;
}
