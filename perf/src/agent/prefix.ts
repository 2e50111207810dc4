import type { ChatMessage } from '@gyre/engine';

/** Shares of prompts in a server's prefix cache. */
export interface PrefixRow {
  prompts: number;
  /** Prompts that do not extend the previous one. */
  rewritten: number;
  /** Extended prompts, rewritten ones, all. */
  between: number;
  atRewrites: number;
  // eslint-disable-next-line gyre/vague-name -- a key of --json
  all: number;
}

type Piece = { text: string } | { picture: string };

/** @param pictureCharacters four per token */
export function prefixShares(prompts: readonly (readonly ChatMessage[])[], pictureCharacters: number): PrefixRow {
  const pieces = prompts.map((messages) => messages.flatMap(piecesOf));
  const sizeOf = (some: readonly Piece[]): number =>
    some.reduce((sum, piece) => sum + ('text' in piece ? piece.text.length : pictureCharacters), 0);
  const extended: number[] = [];
  const lost: number[] = [];
  for (const [index, prompt] of pieces.entries()) {
    const before = pieces[index - 1];
    if (!before) continue;
    let same = 0;
    while (same < before.length && equal(before[same], prompt[same])) same++;
    const [oldPiece, newPiece] = [before[same], prompt[same]];
    const begun =
      oldPiece && newPiece && 'text' in oldPiece && 'text' in newPiece ? commonLength(oldPiece.text, newPiece.text) : 0;
    const share = (sizeOf(prompt.slice(0, same)) + begun) / sizeOf(prompt);
    (same === before.length ? extended : lost).push(share);
  }
  return {
    prompts: prompts.length,
    rewritten: lost.length,
    between: mean(extended),
    atRewrites: mean(lost),
    all: mean([...extended, ...lost]),
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

const equal = (a: Piece | undefined, b: Piece | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  ('text' in a ? 'text' in b && a.text === b.text : 'picture' in b && a.picture === b.picture);

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
