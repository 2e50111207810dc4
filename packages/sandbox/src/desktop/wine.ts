import { GyreError } from '@gyre/protocol';
import type { Enclosure } from '../isolation/enclosure.js';
import { Desktop, type DesktopOptions } from './desktop.js';

export interface WineOptions extends Omit<DesktopOptions, 'windowManager' | 'accessibility'> {
  /** A Windows program and its arguments, started with the desktop. Default: none. */
  readonly program?: readonly string[];
  /** How long Wine may take to show its desktop; the first time it makes a drive of 700 MB. Default: 60,000. */
  readonly wineTimeoutMs?: number;
}

/**
 * Shows Wine its fonts, of which the signs on the buttons of its windows are: Debian's 64-bit Wine looks for them beside where they
 * are, and takes what fontconfig finds.
 */
const showFonts = `
fonts=/usr/share/wine/fonts
[ -d $fonts ] && mkdir -p "$HOME/.local/share/fonts" && ln -sfn $fonts "$HOME/.local/share/fonts/wine"`;

/**
 * A desktop of Wine: Windows programs run, and it is not Windows. There is no window manager beside Wine's own, which draws
 * wrongly under another one, and no program says what it shows (`accessibility`). Throws `missing` where Wine is not
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
    // Where no window manager says that it has the keys, it shows no window as the active one.
    await desktop.activate(shell);
    return desktop;
  } catch (error) {
    await desktop.close();
    throw error;
  }
}
