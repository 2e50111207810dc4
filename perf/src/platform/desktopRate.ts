import { Desktop, createEnclosure } from '@gyre/sandbox';
import { GyreError } from '@gyre/protocol';

export interface DesktopRow {
  size: string;
  program: 'mousepad' | 'none';
  /** X server pixels, right after the click. */
  raw: number;
  rgb: number;
  /** After the screen has settled. */
  settledPng: number;
}

const size = { width: 1280, height: 720 };

export async function measureDesktop(ms: number): Promise<DesktopRow> {
  const [bgrx, rgb] = [4, 3].map((bytes) => new Uint8Array(size.width * size.height * bytes));
  const raw = await rate(ms / 3, false, (desktop) => desktop.pixels('bgrx', bgrx));
  const colours = await rate(ms / 3, false, (desktop) => desktop.pixels('rgb', rgb));
  const png = await rate(ms / 3, {}, (desktop) => desktop.observe());
  return {
    size: `${size.width}x${size.height}`,
    program: raw.program,
    raw: raw.perSecond,
    rgb: colours.perSecond,
    settledPng: png.perSecond,
  };
}

async function rate(
  ms: number,
  settle: false | object,
  look: (desktop: Desktop) => Promise<unknown>,
): Promise<{ program: DesktopRow['program']; perSecond: number }> {
  const enclosure = await createEnclosure({});
  try {
    const desktop = await Desktop.start(enclosure, { size, settle });
    try {
      const program = await edit(desktop);
      const start = performance.now();
      let steps = 0;
      for (; performance.now() - start < ms; steps++) {
        await desktop.act({ type: 'click', point: { x: steps % 2 === 0 ? 0.6 : 0.9, y: 0.7 } });
        await look(desktop);
      }
      return { program, perSecond: (steps * 1_000) / (performance.now() - start) };
    } finally {
      await desktop.close();
    }
  } finally {
    await enclosure.close();
  }
}

async function edit(desktop: Desktop): Promise<DesktopRow['program']> {
  try {
    await desktop.launch('mousepad');
  } catch (error) {
    if (error instanceof GyreError && error.code === 'bad_input') return 'none';
    throw error;
  }
  await desktop.waitForWindow(({ program }) => program === 'Mousepad');
  return 'mousepad';
}
