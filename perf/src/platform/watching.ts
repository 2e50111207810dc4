import { type Sandbox, type MachineLease, type SandboxSession } from '@gyre/sandbox';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { serveSession } from './servedSession.js';

/** Per second, alone and watched remotely. */
export interface WatchingRow {
  session: string;
  watchers: number;
  alone: number;
  watched: number;
  /** Share of steps; negative with noise. */
  cost: number;
  /** Per watcher. */
  framesPerSecond: number;
}

const watchers = 20;
const rounds = 3;

const page = {
  html: '<body><p id=p style="font-size:40px"><script>let n = 0; onmousedown = () => { p.textContent = `click ${n++}`; }</script>',
  seed: 1,
};
const small = { width: 320, height: 240 };
const large = { width: 1280, height: 720 };
const frame = { stepMs: 1_000 / 60 };

const contestants: Readonly<Record<string, MachineLease>> = {
  'stepped browser, 320x240': { kind: 'browser', size: small, ...frame },
  'stepped browser, 1280x720': { kind: 'browser', size: large, ...frame },
  'free browser, 1280x720': { kind: 'browser', size: large, clock: 'free', ...frame },
  'desktop, 1280x720, raw': { kind: 'desktop', size: large },
};

/** Alternates watched and unwatched rounds, to share other load. */
export async function measureWatching(sandbox: Sandbox, ms: number): Promise<WatchingRow[]> {
  const others = fork(fileURLToPath(new URL('./watchersProgram.js', import.meta.url)));
  try {
    const rows: WatchingRow[] = [];
    const each = ms / (Object.keys(contestants).length * rounds * 2);
    for (const [name, terms] of Object.entries(contestants))
      rows.push(await watch(sandbox, others, { name, terms, each }));
    return rows;
  } finally {
    others.disconnect();
  }
}

async function watch(
  sandbox: Sandbox,
  others: ChildProcess,
  { name, terms, each }: { name: string; terms: MachineLease; each: number },
): Promise<WatchingRow> {
  const { server, token, session } = await serveSession(sandbox, terms);
  const url = `${server.url.replace('http', 'ws')}/v1/sessions/${session.id}/frames`;
  const tell = async (message: object | string): Promise<number> => {
    others.send(message);
    return Number((await once(others, 'message'))[0]);
  };
  try {
    await session.browser?.open(page);
    await session.desktop?.launch('xterm');
    await session.desktop?.waitForWindow(() => true);
    await rate(session, 300);
    let [alone, watched, frames] = [0, 0, 0];
    for (let round = 0; round < rounds; round++) {
      alone += (await rate(session, each)) / rounds;
      await tell({ url, token, watchers });
      watched += (await rate(session, each)) / rounds;
      frames += await tell('stop');
    }
    const framesPerSecond = (frames * 1_000) / (watchers * rounds * each);
    return { session: name, watchers, alone, watched, cost: 1 - watched / alone, framesPerSecond };
  } finally {
    await server.close();
  }
}

async function rate({ screen, desktop }: SandboxSession, ms: number): Promise<number> {
  const raw = new Uint8Array(desktop ? large.width * large.height * 4 : 0);
  const start = performance.now();
  let steps = 0;
  for (; performance.now() - start < ms; steps++) {
    await screen.act({ type: 'click', point: { x: 0.2 + (steps % 10) / 20, y: 0.6 } });
    await (desktop ? desktop.pixels('bgrx', raw) : screen.observe());
  }
  return (steps * 1_000) / (performance.now() - start);
}
