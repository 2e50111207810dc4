import { Sandbox, isolations, serveMcp } from '@gyre/sandbox';
import { command } from '../command.js';
import { oneOf, optionalWords } from '../flags/flag.js';
import { optionalSize } from '../flags/sizeFlag.js';
import { loadFlags, loadTerms } from '../flags/loadFlags.js';

export const mcp = command({
  description:
    'Leases one isolated machine and offers it to the MCP client that started this command: actions on its screen, each answered with a screenshot, its shell and its files. Ends with the client, or on ctrl-C.',
  examples: [
    'gyre serve mcp',
    'gyre serve mcp --kind desktop --size 1024x768',
    'gyre serve mcp --allow example.org,*.wikipedia.org',
    'gyre serve mcp --allow 127.0.0.1:3000',
  ],
  flags: {
    kind: oneOf(['browser', 'desktop'], 'kind of machine', { default: 'browser' }),
    size: optionalSize('screen in px (default: 1280x720)'),
    clock: oneOf(['free', 'stepped'], 'browser time: real, or frozen between actions', { default: 'free' }),
    allow: optionalWords('hosts it may reach, and local ports such as 127.0.0.1:3000 (default: none)', {
      example: 'example.org,*.wikipedia.org',
    }),
    ...loadFlags,
    isolation: oneOf(isolations, 'isolation (auto picks the strongest available; "none" must be explicit)', {
      default: 'auto',
    }),
  },
  async run({ kind, size, clock, allow, isolation, ...flags }, { terminal, signal }) {
    const sandbox = await Sandbox.start({ isolation });
    try {
      const session = await sandbox.lease({
        kind,
        clock,
        ...loadTerms(flags),
        ttlMs: 2 ** 31 - 1,
        ...(size && { size }),
        ...(allow && { network: { allow } }),
      });
      terminal.log(`serving a ${kind} over MCP on stdio (ctrl-C stops it)`);
      await serveMcp({ session, signal });
      return { ok: true, result: { kind } };
    } finally {
      await sandbox.close();
    }
  },
});
