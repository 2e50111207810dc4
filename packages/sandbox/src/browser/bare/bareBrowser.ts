import type { CommandName } from '../cdp/protocol.js';
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Size } from '@gyre/protocol';
import { placeOnHost } from '../browserPlace.js';
import { strongestConfinement } from '../../isolation/browser/confinement.js';
import { findBrowser } from '../executable.js';
import type { Clock } from '../flags.js';

export interface BareBrowser {
  /** Resolves with undefined for a refused command. */
  send(method: CommandName, params: object, sessionId?: string): Promise<Record<string, string>>;
  open(page: { html: string; size: Size; context?: string }): Promise<string>;
  close(): Promise<void>;
}

/** Starts a browser with a pool's flags. Throws `missing`. */
export function startBareBrowser(clock: Clock): BareBrowser {
  const executable = findBrowser().path;
  const { command, remove } = placeOnHost(
    { executable, env: process.env, network: 'none', clock },
    strongestConfinement(executable),
  );
  const browser = spawn(command.file, command.args, {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
    env: command.env,
    cwd: command.cwd,
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
  const send: BareBrowser['send'] = (method, params, sessionId) =>
    new Promise((resolve) => {
      waiting.set(++lastId, resolve);
      out.write(`${JSON.stringify({ id: lastId, method, params, sessionId })}\0`);
    });
  return {
    send,
    async open({ html, size, context }) {
      const { targetId } = await send('Target.createTarget', {
        url: `data:text/html;base64,${Buffer.from(html).toString('base64')}`,
        ...size,
        browserContextId: context,
        enableBeginFrameControl: clock === 'stepped',
      });
      const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
      const metrics = { ...size, deviceScaleFactor: 1, mobile: false };
      await send('Emulation.setDeviceMetricsOverride', metrics, sessionId);
      return sessionId!;
    },
    async close() {
      if (browser.pid !== undefined) process.kill(-browser.pid, 'SIGKILL');
      await ended;
      remove();
    },
  };
}

export function bareClick(browser: BareBrowser, sessionId: string, x: number, y: number): Promise<unknown> {
  const button = { x, y, button: 'left', clickCount: 1 };
  return Promise.all([
    browser.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y }, sessionId),
    browser.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...button, buttons: 1 }, sessionId),
    browser.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...button }, sessionId),
  ]);
}
