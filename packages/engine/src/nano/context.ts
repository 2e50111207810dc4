import { longestContext } from './architecture.js';
import type { NativeAction } from './grammar.js';
import type { Vocabulary } from './vocabulary.js';

/**
 * An input token with its embeddings: `slot` is a character's place in its text (from 1; 0 for other tokens), `role` a token that says what
 * it is for (for a quoted character the last word before it: "type" in `type "abc"`), `age` the turns since (0 for the instruction).
 */
export interface ContextToken {
  readonly token: number;
  readonly slot: number;
  readonly role: number;
  readonly age: number;
}

export interface PastActions {
  readonly actions: readonly NativeAction[];
  readonly answer?: string | undefined;
}

/** Slots for characters; those of longer texts share the last. */
export const slots = 40;

export const rememberedTurns = 6;

/** Splits an instruction into quoted texts, points, words and single characters. */
export const pieces = /"[^"]*"|<point>\s*\d+\s+\d+\s*<\/point>|[A-Za-z]+|[^\sA-Za-z"]/gu;

/**
 * Returns the instruction and the actions of the last turns as tokens, oldest first. A point in the instruction is `<point>x y</point>`, in
 * thousandths of the screen. The start of the last command's output follows, letter by letter in the role of `<start>`. Old turns are cut
 * to fit; the instruction never is.
 *
 * @param commands whether commands are allowed: then `<start>` comes twice
 */
export function contextTokens(
  vocabulary: Vocabulary,
  instruction: string,
  past: readonly PastActions[],
  { commands = false }: { readonly commands?: boolean } = {},
): ContextToken[] {
  const { start, pad } = vocabulary;
  const tokens: ContextToken[] = [{ token: start, slot: 0, role: pad, age: 0 }];
  let role = start;
  const plain = (token: number): void => {
    tokens.push({ token, slot: 0, role: pad, age: 0 });
  };
  if (commands) plain(start);
  for (const piece of instruction.match(pieces) ?? []) {
    const [x, y] = piece.startsWith('<point>') ? (piece.match(/\d+/g) ?? []) : [];
    if (x !== undefined && y !== undefined) {
      const share = (thousandths: string): number => Math.min(1, Number(thousandths) / 1000);
      for (const token of vocabulary.point({ x: share(x), y: share(y) })) plain(token);
      continue;
    }
    const quoted = piece.startsWith('"');
    const word = quoted ? undefined : vocabulary.word(piece.toLowerCase());
    if (word !== undefined) {
      plain(word);
      role = word;
      continue;
    }
    const text = quoted ? piece.slice(1, -1) : piece;
    // Punctuation between steps means nothing.
    if (!quoted && !/[\p{L}\p{N}]/u.test(text)) continue;
    for (const [index, char] of [...text].entries()) {
      const token = vocabulary.character(char) ?? vocabulary.character('?') ?? pad;
      tokens.push({ token, slot: Math.min(index + 1, slots - 1), role, age: 0 });
    }
    // A Chinese character is a word to what follows it.
    if (!quoted && /\p{Script=Han}/u.test(text)) role = vocabulary.character(text) ?? role;
  }
  return [...tokens, ...pastTokens(vocabulary, past, longestContext - tokens.length)];
}

/** Returns the last turns, oldest first, as many as there is room for. */
function pastTokens(vocabulary: Vocabulary, past: readonly PastActions[], room: number): ContextToken[] {
  const { start, pad } = vocabulary;
  const remembered = past.slice(-rememberedTurns);
  const answered = remembered.findLastIndex(({ answer }) => answer !== undefined);
  let tokens: ContextToken[] = [];
  for (const [index, { actions, answer = '' }] of [...remembered.entries()].reverse()) {
    const age = remembered.length - index;
    const turn: ContextToken[] = [];
    for (const action of actions) {
      const encoded = vocabulary.encode(action);
      for (const token of spelt(action) ? encoded.slice(0, 1) : encoded) turn.push({ token, slot: 0, role: pad, age });
    }
    if (index === answered) {
      for (const [at, char] of [...answer].slice(0, slots - 1).entries()) {
        const token = vocabulary.character(char) ?? vocabulary.character('?') ?? pad;
        turn.push({ token, slot: at + 1, role: start, age });
      }
    }
    if (turn.length + tokens.length > room) break;
    tokens = [...turn, ...tokens];
  }
  return tokens;
}

/** Texts would fill the context, and are on the screen: their letters are left out. */
const spelt = ({ type }: NativeAction): boolean => ['type', 'navigate', 'finished', 'execute_bash'].includes(type);

export function allowsCommands({ start }: Vocabulary, context: readonly ContextToken[]): boolean {
  return context[1]?.token === start;
}
