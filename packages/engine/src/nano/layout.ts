import { longestContext } from './architecture.js';
import { type ContextToken, slots } from './context.js';
import { blocked } from './decoderNetwork.js';
import type { Vocabulary } from './vocabulary.js';

/** Right-aligned context, `<act>`, and the action without its last token. */
export interface Layout {
  tokens: Int32Array;
  slots: Int32Array;
  roles: Int32Array;
  ages: Int32Array;
  positions: Int32Array;
  blocked: Float32Array;
}

export interface Row {
  tokens: readonly ContextToken[];
  action: readonly number[];
  clock?: number | undefined;
}

/** Padding rows attend to themselves. */
export function layout(
  vocabulary: Vocabulary,
  rows: readonly (Row | undefined)[],
  context: number,
  action: number,
): Layout {
  const time = context + action;
  const size = rows.length * time;
  const out: Layout = {
    tokens: new Int32Array(size),
    slots: new Int32Array(size),
    roles: new Int32Array(size),
    ages: new Int32Array(size),
    positions: new Int32Array(size),
    blocked: new Float32Array(size),
  };
  for (const [index, row] of rows.entries()) {
    const base = index * time;
    for (let t = 0; t < time; t++) out.positions[base + t] = longestContext - context + t;
    const used = row?.tokens.slice(-context) ?? [];
    const padding = context - used.length;
    out.blocked.fill(blocked, base, base + padding);
    for (const [t, { token, slot, role, age }] of used.entries()) {
      const position = base + padding + t;
      out.tokens[position] = token;
      out.slots[position] = slot;
      out.roles[position] = role;
      out.ages[position] = age;
    }
    out.tokens[base + context] = vocabulary.act;
    out.slots[base + context] = Math.min(row?.clock ?? 0, slots - 1);
    for (let t = 1; t < action; t++) {
      const token = row?.action[t - 1];
      if (token === undefined) break;
      const position = base + context + t;
      out.tokens[position] = token;
      out.slots[position] = slotOf(vocabulary, row?.action ?? [], t - 1);
    }
  }
  return out;
}

/** In prose, counts from the last quotation mark or word. */
export function slotOf(vocabulary: Vocabulary, action: readonly number[], index: number): number {
  const mark = vocabulary.character('"');
  let slot = 0;
  for (let t = index; t >= 0; t--) {
    const token = action[t];
    if (token === undefined || !vocabulary.isCharacter(token)) break;
    if (token === mark && action[0] !== undefined && !isTyped(vocabulary, action)) break;
    slot++;
  }
  return Math.min(slot, slots - 1);
}

function isTyped(vocabulary: Vocabulary, action: readonly number[]): boolean {
  const [head] = action;
  return head !== undefined && head === vocabulary.encode({ type: 'type', text: '' })[0];
}
