import { GyreError } from '@gyre/protocol';
import { createEnclosure, Desktop, openBareDesktop } from '@gyre/sandbox';
import { type Contestant, median, race, ratio } from './race.js';

/** Steps per second: a click and the pixels after it. */
export interface DesktopRow {
  size: string;
  program: 'none' | 'mousepad';
  gyre: number;
  /** Bare XTEST and frame buffer reads. */
  bareX: number;
  ratioBare: number;
}

const size = { width: 1280, height: 720 };

/** Two places, to avoid double clicks. */
const places = [0.6, 0.9].map((x) => ({ x, y: 0.7 }));

/** Throws `missing` if a program is not installed. */
export async function measureDesktopClicks(program: DesktopRow['program'], roundMs: number): Promise<DesktopRow> {
  const enclosure = await createEnclosure({});
  try {
    const desktop = await Desktop.start(enclosure, { size, settle: false });
    try {
      if (program === 'mousepad') await edit(desktop);
      const bare = await openBareDesktop(enclosure, desktop);
      const contestants = {
        gyre: session(desktop),
        bareX: clicker(({ x, y }) => bare.step(Math.floor(x * size.width), Math.floor(y * size.height))),
      };
      const { gyre, bareX } = await race(contestants, roundMs).finally(() => bare.close());
      return {
        size: `${size.width}x${size.height}`,
        program,
        gyre: median(gyre),
        bareX: median(bareX),
        ratioBare: ratio(gyre, bareX),
      };
    } finally {
      await desktop.close();
    }
  } finally {
    await enclosure.close();
  }
}

function session(desktop: Desktop): Contestant {
  const pixels = new Uint8Array(size.width * size.height * 4);
  return clicker(async (point) => {
    await desktop.act({ type: 'click', point });
    return desktop.pixels('bgrx', pixels);
  });
}

function clicker(click: (point: { x: number; y: number }) => Promise<unknown>): Contestant {
  let steps = 0;
  return { lanes: [() => click(places[steps++ % places.length]!)], close: () => Promise.resolve() };
}

async function edit(desktop: Desktop): Promise<void> {
  await desktop.launch('mousepad').catch((cause: unknown) => {
    if (!(cause instanceof GyreError) || cause.code !== 'bad_input') throw cause;
    throw new GyreError('missing', 'mousepad is not installed', { fix: 'apt install mousepad', cause });
  });
  await desktop.waitForWindow(({ program }) => program === 'Mousepad');
}
