import { Violation } from './violation.js';

/** Chromium nests up to 300 deep; far more would overflow the stack. */
export const maxDepth = 500;

/** Throws `Violation` for invalid or too deep JSON. The size must be bounded already. */
export function parseJson(text: string): unknown {
  if (!isShallow(text)) throw new Violation(`sent JSON nested more than ${maxDepth} levels deep`);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new Violation(`sent invalid JSON: ${JSON.stringify(text.slice(0, 80))}`, { cause });
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** Skips strings natively, so that images cost next to nothing. */
function isShallow(text: string): boolean {
  if (text.length <= maxDepth) return true;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case quote:
        index = endOfString(text, index);
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > maxDepth) return false;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
    }
  }
  return true;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
