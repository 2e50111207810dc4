import { type Size, actionTypes } from '@gyre/protocol';
import { longestAction, longestContext, longestThought } from './architecture.js';
import { pieces, historyTurns, slots } from './context.js';
import { blocked } from './decoderNetwork.js';
import { cell, fine } from './grid.js';
import { type Argument, maxKeys, signature, tokenClasses } from './grammar.js';
import { tokenKinds, vocabularyOf } from './vocabulary.js';

/** Incremented when older readers would misread the file. */
export const exportedFormat = 'gyre.export.1';

interface ArgumentToken {
  readonly class: string;
  readonly until?: number;
  readonly repeats?: true;
}

export function describeExport(screen: Size): Record<string, unknown> {
  const vocabulary = vocabularyOf(screen);
  const { grid, end, none } = vocabulary;
  const further: ArgumentToken = { class: 'furtherKey', until: end };
  const argumentTokens: Record<Argument, readonly ArgumentToken[]> = {
    point: [{ class: 'point' }, { class: 'offset' }],
    optionalPoint: [{ class: 'optionalPoint', until: none }, { class: 'offset' }],
    direction: [{ class: 'direction' }],
    optionalButton: [{ class: 'optionalButton' }],
    key: [{ class: 'key' }],
    keys: [{ class: 'key' }, ...new Array<ArgumentToken>(maxKeys - 1).fill(further)],
    text: [{ class: 'character', until: end, repeats: true }],
    prose: [{ class: 'prose', until: end, repeats: true }],
  };
  return {
    grid: {
      columns: grid.columns,
      rows: grid.rows,
      cell,
      places: fine,
      point: [
        'A point is a cell token and a place token. c = cell token - vocabulary.cell.first counts the cells row by row;',
        'p = place token - vocabulary.place.first counts the places within the cell, row by row.',
        'x = (c mod columns) * cell.width + (p mod places.columns + 0.5) * cell.width / places.columns, in px from the left;',
        'y = floor(c / columns) * cell.height + (floor(p / places.columns) + 0.5) * cell.height / places.rows, from the top.',
        'Both are clamped to the side of the screen minus 0.5.',
      ],
    },
    vocabulary: {
      size: vocabulary.size,
      ...tokenKinds,
      place: { first: vocabulary.offset(0), count: fine.columns * fine.rows },
      cell: { first: vocabulary.cell(0), count: grid.cells },
      words: 'A space is implied between two adjacent words.',
    },
    grammar: {
      classes: Object.fromEntries(
        tokenClasses
          // Exported files have no shell.
          .filter((name) => !name.endsWith('OrCommand'))
          .map((name) => [name, vocabulary.ranges(name).map(({ first, last }) => [first, last])]),
      ),
      functions: Object.fromEntries(actionTypes.map((type) => [type, signature[type]])),
      arguments: argumentTokens,
      turn: [
        'The first token is of class turn: a function, or <think>. <think> is followed by prose up to <end>, then by a token of class function.',
        'A function token is followed by the tokens of its arguments, one argument after the other; they end the turn.',
        'Mask the logits to the tokens of the class that may come next: take the largest, or sample from the softmax over them.',
        `A thought of ${longestThought - 1} tokens, or a turn of ${longestAction - 1}, is closed by <end> where the grammar allows it; no turn has more than ${longestAction} tokens.`,
      ],
    },
    context: {
      longest: longestContext,
      longestAction,
      longestThought,
      slots,
      rememberedTurns: historyTurns,
      blocked,
      pieces: { source: pieces.source, flags: pieces.flags },
      instruction: [
        'The first token is <start>, in slot 0, of role <pad> and age 0. The regular expression splits the instruction into pieces.',
        'A piece of letters whose lower-case form is a word becomes that word token, in slot 0, of role <pad> and age 0.',
        'In any other piece, each character becomes a token (? if it has none), in slots 1, 2, ... up to slots - 1;',
        'its role is the last word token before it, or <start>. Quotation marks around a piece are dropped, and so are pieces outside quotation marks without a letter or digit.',
        'A piece <point>x y</point>, in thousandths of the screen, becomes the two tokens of the point. A Chinese character outside quotation marks is the role of the tokens that follow.',
        'The actions of the last rememberedTurns turns follow, oldest first, in slot 0, of role <pad>; age counts turns back (1 for the last).',
        'Actions with a text (type, navigate, finished) contribute only their function token.',
      ],
      prefill: [
        'Inputs have length longest + 1. The context is right-aligned before the last position, which holds <act> in slot 0, of role 0 and age 0. Empty positions are 0.',
        'positions: 0, 1, 2, ... blocked: the number blocked at padding, 0 elsewhere.',
        'logits are those of the first token of the turn. pointer and image.* are inputs of every step.',
      ],
      step: [
        'past.* [1, heads, 1, longest + longestAction, size] start with own.* [1, heads, 1, longest + 1, size] of prefill, followed by zeros.',
        'pastBlocked: 0 where blocked of prefill is 0, the number blocked elsewhere.',
        'Step t = 1, 2, ...: tokens is token t - 1 of the turn, slots its slot, roles and ages 0, positions longest + t, blocked 0.',
        'The slot of a character is its 1-based index in the text, at most slots - 1; in prose, it counts from the last quotation mark (which has slot 0) or word. Other tokens have slot 0.',
        'Then write own.* to position longest + t of past.*, and set pastBlocked there to 0. logits are those of the next token.',
      ],
    },
  };
}
