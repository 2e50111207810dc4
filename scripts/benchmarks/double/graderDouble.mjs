import { createServer } from 'node:http';

/**
 * Starts an OpenAI-compatible server that grades by script: it repeats the grade that a response asks for, such as
 * `GRADE yes 90%`. Records requests' messages.
 */
export async function graderDouble() {
  const requests = [];
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url.endsWith('/models')) return response.end('{"object":"list","data":[{"id":"grader-double"}]}');
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { messages } = JSON.parse(Buffer.concat(chunks).toString());
    requests.push(messages);
    const [, correct, confidence] = /GRADE (\w+) (\d+%)/.exec(messages.at(-1).content);
    const content = `extracted_final_answer: 1924\nreasoning: as asked\ncorrect: ${correct}\nconfidence: ${confidence}`;
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }];
    response.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 0, model: 'grader-double', choices }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    requests,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
