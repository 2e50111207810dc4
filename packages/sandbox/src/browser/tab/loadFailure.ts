import { shownText } from '@gyre/protocol';

export interface LoadFailure {
  readonly url: string;
  readonly error: string;
  /** Set if gyre refused it. */
  readonly why?: string | undefined;
}

const longest = 200;

/** Makes text from a page printable and short. */
export function displayText(text: string): string {
  const printable = shownText(text);
  return printable.length > longest ? `${printable.slice(0, longest)}…` : printable;
}

export function failureText({ url, error, why }: LoadFailure): string {
  return `${displayText(url)} did not load: ${error}${why === undefined ? '' : ` (${displayText(why)})`}`;
}

const meanings: Readonly<Record<string, string>> = {
  'net::ERR_NAME_NOT_RESOLVED': 'The host name cannot be resolved.',
  'net::ERR_CONNECTION_REFUSED': 'No server listens on this port.',
  'net::ERR_CONNECTION_RESET': 'The server closed the connection.',
  'net::ERR_EMPTY_RESPONSE': 'The server sent an empty response.',
  'net::ERR_TOO_MANY_REDIRECTS': 'The server redirected too many times.',
  'net::ERR_UNSAFE_PORT': 'Browsers block this port.',
  'net::ERR_TUNNEL_CONNECTION_FAILED': 'The network of the session does not reach this host.',
  'net::ERR_HTTP_RESPONSE_CODE_FAILURE': 'The server sent an error without a page.',
};

/** Returns an error page. Equal failures give equal pixels. */
export function failurePage({ url, error, why }: LoadFailure): string {
  const meaning = error.startsWith('net::ERR_CERT_')
    ? 'The certificate of the server is not valid.'
    : (meanings[error] ?? 'The page cannot be reached.');
  const lines = [meaning, ...(why === undefined ? [] : [displayText(why)])];
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(displayText(url))}</title>
<style>body{margin:40px;background:#fff;color:#222;font:15px/22px 'DejaVu Sans',sans-serif;overflow-wrap:anywhere}h1{font-size:20px;line-height:28px}code{color:#666}</style>
<h1>This page did not load</h1><p>${escaped(displayText(url))}</p>${lines.map((line) => `<p>${escaped(line)}</p>`).join('')}<p><code>${escaped(error)}</code></p></html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
