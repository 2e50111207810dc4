import { longestContext } from './architecture.js';
import type { NativeAction } from './grammar.js';
import type { Vocabulary } from './vocabulary.js';

/**
 * `slot`: position in a spelt text, from 1. `role`: a token that gives the purpose, such as "type" in `type "abc"`.
 * `age`: turns since, 0 for the instruction.
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

/** Later characters share the last slot. */
export const slots = 40;

export const historyTurns = 6;

export const pieces = /"[^"]*"|<point>\s*\d+\s+\d+\s*<\/point>|[A-Za-z]+|[^\sA-Za-z"]/gu;

/**
 * Encodes the instruction, the last turns' actions and the start of the last command's output. Points are `<point>x
 * y</point>` in thousandths of the screen. Old turns are truncated to fit, never the instruction.
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
    if (!quoted && !/[\p{L}\p{N}]/u.test(text)) continue;
    for (const [index, char] of [...text].entries()) {
      const token = vocabulary.character(char) ?? vocabulary.character('?') ?? pad;
      tokens.push({ token, slot: Math.min(index + 1, slots - 1), role, age: 0 });
    }
    // A Chinese character acts as the preceding word.
    if (!quoted && /\p{Script=Han}/u.test(text)) role = vocabulary.character(text) ?? role;
  }
  return [...tokens, ...pastTokens(vocabulary, past, longestContext - tokens.length)];
}

function pastTokens(vocabulary: Vocabulary, past: readonly PastActions[], room: number): ContextToken[] {
  const { start, pad } = vocabulary;
  const remembered = past.slice(-historyTurns);
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
      for (const [position, char] of [...answer].slice(0, slots - 1).entries()) {
        const token = vocabulary.character(char) ?? vocabulary.character('?') ?? pad;
        turn.push({ token, slot: position + 1, role: start, age });
      }
    }
    if (turn.length + tokens.length > room) break;
    tokens = [...turn, ...tokens];
  }
  return tokens;
}

/** These texts would fill the context, and the screen shows them. */
const spelt = ({ type }: NativeAction): boolean => ['type', 'navigate', 'finished', 'execute_bash'].includes(type);

export function allowsCommands({ start }: Vocabulary, context: readonly ContextToken[]): boolean {
  return context[1]?.token === start;
}
