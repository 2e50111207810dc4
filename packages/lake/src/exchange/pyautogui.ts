import { type Action, actionsOfCalls, type Point, readPyautogui } from '@gyre/protocol';
import { Unsupported } from './importing.js';

/**
 * Parses pyautogui code, `computer.wait` and `computer.terminate`. A move right before a drag, scroll or click without
 * a position gives its position. Scroll distances are dropped.
 * @throws Unsupported for other code.
 */
export function actionsOfCode(code: string, pointOf: (x: number, y: number) => Point, field: string): Action[] {
  const program = readPyautogui(code, { lenient: true });
  if (!program.ok) throw new Unsupported(program.problem, field);
  const read = actionsOfCalls(program.calls, { pointOf });
  if (!read.ok) throw new Unsupported(read.problem, field);
  return read.actions;
}
