import { openenvModes, serveOpenenv } from '@gyre/openenv';
import { BrowserPool } from '@gyre/sandbox';
import { once } from 'node:events';
import { accessFlags, accessOf } from '../flags/accessFlags.js';
import { command } from '../command.js';
import { chosenFamilies, pageFamilies } from '../families/families.js';
import { familyFlags } from '../flags/familyFlags.js';
import { count, oneOf } from '../flags/flag.js';

export const openenv = command({
  description:
    'Serves tasks as an OpenEnv environment. Each WebSocket at /ws has its own session, in which it resets, steps and reads the state. The last observation carries the verdict. The stock client sends a token as the password in the URL: http://gyre:TOKEN@HOST:PORT.',
  examples: [
    'gyre serve openenv --port 8000',
    'gyre serve openenv --suite basics,games --port 8000 --sessions 8',
    'gyre serve openenv --family menu,slider --mode production',
  ],
  flags: {
    ...familyFlags(),
    ...accessFlags,
    sessions: count('maximum number of clients', { default: 8 }),
    browsers: count('browser processes', { default: 2 }),
    idle: count('disconnect clients idle for this many seconds', { default: 600 }),
    mode: oneOf(openenvModes, 'production offers the MCP tools alone: no reset, step or state', {
      default: 'simulation',
    }),
  },
  async run({ sessions, browsers, idle, mode, ...flags }, { terminal, signal, seed }) {
    const access = accessOf(flags, 'operate', { terminal });
    const families = pageFamilies(await chosenFamilies(flags));
    const pool = await BrowserPool.launch({ browsers, sessionsPerBrowser: Math.ceil(sessions / browsers) });
    try {
      const server = await serveOpenenv({ pool, families, sessions, mode, idleMs: idle * 1000, seed, ...access });
      terminal.log(`listening at ${server.url} with ${families.length} task families (ctrl-C stops it)`);
      if (!signal.aborted) await once(signal, 'abort');
      await server.close();
      return { ok: true, result: { url: server.url } };
    } finally {
      await pool.close();
    }
  },
});
