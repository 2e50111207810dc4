import { serveGateway } from '@gyre/agent';
import { Lake } from '@gyre/lake';
import { turnFormatNames } from '@gyre/protocol';
import { ServerAccess, AccessTokens } from '@gyre/sandbox';
import { once } from 'node:events';
import { join } from 'node:path';
import { accessFlags, accessOf, asUsage, secretOf } from '../accessFlags.js';
import { command, UsageError } from '../command.js';
import { address, count, optionalOneOf, outputFolder, token } from '../flag.js';

export const gateway = command({
  name: 'gateway',
  summary: "what agents do that keep their own loop, kept in the lake as it passes to their model's server",
  description:
    'Serves the API of an OpenAI-compatible server to agents of others, which change their base URL and nothing else. What they see is unchanged; each call is kept as a turn, with token ids and log-probabilities where the upstream gives them. A session has its own address, /s/NAME/v1; without one the conversation tells. POST /s/NAME/end ends its episode, with a verdict or not: one without the token of the operator is of the source agent, and is not trained on. Agents send --token as x-gyre-token or in place of their key; UPSTREAM_API_KEY is then what the upstream is sent. Ends with ctrl-C, which cuts the episodes that are open.',
  examples: [
    'gyre serve gateway --upstream http://127.0.0.1:8000/v1 --port 8001',
    'gyre serve gateway --upstream https://api.openai.com/v1 --directory captured --idle 120',
  ],
  flags: {
    upstream: address("address of the models' server, up to /v1", { default: undefined }),
    directory: outputFolder('where the lake is', { default: 'runs' }),
    format: optionalOneOf(turnFormatNames, 'how the models print turns (default: as far as each text tells)'),
    idle: count('seconds without a call after which an episode has ended', { default: 600 }),
    ...accessFlags,
    operatorToken: token(
      'the token with which an episode is given an outcome that is trained on (default: GYRE_OPERATOR_TOKEN, else a new one, printed)',
    ),
  },
  async run({ upstream, directory, format, idle, operatorToken, ...flags }, { terminal, signal }) {
    if (upstream === undefined || !URL.canParse(upstream) || !/^https?:/.test(upstream)) {
      throw new UsageError(upstream === undefined ? 'no upstream is named' : `"${upstream}" is no address`, {
        field: '--upstream',
        fix: 'give the address of an OpenAI-compatible server, such as http://127.0.0.1:8000/v1',
      });
    }
    const { tokens: ofAgents, ...access } = accessOf(flags, 'operate', { terminal });
    const given = operatorToken ?? secretOf('GYRE_OPERATOR_TOKEN');
    const operator = { token: given ?? AccessTokens.random(), scope: 'admin' as const };
    const tokens = [...ofAgents, operator];
    const upstreamKey = secretOf('UPSTREAM_API_KEY');
    asUsage(() => new ServerAccess({ ...access, tokens }));
    // What a stranger's agent did cannot be played again.
    const lake = await Lake.open(join(directory, 'lake'), { durable: true });
    try {
      const log = (line: string) => terminal.log(line);
      const known = { ...access, tokens, upstreamKey };
      const server = await serveGateway({ upstream, lake, format, idleMs: idle * 1000, log, ...known });
      terminal.log(`${server.url}/v1, or ${server.url}/s/NAME/v1 for a session of that name (ctrl-C ends it)`);
      if (given === undefined) terminal.log(`token of the operator, for outcomes: ${operator.token}`);
      if (!signal.aborted) await once(signal, 'abort');
      await server.close();
      return { ok: true, result: { url: server.url, ...server.counts } };
    } finally {
      await lake.close();
    }
  },
});
