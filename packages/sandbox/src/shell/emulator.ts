import unicode11 from '@xterm/addon-unicode11';
import xterm, { type IUnicodeVersionProvider, type Terminal as Emulator } from '@xterm/headless';
import type { TerminalSize } from './screen.js';

/** Accents and the like that one character may carry. What comes beyond stands by itself. */
const maxJoined = 16;

/** Escape sequences that do something as often as they say: how often makes sense. */
const repeating: Readonly<Record<string, (size: TerminalSize) => number>> = {
  b: ({ columns, rows }) => columns * rows,
  I: ({ columns }) => columns,
  Z: ({ columns }) => columns,
  L: ({ rows }) => rows,
  M: ({ rows }) => rows,
  S: ({ rows }) => rows,
  T: ({ rows }) => rows,
};

/**
 * An xterm without a window, with the character widths of today's systems, that no output can hang: what would repeat
 * something two thousand million times is passed over, and no cell grows without end.
 */
export function createEmulator(size: TerminalSize, scrollback: number): Emulator {
  const emulator = new xterm.Terminal({
    cols: size.columns,
    rows: size.rows,
    scrollback,
    allowProposedApi: true,
    logLevel: 'off',
  });
  for (const [final, most] of Object.entries(repeating)) {
    emulator.parser.registerCsiHandler({ final }, ([times]) => {
      return typeof times === 'number' && times > most({ columns: emulator.cols, rows: emulator.rows });
    });
  }
  limitJoining(emulator);
  return emulator;
}

/** Bits of xterm's character properties: joined to the one before, a width of 1; above them a state of the provider. */
const joined = 1;
const single = 2;
const stateShift = 3;

/** Has xterm measure by Unicode 11, whose widths are those of today's C libraries, and join `maxJoined` at most. */
function limitJoining(emulator: Emulator): void {
  const version = '11-limited';
  const register = (unicode: IUnicodeVersionProvider): void =>
    emulator.unicode.register({
      version,
      wcwidth: (codepoint) => unicode.wcwidth(codepoint),
      charProperties: (codepoint, preceding) => {
        const properties = unicode.charProperties(codepoint, preceding);
        if ((properties & joined) === 0) return properties;
        const count = (preceding >> stateShift) + 1;
        return count > maxJoined ? single : properties | (count << stateShift);
      },
    });
  new unicode11.Unicode11Addon().activate({ unicode: { register } });
  emulator.unicode.activeVersion = version;
}
