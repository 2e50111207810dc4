import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Size } from '@gyre/protocol';
import { tickMs } from './clock.js';
import { findBrowser } from './executable.js';
import { browserFlags } from './flags.js';

/** The least that clicks and draws: what benchmarks hold a session against. */
export interface BareLoop {
  /** Clicks a place in px, draws one frame and returns it as a JPEG. */
  step(x: number, y: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** The same browser with the same flags, driven by nothing but the protocol: no leases, clocks, time-outs or recovery. */
export async function startBareLoop(options: { html: string; size: Size; quality: number }): Promise<BareLoop> {
  const profile = mkdtempSync(join(tmpdir(), 'gyre-bare-'));
  const root = process.getuid?.() === 0;
  const browser = spawn(findBrowser().path, browserFlags({ profile, network: 'none', clock: 'stepped', root }), {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = new Promise<void>((resolve) => browser.once('exit', () => resolve()));
  const out = browser.stdio[3] as Writable;
  const waiting = new Map<number, (result: Record<string, string>) => void>();
  let rest = Buffer.alloc(0);
  let lastId = 0;
  (browser.stdio[4] as Readable).on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      const message = JSON.parse(rest.subarray(0, end).toString()) as { id: number; result: Record<string, string> };
      rest = rest.subarray(end + 1);
      waiting.get(message.id)?.(message.result);
      waiting.delete(message.id);
    }
  });
  const send = (method: string, params: object, sessionId?: string) =>
    new Promise<Record<string, string>>((resolve) => {
      waiting.set(++lastId, resolve);
      out.write(`${JSON.stringify({ id: lastId, method, params, sessionId })}\0`);
    });

  const { targetId } = await send('Target.createTarget', {
    url: `data:text/html;base64,${Buffer.from(options.html).toString('base64')}`,
    ...options.size,
    enableBeginFrameControl: true,
  });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const metrics = { ...options.size, deviceScaleFactor: 1, mobile: false };
  await send('Emulation.setDeviceMetricsOverride', metrics, sessionId);

  let time = Number(process.hrtime.bigint() / 1_000_000n);
  const screenshot = { format: 'jpeg', quality: options.quality };
  return {
    async step(x, y) {
      const button = { x, y, button: 'left', clickCount: 1 };
      await Promise.all([
        send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y }, sessionId),
        send('Input.dispatchMouseEvent', { type: 'mousePressed', ...button, buttons: 1 }, sessionId),
        send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...button }, sessionId),
      ]);
      for (;;) {
        time += tickMs;
        const frame = { frameTimeTicks: time, interval: tickMs, screenshot };
        const { screenshotData } = await send('HeadlessExperimental.beginFrame', frame, sessionId);
        if (screenshotData !== undefined) return Buffer.from(screenshotData, 'base64');
      }
    },
    async close() {
      if (browser.pid !== undefined) process.kill(-browser.pid, 'SIGKILL');
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
