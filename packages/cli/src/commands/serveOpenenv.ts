import { BrowserPool } from '@gyre/sandbox';
import { once } from 'node:events';
import { accessFlags, accessOf } from '../accessFlags.js';
import { command } from '../command.js';
import { chosenFamilies, onPages } from '../families.js';
import { familyFlags } from '../familyFlags.js';
import { count, oneOf } from '../flag.js';
import { serveOpenenv } from '../openenv/server.js';
import { openenvModes } from '../openenv/wire.js';

export const openenv = command({
  description:
    'Serves tasks as an OpenEnv environment: each WebSocket at /ws has a session of its own, in which it resets, steps and reads the state. The verdict comes with the last observation. Its stock client sends a token as the password of its address, http://gyre:TOKEN@HOST:PORT. Ends with ctrl-C.',
  examples: [
    'gyre serve openenv --port 8000',
    'gyre serve openenv --suite basics,games --port 8000 --sessions 8',
    'gyre serve openenv --family menu,slider --mode production',
  ],
  flags: {
    ...familyFlags(),
    ...accessFlags,
    sessions: count('most clients at once', { default: 8 }),
    browsers: count('browser processes', { default: 2 }),
    idle: count('seconds after which a client that asks for nothing is sent away', { default: 600 }),
    mode: oneOf(openenvModes, 'in production the agent has its tools alone: no reset, no step, no state', {
      default: 'simulation',
    }),
  },
  async run({ sessions, browsers, idle, mode, ...flags }, { terminal, signal, seed }) {
    const access = accessOf(flags, 'operate', { terminal });
    const families = onPages(chosenFamilies(flags));
    const pool = await BrowserPool.launch({ browsers, sessionsPerBrowser: Math.ceil(sessions / browsers) });
    try {
      const server = await serveOpenenv({ pool, families, sessions, mode, idleMs: idle * 1000, seed, ...access });
      terminal.log(`${server.url} with ${families.length} families of tasks (ctrl-C ends it)`);
      if (!signal.aborted) await once(signal, 'abort');
      await server.close();
      return { ok: true, result: { url: server.url } };
    } finally {
      await pool.close();
    }
  },
});
