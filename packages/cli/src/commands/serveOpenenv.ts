import { BrowserPool } from '@gyre/sandbox';
import { once } from 'node:events';
import { command } from '../command.js';
import { chosenFamilies, onPages, familyFlags } from '../families.js';
import { count, host, oneOf } from '../flag.js';
import { serveOpenenv } from '../openenv/server.js';
import { openenvModes } from '../openenv/wire.js';

export const openenv = command({
  name: 'openenv',
  summary: "tasks by OpenEnv's protocol, for its stock Python client and the trainers that use it",
  description:
    'Serves tasks as an OpenEnv environment: each WebSocket at /ws has a session of its own, in which it resets, steps and reads the state. The verdict comes with the last observation. Clients send no token. Ends with ctrl-C.',
  examples: [
    'gyre serve openenv --port 8000',
    'gyre serve openenv --suite basics,games --port 8000 --sessions 8',
    'gyre serve openenv --family menu,slider --mode production',
  ],
  flags: {
    ...familyFlags(),
    host: host('the address to listen at; 0.0.0.0 is reached from elsewhere', { default: '127.0.0.1' }),
    port: count('the port; 0 is any that is free', { default: 0, min: 0 }),
    sessions: count('most clients at once', { default: 8 }),
    browsers: count('browser processes', { default: 2 }),
    idle: count('seconds after which a client that asks for nothing is sent away', { default: 600 }),
    mode: oneOf(openenvModes, 'in production the agent has its tools alone: no reset, no step, no state', {
      default: 'simulation',
    }),
  },
  async run({ host, port, sessions, browsers, idle, mode, ...chosen }, { terminal, signal, seed }) {
    const families = onPages(chosenFamilies(chosen));
    const pool = await BrowserPool.launch({ browsers, sessionsPerBrowser: Math.ceil(sessions / browsers) });
    try {
      const server = await serveOpenenv({ pool, families, sessions, mode, idleMs: idle * 1000, seed, host, port });
      terminal.log(`${server.url} with ${families.length} families of tasks (ctrl-C ends it)`);
      if (!signal.aborted) await once(signal, 'abort');
      await server.close();
      return { ok: true, result: { url: server.url } };
    } finally {
      await pool.close();
    }
  },
});
