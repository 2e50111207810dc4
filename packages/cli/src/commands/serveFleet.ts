import { connectNats, serveFleet, strategies } from '@gyre/fleet';
import { once } from 'node:events';
import { accessFlags, accessOf } from '../flags/accessFlags.js';
import { command, UsageError } from '../command.js';
import { count, oneOf, optionalCount, toggle } from '../flags/flag.js';
import { frontFlags } from '../flags/fleetFlags.js';
import { newTokens, readTokens, tokensFlag } from '../flags/tokensFile.js';

export const fleet = command({
  description:
    'Leases the sessions of many machines, with the API of gyre serve sandbox. Each machine runs gyre serve sandbox --join. Start several fronts for availability: none of them leads. Ctrl-C stops it; sessions continue.',
  examples: [
    'gyre serve fleet --join nats://10.0.0.5:4222 --port 8700',
    'gyre serve fleet --join nats://a:4222,nats://b:4222 --host 0.0.0.0 --port 8700 --tokens tokens.json --per-token 64',
    'gyre serve fleet --join nats://10.0.0.5:4222 --place pack --proxy',
  ],
  flags: {
    ...accessFlags,
    ...frontFlags,
    tokens: tokensFlag,
    perToken: optionalCount('maximum number of sessions per token, over the whole fleet (default: unlimited)'),
    place: oneOf(strategies, 'spread leases evenly, or pack them on few nodes', { default: 'spread' }),
    proxy: toggle('pass all calls on, for clients that cannot reach the nodes'),
    connections: count('maximum number of connections', { default: 4096 }),
  },
  async run(flags, { terminal, signal }) {
    const { join, fleet, natsCreds, tokens: file, perToken, place, proxy, connections } = flags;
    if (join === undefined) {
      throw new UsageError('a fleet needs NATS', { field: '--join', fix: 'add --join nats://127.0.0.1:4222' });
    }
    const listed = file === undefined ? [] : await readTokens(file);
    // The front requires a token anyway.
    const access = accessOf({ ...flags, requireToken: false }, 'admin', { terminal, listed });
    const fresh = access.tokens.length === 0 ? newTokens() : [];
    const tokens = [...access.tokens, ...fresh];
    const nc = await connectNats({ servers: join, credentials: natsCreds }, 'front');
    try {
      const front = { nc, fleet, perOwner: perToken, strategy: place, direct: !proxy, connections };
      const server = await serveFleet({ ...access, ...front, tokens });
      terminal.log(`listening at ${server.url} (ctrl-C stops it)`);
      for (const { token, scope } of fresh) terminal.log(`${scope}: ${token}`);
      if (!signal.aborted) await once(signal, 'abort');
      await server.close();
      return { ok: true, result: { url: server.url } };
    } finally {
      await nc.close();
    }
  },
});
