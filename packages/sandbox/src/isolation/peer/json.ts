import { Violation } from './violation.js';

/** Arrays and objects within each other. Chromium writes 300 at most; far more overflow the stack of whatever walks them. */
export const mostDepth = 500;

/** Parses JSON of a peer, whose size has been bounded before. Throws `Violation` for what is none, and for what is nested too deeply. */
export function parseJson(text: string): unknown {
  if (!isShallow(text)) throw new Violation(`sent JSON that is nested more than ${mostDepth} deep`);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new Violation(`sent what is not JSON: ${JSON.stringify(text.slice(0, 80))}`, { cause });
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** Whether nothing is nested more than `mostDepth` deep. Strings are skipped by a native search: pictures cost next to nothing. */
function isShallow(text: string): boolean {
  if (text.length <= mostDepth) return true;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at);
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > mostDepth) return false;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
    }
  }
  return true;
}

/** Index of the quote that ends the string which begins at `start`; the length of the text where none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
