// Stands for a model: an OpenAI-compatible endpoint that answers by a script, so a score with it says nothing of any model.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { turnFormat } from '../../../packages/protocol/dist/index.js';

const { print } = turnFormat('t5', { width: 28, height: 28 });

/** @param script returns the turn, of thought and actions, for the messages of a request and the number of answers in them. */
export async function scriptedModel(script) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const body = await json(request);
    requests.push(body);
    const answers = body.messages.filter(({ role }) => role === 'assistant').length;
    const content = print(script(JSON.stringify(body.messages), answers));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        ...{ id: 'double', object: 'chat.completion', created: 1, model: body.model },
        choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
