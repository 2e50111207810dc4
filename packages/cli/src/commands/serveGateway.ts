import { serveGateway } from '@gyre/agent';
import { Lake } from '@gyre/lake';
import { turnFormatNames } from '@gyre/protocol';
import { ServerAccess, AccessTokens } from '@gyre/sandbox';
import { once } from 'node:events';
import { join } from 'node:path';
import { accessFlags, accessOf, rethrowAsUsage, takeSecret } from '../flags/accessFlags.js';
import { command, UsageError } from '../command.js';
import { address, count, optionalOneOf, outputFolder, token } from '../flags/flag.js';

export const gateway = command({
  description:
    "Proxies an OpenAI-compatible server for agents that run their own loop; they change their base URL and nothing else. Each call is stored as a turn, with token ids and log-probabilities if the upstream returns them. A session has its own base URL, /s/NAME/v1; without one, the conversation identifies it. POST /s/NAME/end ends its episode, with or without a verdict. A verdict without the operator's token comes from the agent and is not trained on. Agents send --token as x-gyre-token, or in place of their API key; the upstream then gets UPSTREAM_API_KEY. Ctrl-C stops the proxy and stores the open episodes.",
  examples: [
    'gyre serve gateway --upstream http://127.0.0.1:8000/v1 --port 8001',
    'gyre serve gateway --upstream https://api.openai.com/v1 --directory captured --idle 120',
  ],
  flags: {
    upstream: address('base URL of the model server, up to /v1', { default: undefined }),
    directory: outputFolder('directory of the lake', { default: 'runs' }),
    format: optionalOneOf(turnFormatNames, 'turn format of the models (default: detect it)'),
    idle: count('end an episode after this many seconds without a call', { default: 600 }),
    ...accessFlags,
    operatorToken: token(
      'token for verdicts that are trained on (default: GYRE_OPERATOR_TOKEN, or a new one, printed)',
    ),
  },
  async run({ upstream, directory, format, idle, operatorToken, ...flags }, { terminal, signal }) {
    if (upstream === undefined || !URL.canParse(upstream) || !/^https?:/.test(upstream)) {
      throw new UsageError(upstream === undefined ? '--upstream is missing' : `"${upstream}" is not a URL`, {
        field: '--upstream',
        fix: 'use the base URL of an OpenAI-compatible server, such as http://127.0.0.1:8000/v1',
      });
    }
    const { tokens: agentTokens, ...access } = accessOf(flags, 'operate', { terminal });
    const operatorSecret = operatorToken ?? takeSecret('GYRE_OPERATOR_TOKEN');
    const operator = { token: operatorSecret ?? AccessTokens.random(), scope: 'admin' as const };
    const tokens = [...agentTokens, operator];
    const upstreamKey = takeSecret('UPSTREAM_API_KEY');
    rethrowAsUsage(() => new ServerAccess({ ...access, tokens }));
    // Durable: external episodes cannot be replayed.
    const lake = await Lake.open(join(directory, 'lake'), { durable: true });
    try {
      const log = (line: string) => terminal.log(line);
      const known = { ...access, tokens, upstreamKey };
      const server = await serveGateway({ upstream, lake, format, idleMs: idle * 1000, log, ...known });
      terminal.log(`listening at ${server.url}/v1, and ${server.url}/s/NAME/v1 for a named session (ctrl-C stops it)`);
      if (operatorSecret === undefined) terminal.log(`operator token, for verdicts: ${operator.token}`);
      if (!signal.aborted) await once(signal, 'abort');
      await server.close();
      return { ok: true, result: { url: server.url, ...server.counts } };
    } finally {
      await lake.close();
    }
  },
});
