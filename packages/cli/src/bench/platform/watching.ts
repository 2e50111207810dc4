import type { Sandbox } from '@gyre/sandbox';
import { once } from 'node:events';
import WebSocket from 'ws';
import { serveSession } from './servedSession.js';

/** Clicks and frames per second of a session, while so many watch it over the network. */
export interface WatchingRow {
  watchers: number;
  stepsPerSecond: number;
  /** Frames that one watcher got, per second. */
  framesPerSecond: number;
}

const html = `<!doctype html><style>button { font: 40px sans-serif; width: 300px; height: 200px }</style>
<button onclick="this.textContent++">0</button><p>The quick brown fox jumps over the lazy dog.</p>`;

/** The same session with and without watchers, in turns; means over the turns. */
export async function measureWatching(sandbox: Sandbox, counts: readonly number[], ms: number): Promise<WatchingRow[]> {
  const { server, token, session } = await serveSession(sandbox);
  const rounds = 4;
  try {
    await session.browser!.open({ html, seed: 1 });
    const rows = counts.map((watchers) => ({ watchers, stepsPerSecond: 0, framesPerSecond: 0 }));
    for (let round = 0; round < rounds; round++) {
      for (const row of rows) {
        let frames = 0;
        const sockets = Array.from({ length: row.watchers }, () => {
          const url = `${server.url.replace('http', 'ws')}/v1/sessions/${session.id}/frames?perSecond=10`;
          return new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
        });
        await Promise.all(sockets.map((socket) => once(socket, 'open')));
        for (const socket of sockets) socket.on('message', (_, binary) => void (frames += binary ? 1 : 0));
        const start = performance.now();
        let steps = 0;
        while (performance.now() - start < ms / (rounds * counts.length)) {
          await session.screen.act({ type: 'click', point: { x: 0.2, y: 0.2 } });
          await session.screen.observe();
          steps++;
        }
        const seconds = (performance.now() - start) / 1_000;
        row.stepsPerSecond += steps / seconds / rounds;
        row.framesPerSecond += frames / seconds / Math.max(1, row.watchers) / rounds;
        for (const socket of sockets) socket.terminate();
      }
    }
    return rows;
  } finally {
    await server.close();
  }
}
