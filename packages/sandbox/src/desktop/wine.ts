import { GyreError } from '@gyre/protocol';
import type { Enclosure } from '../isolation/enclosure.js';
import { Desktop, type DesktopOptions } from './desktop.js';

export interface WineOptions extends Omit<DesktopOptions, 'windowManager' | 'accessibility'> {
  /** Windows program and arguments, started with the desktop. */
  readonly program?: readonly string[];
  /** The first start creates a drive of 700 MB. Default: 60,000. */
  readonly wineTimeoutMs?: number;
}

/** Wine's fonts hold the symbols on window buttons, and Debian's 64-bit Wine looks in the wrong place. */
const showFonts = `
fonts=/usr/share/wine/fonts
[ -d $fonts ] && mkdir -p "$HOME/.local/share/fonts" && ln -sfn $fonts "$HOME/.local/share/fonts/wine"`;

/**
 * Runs Windows programs. Wine is its own window manager (it draws wrongly under another) and has no accessibility
 * trees. Throws `missing` without Wine.
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
    // Without a window manager, Wine would show no window as active.
    await desktop.activate(shell);
    return desktop;
  } catch (error) {
    await desktop.close();
    throw error;
  }
}
