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
        'Neither is more than the side of the screen less 0.5.',
      ],
    },
    vocabulary: {
      size: vocabulary.size,
      ...tokenKinds,
      place: { first: vocabulary.offset(0), count: fine.columns * fine.rows },
      cell: { first: vocabulary.cell(0), count: grid.cells },
      words: 'Between two words that follow each other a space is meant.',
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
        'The first token is of class turn: a function, or <think>. After <think> comes prose until <end>, then a token of class function.',
        'A function token is followed by the tokens of its arguments, one argument after the other; then the turn is over.',
        'Only logits of tokens of the class that may come next count: take the largest, or draw from the softmax over them.',
        `A thought that has ${longestThought - 1} tokens, or a turn that has ${longestAction - 1}, is closed by <end> where that is allowed; no turn is longer than ${longestAction} tokens.`,
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
        'The first token is <start>, in slot 0, of role <pad> and age 0. The instruction is cut into pieces by the regular expression.',
        'A piece of letters that is a word in small letters is that word token, in slot 0, of role <pad> and age 0.',
        'Of any other piece each character is a token (? where there is none), in slot 1, 2 and so on to slots - 1;',
        'its role is the last word token before it, or <start>. Quotation marks around a piece are left out, and so are pieces outside of quotation marks without a letter or digit.',
        'A piece <point>x y</point>, in thousandths of the screen, is the two tokens of the point. A Chinese character outside of quotation marks is the role of what follows.',
        'After that come the actions of the last rememberedTurns turns, oldest first, in slot 0, of role <pad>: age is how many turns ago (1 for the last).',
        'Of actions with a text only the function token is given (type, navigate, finished).',
      ],
      prefill: [
        'Inputs are as long as longest + 1. The context is right-aligned before the last place, which holds <act> in slot 0, of role 0 and age 0. What is empty is 0.',
        'positions: 0, 1, 2 and so on. blocked: the number blocked where there is only padding, else 0.',
        'logits are those of the first token of the turn. pointer and image.* are inputs of every step.',
      ],
      step: [
        'past.* [1, heads, 1, longest + longestAction, size] begin with own.* [1, heads, 1, longest + 1, size] of prefill, zeros behind.',
        'pastBlocked: 0 where blocked of prefill is 0, and the number blocked elsewhere.',
        'Step t = 1, 2, ...: tokens is the token t - 1 of the turn, slots its slot, roles and ages 0, positions longest + t, blocked 0.',
        'The slot of a character of a text is its number in it, from 1, at most slots - 1; in prose, from the last quotation mark (which is 0) or word on. Of other tokens it is 0.',
        'Afterwards own.* is written to place longest + t of past.*, and pastBlocked there becomes 0. logits are those of the next token.',
      ],
    },
  };
}
