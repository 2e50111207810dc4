import { GyreError } from '@gyre/protocol';
import type { Enclosure } from '../isolation/enclosure.js';
import { Desktop, type DesktopOptions } from './desktop.js';

export interface WineOptions extends Omit<DesktopOptions, 'windowManager' | 'accessibility'> {
  /** A Windows program and its arguments, started with the desktop. */
  readonly program?: readonly string[];
  /** How long Wine may take to show its desktop, in ms; its first start makes a drive of 700 MB. Default: 60,000. */
  readonly wineTimeoutMs?: number;
}

/**
 * Makes Wine's fonts known to fontconfig: Debian's 64-bit Wine looks for them in the wrong place, and the signs on
 * window buttons come from them.
 */
const showFonts = `
fonts=/usr/share/wine/fonts
[ -d $fonts ] && mkdir -p "$HOME/.local/share/fonts" && ln -sfn $fonts "$HOME/.local/share/fonts/wine"`;

/**
 * A desktop of Wine, which runs Windows programs and is not Windows. Wine is its own window manager (it draws wrongly
 * under another), and no program describes what it shows (`accessibility`). Throws `missing` where Wine is not
 * installed, and otherwise as `Desktop.start` does.
 */
export async function wineDesktop(
  enclosure: Enclosure,
  { program = [], wineTimeoutMs = 60_000, ...options }: WineOptions = {},
): Promise<Desktop> {
  const desktop = await Desktop.start(enclosure, { ...options, windowManager: false, accessibility: false });
  try {
    const { width, height } = desktop.size;
    await (
      await desktop.launch('sh', ['-c', showFonts])
    ).ended;
    await desktop
      .launch('wine', ['explorer', `/desktop=shell,${width}x${height}`, ...program])
      .catch((cause: unknown) => {
        throw new GyreError('missing', 'Wine is not installed', {
          field: 'wine',
          fix: 'run `apt-get install wine fonts-wine`',
          cause,
        });
      });
    const shell = await desktop.waitForWindow(({ box }) => box.width >= 1 && box.height >= 1, wineTimeoutMs);
    // Without a window manager that gives it the keys, it shows no window as active.
    await desktop.activate(shell);
    return desktop;
  } catch (error) {
    await desktop.close();
    throw error;
  }
}
