import { GyreError } from '@gyre/protocol';
import { describe, expect, it } from 'vitest';
import { frameOf, type Frame } from './frame.js';
import { FrameFeed } from './frameFeed.js';

function screen({ costMs = 0, still = false } = {}) {
  const seen = { looks: 0 };
  const look = async () => {
    seen.looks++;
    const png = Buffer.from(still ? 'the same' : String(seen.looks));
    return { frame: frameOf(png, { width: 1, height: 1 }), costMs };
  };
  return { seen, look };
}

async function watch(feed: FrameFeed, count: number, perSecond = 200): Promise<string[]> {
  const frames: string[] = [];
  for await (const { png } of feed.frames({ perSecond })) {
    frames.push(Buffer.from(png).toString());
    if (frames.length === count) break;
  }
  return frames;
}

const tick = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('the frames of a screen', () => {
  it('are captured once for all watchers', async () => {
    const { seen, look } = screen();
    const feed = new FrameFeed(look);
    const watchers = await Promise.all(Array.from({ length: 20 }, () => watch(feed, 5)));
    for (const frames of watchers) {
      expect(frames).toHaveLength(5);
      expect(frames).toEqual(frames.toSorted((a, b) => Number(a) - Number(b)));
    }
    // Separate captures would be 100.
    expect(seen.looks).toBeLessThan(40);
  });

  it('are not captured without watchers', async () => {
    const { seen, look } = screen();
    const feed = new FrameFeed(look);
    await watch(feed, 2);
    const frames = feed.frames({ perSecond: 200 });
    await frames.next();
    const { looks } = seen;
    await tick(50);
    expect(seen.looks).toBe(looks);
  });

  it('skip to the newest for slow watchers', async () => {
    const { look } = screen();
    const feed = new FrameFeed(look);
    const slow = feed.frames({ perSecond: 1_000 });
    await slow.next();
    const fast = await watch(feed, 10, 1_000);
    const next = await slow.next();
    expect(Number(Buffer.from((next.value as Frame).png).toString())).toBeGreaterThanOrEqual(Number(fast.at(-1)));
    await slow.return();
  });

  it('are given again only when they have changed', async () => {
    const { seen, look } = screen({ still: true });
    const feed = new FrameFeed(look);
    const frames = feed.frames({ perSecond: 1_000 });
    await frames.next();
    const next = frames.next();
    await expect.poll(() => seen.looks).toBeGreaterThan(3);
    feed.end();
    expect((await next).done).toBe(true);
  });

  it('use no more than their time share', async () => {
    const { seen, look } = screen({ costMs: 50 });
    const feed = new FrameFeed(look, () => 0.5);
    const begin = performance.now();
    await watch(feed, 4, 1_000);
    // 50 ms of each 100.
    expect(performance.now() - begin).toBeGreaterThan(290);
    expect(seen.looks).toBe(4);
  });

  it('end for a watcher that left, even if nothing changes', async () => {
    const feed = new FrameFeed(screen({ still: true }).look);
    const gone = new AbortController();
    const frames = feed.frames({ perSecond: 100, signal: gone.signal });
    await frames.next();
    const next = frames.next();
    gone.abort();
    expect((await next).done).toBe(true);
  });

  it('fail for all who wait, and come again', async () => {
    const { look } = screen();
    let broken = true;
    const feed = new FrameFeed(async () => {
      if (broken) throw new GyreError('infra', 'the screen is gone', { part: 'display' });
      return look();
    });
    const both = await Promise.allSettled([watch(feed, 1), watch(feed, 1)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    broken = false;
    expect(await watch(feed, 1)).toEqual(['1']);
  });

  it('have a rate', async () => {
    const feed = new FrameFeed(screen().look);
    await expect(feed.frames({ perSecond: 0 }).next()).rejects.toMatchObject({ detail: { field: 'perSecond' } });
  });
});
