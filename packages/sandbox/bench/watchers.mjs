/**
 * What twenty watchers of a session cost it, by WebSocket from another process: `node packages/sandbox/bench/watchers.mjs [SECONDS] [NAME]`.
 * Rounds with and without watchers take turns, so that what else runs on the machine troubles both alike.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';
import { Sandbox, serveSandbox, Tokens } from '../dist/index.js';

const watchers = 20;
const rounds = 3;

/** The other process: watches while it is told to, and says how many frames came. */
function watchFor() {
  let sockets = [];
  let frames = 0;
  process.on('message', ({ url, token, watch }) => {
    if (!watch) {
      for (const socket of sockets) socket.close();
      process.send({ frames });
      frames = 0;
      return;
    }
    sockets = Array.from({ length: watchers }, () => {
      const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
      return socket.on('message', (_, binary) => binary && frames++);
    });
    Promise.all(sockets.map((socket) => once(socket, 'open'))).then(() => process.send({}));
  });
}

const page = {
  html: '<body><p id=p style="font-size:40px"><script>let n = 0; onmousedown = () => { p.textContent = `click ${n++}`; }</script>',
  seed: 1,
};
const small = { width: 320, height: 240 };
const large = { width: 1280, height: 720 };
const contestants = {
  'stepped browser, 320 x 240': { terms: { kind: 'browser', size: small, stepMs: 1_000 / 60 } },
  'stepped browser, 1280 x 720': { terms: { kind: 'browser', size: large, stepMs: 1_000 / 60 } },
  'stepped browser, 1280 x 720, JPEG': { terms: { kind: 'browser', size: large, stepMs: 1_000 / 60 }, jpeg: true },
  'free browser, 1280 x 720': { terms: { kind: 'browser', size: large, stepMs: 1_000 / 60, clock: 'free' } },
  'desktop, 1280 x 720, raw frames': { terms: { kind: 'desktop', size: large } },
};

/** Steps of one round: a click and a frame, as an agent takes them. */
async function steps(session, jpeg, seconds) {
  const raw = session.desktop && new Uint8Array(large.width * large.height * 4);
  const start = performance.now();
  let steps = 0;
  for (; performance.now() - start < seconds * 1_000; steps++) {
    await session.screen.act({ type: 'click', point: { x: 0.2 + (steps % 10) / 20, y: 0.6 } });
    if (session.desktop) await session.desktop.pixels('bgrx', raw);
    else if (jpeg) await session.browser.screenshot('jpeg', 80);
    else await session.screen.observe();
  }
  return (steps / (performance.now() - start)) * 1_000;
}

async function run(seconds, only) {
  const other = fork(fileURLToPath(import.meta.url), ['watch']);
  const tell = async (message) => {
    other.send(message);
    return (await once(other, 'message'))[0];
  };
  const token = Tokens.random();
  const sandbox = await Sandbox.start();
  const server = await serveSandbox({ sandbox, tokens: [{ token, scope: 'admin' }] });
  for (const [name, { terms, jpeg }] of Object.entries(contestants)) {
    if (only && !name.includes(only)) continue;
    const leased = await fetch(`${server.url}/v1/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(terms),
    });
    const { id } = await leased.json();
    const session = sandbox.sessions.find((one) => one.id === id);
    await session.browser?.open(page);
    await session.desktop?.launch('mousepad');
    await session.desktop?.waitForWindow(({ program }) => program === 'Mousepad');
    await steps(session, jpeg, 0.5);
    const url = `${server.url.replace('http', 'ws')}/v1/sessions/${id}/frames`;
    const rate = { alone: 0, watched: 0 };
    let frames = 0;
    for (let round = 0; round < rounds; round++) {
      rate.alone += (await steps(session, jpeg, seconds)) / rounds;
      await tell({ url, token, watch: true });
      rate.watched += (await steps(session, jpeg, seconds)) / rounds;
      frames += (await tell({ watch: false })).frames;
    }
    const cost = 100 * (1 - rate.watched / rate.alone);
    const each = frames / watchers / rounds / seconds;
    console.log(
      `${name}: ${rate.alone.toFixed(0)} steps/s alone, ${rate.watched.toFixed(0)} with ${watchers} watchers (${cost.toFixed(0)} % less), who see ${each.toFixed(1)} frames/s`,
    );
    await session.release();
  }
  await server.close();
  await sandbox.close();
  other.disconnect();
}

if (process.argv[2] === 'watch') watchFor();
else await run(Number(process.argv[2] ?? 3), process.argv[3]);
