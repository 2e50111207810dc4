import { serveModel } from '@gyre/agent';
import { once } from 'node:events';
import { command } from '../command.js';
import { count, host, name } from '../flag.js';
import { openNative, weightsFlags } from '../policies.js';

export const model = command({
  name: 'model',
  summary: "the native policy by OpenAI's chat completions",
  description:
    'Serves the native policy to any client of an OpenAI-compatible server: the first user message is the instruction, the newest image the screen, and each answer one turn in T5, with token ids and log-probabilities where they are asked for. Ends with ctrl-C.',
  examples: ['gyre serve model --port 8000', 'gyre run click/test/7 --model http://127.0.0.1:8000/v1'],
  flags: {
    ...weightsFlags,
    host: host('the address to listen at; 0.0.0.0 is reached from elsewhere', { default: '127.0.0.1' }),
    port: count('the port; 0 is any that is free', { default: 0, min: 0 }),
    name: name("the model's name", { default: 'nano' }),
  },
  async run({ host, port, name, ...weights }, { terminal, signal }) {
    const engine = await openNative(weights);
    try {
      const server = await serveModel({ engine, name, host, port });
      terminal.log(`${server.url} (ctrl-C ends it)`);
      if (!signal.aborted) await once(signal, 'abort');
      await server.close();
      return { ok: true, result: { url: server.url } };
    } finally {
      await engine.close();
    }
  },
});
