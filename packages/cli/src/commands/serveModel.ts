import { serveModel } from '@gyre/agent';
import { once } from 'node:events';
import { accessFlags, accessOf } from '../flags/accessFlags.js';
import { command } from '../command.js';
import { name } from '../flags/flag.js';
import { openNative, readerFlag, weightsFlags } from '../policies/policies.js';

export const model = command({
  description:
    'Serves the native policy to any client of an OpenAI-compatible server. The first user message is the instruction, the newest image is the screen, and each answer is one turn in T5, with token ids and log-probabilities on request.',
  examples: ['gyre serve model --port 8000', 'gyre run click/test/7 --model http://127.0.0.1:8000/v1'],
  flags: {
    ...weightsFlags,
    reader: readerFlag,
    ...accessFlags,
    name: name('model name', { default: 'nano' }),
  },
  async run({ name, ...flags }, { terminal, signal }) {
    const access = accessOf(flags, 'operate', { terminal });
    const { engine, reader, close } = await openNative(flags);
    try {
      const server = await serveModel({ engine, reader, name, ...access });
      terminal.log(`listening at ${server.url} (ctrl-C stops it)`);
      if (!signal.aborted) await once(signal, 'abort');
      await server.close();
      return { ok: true, result: { url: server.url } };
    } finally {
      await close();
    }
  },
});
