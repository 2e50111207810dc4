import type { Point } from '@gyre/protocol';

/** A piece of an instruction: a quoted string, a word of one, a name or number without quotes, or anything else. */
export interface InstructionToken {
  readonly text: string;
  readonly kind: 'plain' | 'quoted' | 'quotedWord' | 'name';
  /** A place that the instruction names as `<point>x y</point>`, in thousandths of the screen. */
  readonly point?: Point;
}

export const maxInstructionTokens = 96;

const quotations = /"([^"]*)"|“([^”]*)”|「([^」]*)」|<point>\s*(\d+)\s+(\d+)\s*<\/point>/gu;
const words = /[\p{Script=Latin}\p{N}'@._%$¥€£:+\-/]+|\p{Script=Han}|[^\s]/gu;

/**
 * Splits an instruction. A quoted string is one token, followed by its words if there are several. A name of several
 * words follows its words as one token.
 */
export function instructionTokens(instruction: string): InstructionToken[] {
  const tokens: InstructionToken[] = [];
  const plain = (part: string): void => {
    const names = namesIn(part);
    for (const { 0: word, index } of part.matchAll(words)) {
      if (/^[,.:;]$/.test(word)) continue;
      const text = word.replace(/[.:]+$/, '') || word;
      const end = index + text.length;
      const name = names.find((run) => run.end === end || run.end === index + word.length);
      const isName = isNumeral(text) || (name?.text === text && !name.opensSentence);
      tokens.push({ text: isName ? text : word, kind: isName ? 'name' : 'plain' });
      if (name?.text.includes(' ')) tokens.push({ text: name.text, kind: 'name' });
    }
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

/** Tells whether a word is a number, price, code or address: worth copying and finding again. */
export const isNumeral = (word: string): boolean => word.length >= 2 && /\d|.@./.test(word);

export interface NameRun {
  readonly text: string;
  /** Index after its last character. */
  readonly end: number;
  /** Starts with a capital that may only begin a sentence. */
  readonly opensSentence: boolean;
}

const capitalised = "\\p{Lu}[\\p{L}\\p{N}'’-]*";
const names = new RegExp(
  `(?<![\\p{L}\\p{N}])${capitalised}(?:\\s+(?:(?:of(?:\\s+the)?|de|la|von)\\s+)?${capitalised})*`,
  'gu',
);

/** Finds runs of capitalised words, such as "Iron Bridge of Fioriseto". */
export function namesIn(text: string): NameRun[] {
  return [...text.matchAll(names)].map(({ 0: name, index }) => ({
    text: name,
    end: index + name.length,
    opensSentence: /(?:^|[.!?:。？！：])\s*$/u.test(text.slice(0, index)),
  }));
}
