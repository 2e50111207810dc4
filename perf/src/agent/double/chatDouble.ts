import { setTimeout as pause } from 'node:timers/promises';
import { printT5 } from '@gyre/protocol';

const answerDouble = printT5({
  thought: `The page shows a list of kettles with their prices. ${'The red one is further down and not to be seen yet. '.repeat(6)}I click on the second page of the list.`,
  actions: [{ type: 'click', point: { x: 0.5, y: 0.5 } }],
});

export interface CallCost {
  ms: number;
  cpuMs: number;
}

export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

export interface ChatDouble {
  readonly fetch: typeof fetch;
  /** Its own time, to be subtracted. */
  readonly spent: CallCost;
}

/**
 * Creates a double of vLLM's chat completions with token ids.
 *
 * @param options.latencyMs per answer, default none
 */
export function chatDouble({
  latencyMs = 0,
  onRequest,
}: { latencyMs?: number; onRequest?: (body: string) => void } = {}): ChatDouble {
  const spent = { ms: 0, cpuMs: 0 };
  return {
    spent,
    fetch: async (_, init) => {
      const [began, begun] = [performance.now(), cpuMs()];
      const answer = answerTo(Buffer.from((init?.body as Uint8Array).buffer), onRequest);
      spent.ms += performance.now() - began;
      spent.cpuMs += cpuMs() - begun;
      if (latencyMs > 0) await pause(latencyMs);
      return answer;
    },
  };
}

/** Approximately Qwen's: one token per 28 x 28 px. */
const pictureTokens = 1196;
const tokenCharacters = 4;

/** Searches bytes: text would burden the garbage collector at the loop's expense. */
function answerTo(body: Buffer, onRequest?: (body: string) => void): Response {
  onRequest?.(body.toString());
  let [pictures, text] = [0, body.length];
  for (let start = body.indexOf('base64,'); start >= 0; start = body.indexOf('base64,', start)) {
    const end = body.indexOf('"', start);
    pictures++;
    text -= end - start;
    start = end;
  }
  const prompt = Math.round(pictures * pictureTokens + text / tokenCharacters);
  const asksSummary = body.includes('Do not go on yet.');
  const content = asksSummary ? 'I looked for the kettle, and have not found it.' : answerDouble;
  const ids = Array.from({ length: Math.round(content.length / tokenCharacters) }, (_, index) => index);
  const logprobs = ids.map(() => ({ token: 'x', logprob: -0.5, bytes: null, top_logprobs: [] }));
  const answer = {
    id: 'chatcmpl-double',
    object: 'chat.completion',
    created: 0,
    model: 'double',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content },
        finish_reason: 'stop',
        token_ids: ids,
        logprobs: { content: logprobs },
      },
    ],
    prompt_token_ids: Array.from({ length: prompt }, (_, index) => index),
    usage: { prompt_tokens: prompt, completion_tokens: ids.length, total_tokens: prompt + ids.length },
  };
  return new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } });
}
