import type { Action } from '@gyre/protocol';
import type { Vocabulary } from './vocabulary.js';

/**
 * One input token with what the embedding adds to it: `slot` is the place of a character in its word (from 1; 0 for other
 * tokens), `role` is a token that says what it is there for: for a character of a quoted string, the last word of the
 * instruction before it ("type" in `type "abc"`); for a token of a past turn, `textSize` plus its age in turns.
 */
export interface ContextToken {
  token: number;
  slot: number;
  role: number;
}

/** Most letters of a word that have a slot of their own; later ones share the last. */
export const slots = 16;

/** How many past turns the context holds. */
export const rememberedTurns = 4;

/** The instruction and the actions of the last turns as tokens, oldest first. */
export function contextTokens(
  vocabulary: Vocabulary,
  instruction: string,
  past: readonly (readonly Action[])[],
): ContextToken[] {
  const tokens: ContextToken[] = [{ token: vocabulary.start, slot: 0, role: vocabulary.pad }];
  let role = vocabulary.start;
  for (const piece of instruction.match(/"[^"]*"|[A-Za-z]+|[^\sA-Za-z"]/g) ?? []) {
    const quoted = piece.startsWith('"');
    const word = quoted ? undefined : vocabulary.word(piece.toLowerCase());
    if (word !== undefined) {
      tokens.push({ token: word, slot: 0, role: vocabulary.pad });
      role = word;
      continue;
    }
    const text = quoted ? piece.slice(1, -1) : piece;
    if (!quoted && !/[A-Za-z0-9]/.test(text)) continue; // punctuation between steps says nothing
    for (const [index, char] of [...text].entries()) {
      const token = vocabulary.character(char) ?? vocabulary.character('?') ?? vocabulary.pad;
      tokens.push({ token, slot: Math.min(index + 1, slots - 1), role });
    }
  }
  const remembered = past.slice(-rememberedTurns);
  for (const [index, actions] of remembered.entries()) {
    const age = remembered.length - index;
    for (const action of actions) {
      const encoded = vocabulary.encode(action);
      // The letters of a typed word would fill the context; that something was typed is on the screen.
      const kept = action.type === 'type' ? encoded.slice(0, 1) : encoded;
      for (const token of kept) tokens.push({ token, slot: 0, role: vocabulary.textSize + age });
    }
  }
  return tokens;
}
