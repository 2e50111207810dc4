import { createServer } from 'node:http';
import sharp from 'sharp';

/** As a model would print them, with blank lines. */
export const keyPoints = ['1. Search for red', '2. Sort by price'];

/**
 * A double of the model behind WebJudge: an OpenAI-compatible server. It keeps screens whose first pixel is green, and
 * finds a task done if one of them is there.
 */
export async function webJudgeModel() {
  const requests = [];
  const answer = async ({ messages }) => {
    const { content } = messages.find(({ role }) => role === 'user');
    const { text } = content.find(({ type }) => type === 'text');
    const pictures = content.filter(({ type }) => type === 'image_url').map(({ image_url: { url } }) => url);
    if (text.startsWith('Task: ')) return `**Key Points**:\n${keyPoints.join('\n\n')}`;
    if (text.startsWith('User Task:'))
      return `Thoughts: I count.\nStatus: "${pictures.length > 0 ? 'success' : 'failure'}"`;
    const picture = Buffer.from(pictures[0].split(',')[1], 'base64');
    const [red, green] = await sharp(picture).extract({ left: 0, top: 0, width: 1, height: 1 }).raw().toBuffer();
    return `1. **Reasoning**: The page\nis ${green > red ? 'green' : 'not green'}.\n\nMore.\n2. **Score**: ${green > red ? 4 : 2}`;
  };
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.method === 'GET')
      return void response.end(JSON.stringify({ object: 'list', data: [{ id: 'o4-mini' }] }));
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      const body = JSON.parse(Buffer.concat(chunks).toString());
      requests.push(body);
      const message = { role: 'assistant', content: await answer(body) };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      response.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 0, model: body.model, choices }));
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}/v1`;
  return { url, requests, close: () => (server.closeAllConnections(), server.close()) };
}
