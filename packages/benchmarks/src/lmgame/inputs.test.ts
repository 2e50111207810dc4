import type { AgentAction } from '@gyre/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Cell, GameInputs, type GameInput, type LmgameName } from './inputs.js';

const board = { rows: 8, columns: 8, tile: 32 };
const size = { width: 256, height: 304 };
const candy = (row: number, column: number) => ({
  x: (32 * column + 16) / size.width,
  y: (32 * row + 16) / size.height,
});

describe('inputs of LMGame-Bench', () => {
  test.each<[LmgameName, AgentAction, GameInput | undefined]>([
    ['sokoban', { type: 'hotkey', keys: 'up' }, { action: 'up' }],
    ['sokoban', { type: 'hotkey', keys: 'shift left' }, { action: 'push left' }],
    ['sokoban', { type: 'wait' }, { action: 'no_op' }],
    ['sokoban', { type: 'screenshot' }, undefined],
    ['tetris', { type: 'press', key: 'space' }, { action: 'hard_drop' }],
    ['tetris', { type: 'hotkey', keys: 'z' }, { action: 'rotate_left' }],
    ['twenty_forty_eight', { type: 'hotkey', keys: 'arrowdown' }, { action: 'down' }],
    ['twenty_forty_eight', { type: 'release', key: 'up' }, undefined],
    ['candy_crush', { type: 'drag', start: candy(2, 3), end: candy(2, 4) }, { action: '((2,3),(2,4))' }],
    ['candy_crush', { type: 'click', point: candy(7, 0) }, { select: { row: 7, column: 0 } }],
  ])('%s: %j', (game, action, input) => {
    expect(new GameInputs(game, game === 'candy_crush' ? board : undefined).read(action, size)).toEqual(input);
  });

  test.each<[LmgameName, AgentAction]>([
    ['sokoban', { type: 'hotkey', keys: 'space' }],
    ['sokoban', { type: 'click', point: { x: 0, y: 0 } }],
    ['twenty_forty_eight', { type: 'wait' }],
    ['tetris', { type: 'type', text: 'left' }],
    ['candy_crush', { type: 'hotkey', keys: 'up' }],
    ['candy_crush', { type: 'click', point: { x: 0.5, y: 0.99 } }],
    ['candy_crush', { type: 'drag', start: candy(0, 0), end: candy(1, 1) }],
  ])('%s has no use for %j', (game, action) => {
    const inputs = new GameInputs(game, game === 'candy_crush' ? board : undefined);
    expect(() => inputs.read(action, size)).toThrow(expect.objectContaining({ code: 'bad_input' }));
  });

  test('a held shift pushes until it is released', () => {
    const inputs = new GameInputs('sokoban');
    expect(inputs.read({ type: 'press', key: 'shift' }, size)).toBeUndefined();
    expect(inputs.read({ type: 'hotkey', keys: 'down' }, size)).toEqual({ action: 'push down' });
    expect(inputs.read({ type: 'release', key: 'shift' }, size)).toBeUndefined();
    expect(inputs.read({ type: 'hotkey', keys: 'down' }, size)).toEqual({ action: 'down' });
  });

  test('two clicks swap neighbours, and select anew elsewhere', () => {
    const cell = fc.record({ row: fc.nat(7), column: fc.nat(7) });
    fc.assert(
      fc.property(cell, cell, (first, second) => {
        const inputs = new GameInputs('candy_crush', board);
        const click = ({ row, column }: Cell) => inputs.read({ type: 'click', point: candy(row, column) }, size);
        expect(click(first)).toEqual({ select: first });
        const distance = Math.abs(first.row - second.row) + Math.abs(first.column - second.column);
        const action = `((${first.row},${first.column}),(${second.row},${second.column}))`;
        expect(click(second)).toEqual(distance === 1 ? { action } : { select: second });
      }),
    );
  });
});
