import type { ChatMessage } from '@gyre/engine';

/** Shares of prompts in a server's prefix cache. */
export interface PrefixRow {
  prompts: number;
  /** Prompts that do not extend the previous one. */
  rewritten: number;
  /** Extended prompts, rewritten ones, all. */
  between: number;
  atRewrites: number;
  all: number;
}

type Piece = { text: string } | { picture: string };

/** @param pictureCharacters four per token */
export function prefixShares(prompts: readonly (readonly ChatMessage[])[], pictureCharacters: number): PrefixRow {
  const pieces = prompts.map((messages) => messages.flatMap(piecesOf));
  const sizeOf = (some: readonly Piece[]): number =>
    some.reduce((sum, piece) => sum + ('text' in piece ? piece.text.length : pictureCharacters), 0);
  const kept: number[] = [];
  const lost: number[] = [];
  for (const [index, prompt] of pieces.entries()) {
    const before = pieces[index - 1];
    if (!before) continue;
    let same = 0;
    while (same < before.length && equal(before[same], prompt[same])) same++;
    const [one, other] = [before[same], prompt[same]];
    const begun = one && other && 'text' in one && 'text' in other ? commonLength(one.text, other.text) : 0;
    const share = (sizeOf(prompt.slice(0, same)) + begun) / sizeOf(prompt);
    (same === before.length ? kept : lost).push(share);
  }
  return {
    prompts: prompts.length,
    rewritten: lost.length,
    between: mean(kept),
    atRewrites: mean(lost),
    all: mean([...kept, ...lost]),
  };
}

function piecesOf({ role, content }: ChatMessage): Piece[] {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : (content ?? []);
  return [
    { text: role },
    ...parts.map((part): Piece =>
      part.type === 'image_url' ? { picture: part.image_url.url } : { text: 'text' in part ? part.text : '' },
    ),
  ];
}

const equal = (one: Piece | undefined, other: Piece | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  ('text' in one ? 'text' in other && one.text === other.text : 'picture' in other && one.picture === other.picture);

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
