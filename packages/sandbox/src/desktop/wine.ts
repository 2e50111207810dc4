import { GyreError } from '@gyre/protocol';
import type { Enclosure } from '../enclosure/enclosure.js';
import { Desktop, type DesktopOptions } from './desktop.js';

export interface WineOptions extends Omit<DesktopOptions, 'windowManager' | 'accessibility'> {
  /** A Windows program and its arguments, started with the desktop. Default: none. */
  readonly program?: readonly string[];
  /** How long Wine may take to show its desktop; the first time it makes a drive of 700 MB. Default: 60,000. */
  readonly wineTimeoutMs?: number;
}

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
    await desktop
      .launch('wine', ['explorer', `/desktop=shell,${width}x${height}`, ...program])
      .catch((cause: unknown) => {
        throw new GyreError('missing', 'Wine is not installed', {
          field: 'wine',
          fix: 'run `apt-get install wine`',
          cause,
        });
      });
    await desktop.waitForWindow(({ box }) => box.width >= 1 && box.height >= 1, wineTimeoutMs);
    return desktop;
  } catch (error) {
    await desktop.close();
    throw error;
  }
}
