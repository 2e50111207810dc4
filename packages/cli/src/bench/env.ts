import { GyreError, type Size } from '@gyre/protocol';
import { BrowserPool, findBrowser, startBareLoop } from '@gyre/sandbox';

export interface EnvBench {
  /** Click, one frame, JPEG: steps per second of one screen, medians of interleaved rounds. */
  browser: {
    size: string;
    mode: 'frame-stepped';
    gyre: number;
    playwright: number;
    bareCdp: number;
    /** Medians of the ratios within a round. */
    ratioPlaywright: number;
    ratioBare: number;
  }[];
  /** Time from asking for a blank screen to having it, in ms, in a warm pool. */
  lease: { kind: 'browser'; p50: number; p99: number }[];
}

const sizes: readonly Size[] = [
  { width: 320, height: 240 },
  { width: 1280, height: 720 },
];
const quality = 70;
const rounds = 8;

/** Something to draw: text, colour, and a number that every click changes. */
const html = `<!doctype html><style>
  body { margin: 0; font: 14px sans-serif; background: linear-gradient(#eef, #fff) }
  button { position: absolute; left: 20px; top: 20px; width: 120px; height: 40px } p { margin: 80px 20px }
</style><button>0</button><p>The quick brown fox jumps over the lazy dog, again and again.</p>
<script>document.querySelector('button').onclick = (event) => event.target.textContent++</script>`;

interface Contestant {
  step(): Promise<unknown>;
  close(): Promise<void>;
}
type Contestants = Readonly<Record<'gyre' | 'playwright' | 'bareCdp', Contestant>>;

/**
 * Speed of a browser environment beside a plain Playwright page and beside bare protocol calls, all with the same browser
 * program, in the same minutes of the same process. Takes about `seconds`. Throws `missing` without Playwright or browser.
 */
export async function benchEnv(options: { seconds?: number } = {}): Promise<EnvBench> {
  const roundMs = ((options.seconds ?? 30) * 1_000 * 0.9) / (sizes.length * rounds * 3);
  const browser: EnvBench['browser'] = [];
  for (const size of sizes) browser.push(await race(size, roundMs));
  return { browser, lease: [await leases()] };
}

async function race(size: Size, roundMs: number): Promise<EnvBench['browser'][number]> {
  const contestants: Contestants = {
    gyre: await gyre(size),
    playwright: await playwright(size),
    bareCdp: await bareCdp(size),
  };
  const names = Object.keys(contestants) as (keyof Contestants)[];
  const rates: Record<keyof Contestants, number[]> = { gyre: [], playwright: [], bareCdp: [] };
  try {
    for (const name of names) await rate(contestants[name], roundMs / 4);
    for (let round = 0; round < rounds; round++) {
      // Every round starts with another one, so that none always follows the same neighbour.
      for (let turn = 0; turn < names.length; turn++) {
        const name = names[(round + turn) % names.length]!;
        rates[name].push(await rate(contestants[name], roundMs));
      }
    }
  } finally {
    await Promise.all(names.map((name) => contestants[name].close()));
  }
  const over = (name: 'playwright' | 'bareCdp') => median(rates.gyre.map((rate, round) => rate / rates[name][round]!));
  return {
    size: `${size.width}x${size.height}`,
    mode: 'frame-stepped',
    gyre: median(rates.gyre),
    playwright: median(rates.playwright),
    bareCdp: median(rates.bareCdp),
    ratioPlaywright: over('playwright'),
    ratioBare: over('bareCdp'),
  };
}

/** Steps per second over `ms`. */
async function rate(contestant: Contestant, ms: number): Promise<number> {
  const start = performance.now();
  let steps = 0;
  while (performance.now() - start < ms) {
    await contestant.step();
    steps += 1;
  }
  return (steps * 1_000) / (performance.now() - start);
}

/** Somewhere on the button, each time a little elsewhere. */
function* places(): Generator<{ x: number; y: number }, never> {
  for (let step = 0; ; step++) yield { x: 30 + (step % 90), y: 30 + (step % 20) };
}

async function gyre(size: Size): Promise<Contestant> {
  const pool = await BrowserPool.launch();
  // One frame per step, as in the others.
  const session = await pool.lease({ size, stepMs: 1_000 / 60 });
  await session.browser.open({ html, seed: 1 });
  const place = places();
  return {
    step: async () => {
      const { x, y } = place.next().value;
      await session.screen.act({ type: 'click', point: { x: (x + 0.5) / size.width, y: (y + 0.5) / size.height } });
      return session.browser.screenshot('jpeg', quality);
    },
    close: () => pool.close(),
  };
}

async function bareCdp(size: Size): Promise<Contestant> {
  const loop = await startBareLoop({ html, size, quality });
  const place = places();
  return {
    step: () => {
      const { x, y } = place.next().value;
      return loop.step(x, y);
    },
    close: () => loop.close(),
  };
}

async function playwright(size: Size): Promise<Contestant> {
  const { chromium } = await import('playwright-core').catch((cause: unknown) => {
    throw new GyreError('missing', 'playwright-core is not installed', {
      field: 'playwright-core',
      fix: 'run `npm install --save-dev playwright-core`',
      cause,
    });
  });
  const browser = await chromium.launch({ executablePath: findBrowser().path });
  const page = await browser.newPage({ viewport: size });
  await page.setContent(html);
  const place = places();
  return {
    step: async () => {
      const { x, y } = place.next().value;
      await page.mouse.click(x, y);
      return page.screenshot({ type: 'jpeg', quality });
    },
    close: () => browser.close(),
  };
}

async function leases(): Promise<EnvBench['lease'][number]> {
  const pool = await BrowserPool.launch();
  const times: number[] = [];
  try {
    await (await pool.lease({ size: sizes[0]! })).release();
    for (let lease = 0; lease < 100; lease++) {
      const start = performance.now();
      const session = await pool.lease({ size: sizes[0]! });
      times.push(performance.now() - start);
      await session.release();
    }
  } finally {
    await pool.close();
  }
  times.sort((a, b) => a - b);
  return { kind: 'browser', p50: median(times), p99: times[Math.floor(times.length * 0.99)]! };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
