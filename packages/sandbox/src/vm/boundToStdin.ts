import { programText } from '../shell/programText.js';

const keeper = programText(new URL('./keeper.sh', import.meta.url));

/**
 * Makes a program die with this process, by its stdin. Passes on descriptors up to 5 and the exit status (128 +
 * signal).
 */
export function boundToStdin(program: string, args: readonly string[]): [string, string[]] {
  return ['sh', ['-c', keeper, 'gyre', program, ...args]];
}
