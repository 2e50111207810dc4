import unicode11 from '@xterm/addon-unicode11';
import xterm, { type IUnicodeVersionProvider, type Terminal as Emulator } from '@xterm/headless';
import type { TerminalSize } from './screen.js';

/** Most combining characters per cell. */
const maxJoined = 16;

/** Repeating escape sequences, with sensible maxima. */
const repeating: Readonly<Record<string, (size: TerminalSize) => number>> = {
  b: ({ columns, rows }) => columns * rows,
  I: ({ columns }) => columns,
  Z: ({ columns }) => columns,
  L: ({ rows }) => rows,
  M: ({ rows }) => rows,
  S: ({ rows }) => rows,
  T: ({ rows }) => rows,
};

/** Creates an xterm that no output can hang: excessive repetitions are ignored, and no cell grows without bound. */
export function createEmulator(size: TerminalSize, scrollback: number): Emulator {
  const emulator = new xterm.Terminal({
    cols: size.columns,
    rows: size.rows,
    scrollback,
    allowProposedApi: true,
    logLevel: 'off',
  });
  for (const [final, maxTimes] of Object.entries(repeating)) {
    emulator.parser.registerCsiHandler({ final }, ([times]) => {
      return typeof times === 'number' && times > maxTimes({ columns: emulator.cols, rows: emulator.rows });
    });
  }
  limitJoining(emulator);
  return emulator;
}

/** xterm's character properties: joined to the previous, width 1; above them the provider's state. */
const joined = 1;
const single = 2;
const stateShift = 3;

/** Selects Unicode 11, which has the widths of today's C libraries. */
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
