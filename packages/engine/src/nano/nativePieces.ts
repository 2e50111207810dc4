import { GyreError } from '@gyre/protocol';
import type { Picture, Piece } from '../engine.js';
import { allowsCommands, type ContextToken, historyTurns, slots } from './context.js';
import { contextId, contextTokenOf } from './contextId.js';
import { gridOf } from './grid.js';
import { textSize, type Vocabulary, vocabularyOf } from './vocabulary.js';

export interface PieceInput {
  readonly pictures: readonly Picture[];
  readonly tokens: readonly ContextToken[];
  readonly clock: number;
}

/** Ends with `<act>`, whose slot is the clock. */
export function nativePieces({ pictures, tokens, clock }: PieceInput): Piece[] {
  const { act, pad } = vocabularyOf(pictures.at(-1)?.size ?? { width: 1, height: 1 });
  const end = { token: act, slot: Math.min(clock, slots - 1), role: pad, age: 0 };
  return [
    ...pictures.map((picture) => ({ picture, length: gridOf(picture.size).cells })),
    { tokens: [...tokens, end].map(contextId) },
  ];
}

/** Inverts `nativePieces` and reads the action that follows. */
export function readPieces(pieces: readonly Piece[]): PieceInput & {
  readonly action: number[];
  readonly length: number;
  readonly vocabulary: Vocabulary;
  readonly commands: boolean;
} {
  const pictures: Picture[] = [];
  const ids: number[] = [];
  let length = 0;
  for (const piece of pieces) {
    if ('tokens' in piece) {
      ids.push(...piece.tokens);
      length += piece.tokens.length;
      continue;
    }
    const { cells } = gridOf(piece.picture.size);
    if (piece.length !== cells) refuse(`an image takes ${cells} tokens, not ${piece.length}`);
    if (ids.length > 0) refuse('an image follows tokens');
    pictures.push(piece.picture);
    length += cells;
  }
  const size = pictures.at(-1)?.size ?? refuse('it has no image');
  const vocabulary = vocabularyOf(size);
  const read = ids.map((id) => {
    const { token, slot, role, age } = contextTokenOf(id);
    const isKnown = Number.isInteger(id) && id >= 0 && token < vocabulary.size && role < textSize;
    if (!isKnown || slot >= slots || age > historyTurns) refuse(`it has the unknown token ${id}`);
    return { token, slot, role, age };
  });
  const act = read.findIndex(({ token }) => token === vocabulary.act);
  if (act < 0) refuse('it does not end in <act>');
  const tokens = read.slice(0, act);
  const clock = read[act]?.slot ?? 0;
  const commands = allowsCommands(vocabulary, tokens);
  return { pictures, tokens, clock, action: ids.slice(act + 1), length, vocabulary, commands };
}

function refuse(reason: string): never {
  throw new GyreError('bad_input', `the input is not a prompt of the native policy: ${reason}`, {
    field: 'input',
    fix: 'render it with the native language',
  });
}
