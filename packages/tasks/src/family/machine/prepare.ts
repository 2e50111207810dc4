import { GyreError, type Size } from '@gyre/protocol';
import { browserOf, type DesktopWindow, type SandboxSession } from '@gyre/sandbox';
import type { Launch, SetUp } from './setUp.js';

/** In ms; LibreOffice first creates a profile. */
const windowMs = 90_000;

/** Identical looks that mark a ready screen; times in ms. */
const still = { looks: 5, gapMs: 100, boundMs: 10_000 };

/** Half the size of the pointer's area, in px. It starts at the centre. */
const pointerPx = 32;

/** Provides files, page and programs. Throws `infra` if any fails to start. */
export async function prepare(machine: SandboxSession, setup: SetUp): Promise<void> {
  for (const folder of setup.folders) await machine.files.createFolder(folder);
  for (const [path, content] of Object.entries(setup.files)) {
    const data = typeof content === 'string' ? content : Buffer.from(content.base64, 'base64');
    await machine.files.write(path, data, { folders: true });
  }
  for (const command of setup.commands) await execute(machine, command);
  if (setup.page) await browserOf(machine).open(setup.page);
  for (const launch of setup.programs) await show(machine, launch);
  if (setup.programs.length > 0) await standStill(machine);
}

async function execute({ shell }: SandboxSession, command: string): Promise<void> {
  const { exitCode, stderr } = await shell.run(command);
  if (exitCode === 0) return;
  throw new GyreError('infra', `the setup failed: ${stderr.slice(0, 500)}`, {
    part: 'shell',
    field: 'setup',
    fix: 'fix the reported error',
  });
}

async function show({ desktop }: SandboxSession, { program, args, window }: Launch): Promise<void> {
  if (desktop === undefined) {
    throw new GyreError('bad_input', 'the session is not a desktop', {
      field: 'session',
      fix: "lease one of kind 'desktop'",
    });
  }
  await desktop.launch(program, args);
  await desktop.waitForWindow(({ title, program: name }) => title.includes(window) || name === window, windowMs);
}

/**
 * Waits until the screen is still and no window blank, as LibreOffice's is at first. Bounded, since carets blink and a
 * window may stay blank.
 */
async function standStill({ desktop }: SandboxSession): Promise<void> {
  if (desktop === undefined) return;
  // Raw X server pixels: encoding a moving screen takes longer than comparing it.
  let [last, now] = [await desktop.pixels('bgrx'), await desktop.pixels('bgrx')];
  for (let same = 1, limit = performance.now() + still.boundMs; performance.now() < limit;) {
    if (same === still.looks && !hasBlankWindow(await desktop.windows(), desktop.size, last)) return;
    await new Promise((resolve) => setTimeout(resolve, still.gapMs));
    now = await desktop.pixels('bgrx', now);
    same = Buffer.compare(now, last) === 0 ? same + 1 : 1;
    [last, now] = [now, last];
  }
}

/**
 * Returns whether a window has a single colour, ignoring the pointer's area.
 *
 * @param screen `[height, width, 4]`, from `pixels('bgrx')`.
 */
export function hasBlankWindow(
  windows: readonly Pick<DesktopWindow, 'box'>[],
  { width, height }: Size,
  screen: Uint8Array,
): boolean {
  const pixels = new Uint32Array(screen.buffer, screen.byteOffset, width * height);
  const underPointer = (x: number, y: number) =>
    Math.abs(x - width / 2) <= pointerPx && Math.abs(y - height / 2) <= pointerPx;
  return windows.some(({ box }) => {
    const [left, top] = [Math.round(Math.max(0, box.x) * width), Math.round(Math.max(0, box.y) * height)];
    const right = Math.round(Math.min(1, box.x + box.width) * width);
    const bottom = Math.round(Math.min(1, box.y + box.height) * height);
    const colour = pixels[top * width + left];
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        if (pixels[y * width + x] !== colour && !underPointer(x, y)) return false;
      }
    }
    return left < right && top < bottom;
  });
}
