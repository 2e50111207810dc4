import type { Point } from '@gyre/protocol';

/** A piece of an instruction: a quoted string, a word of one, or anything else. */
export interface InstructionToken {
  readonly text: string;
  readonly kind: 'plain' | 'quoted' | 'quotedWord';
  /** A place that the instruction names as `<point>x y</point>`, in thousandths of the screen. */
  readonly point?: Point;
}

export const maxInstructionTokens = 96;

const quotations = /"([^"]*)"|“([^”]*)”|「([^」]*)」|<point>\s*(\d+)\s+(\d+)\s*<\/point>/gu;
const words = /[\p{Script=Latin}\p{N}'@._%$¥€£:+\-/]+|\p{Script=Han}|[^\s]/gu;

/** Splits an instruction. A quoted string is one token, followed by its words if there are several. */
export function instructionTokens(instruction: string): InstructionToken[] {
  const tokens: InstructionToken[] = [];
  const plain = (part: string): void => {
    for (const [text] of part.matchAll(words)) if (!/^[,.:;]$/.test(text)) tokens.push({ text, kind: 'plain' });
  };
  let from = 0;
  for (const match of instruction.matchAll(quotations)) {
    plain(instruction.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[4] !== undefined) {
      const share = (thousandths = ''): number => Math.min(1, Number(thousandths) / 1000);
      tokens.push({ text: '', kind: 'plain', point: { x: share(match[4]), y: share(match[5]) } });
      continue;
    }
    const text = match[1] ?? match[2] ?? match[3] ?? '';
    if (text === '') continue;
    tokens.push({ text, kind: 'quoted' });
    const parts = text.split(/[\s+]+/u).filter((part) => part !== '');
    if (parts.length > 1 && parts.length <= 4) {
      for (const part of parts) tokens.push({ text: part, kind: 'quotedWord' });
    }
  }
  plain(instruction.slice(from));
  return tokens.slice(0, maxInstructionTokens);
}
