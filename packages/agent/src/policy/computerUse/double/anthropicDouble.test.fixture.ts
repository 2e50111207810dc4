import { type Json, type Served, serviceDouble } from './serviceDouble.test.fixture.js';

interface Block extends Json {
  readonly type: string;
}

export type AnthropicScript = (
  number: number,
) =>
  | { readonly content: readonly Block[]; readonly stop_reason?: string }
  | { readonly status: number; readonly type: string; readonly message: string };

export const use = (id: string, name: string, input: object): Block => ({
  ...{ type: 'tool_use', id, name, input, toolset_name: 'computer', caller: { type: 'direct' } },
});
export const says = (text: string): Block => ({ type: 'text', text, citations: null });

/**
 * Refuses like Anthropic's Messages API: missing version, non-alternating roles, empty content, tool calls without
 * results. Based on SDK 1.12.0 and documentation; never compared with the API.
 */
export function anthropicDouble(script: AnthropicScript) {
  return serviceDouble('/v1/messages', (served, number) => {
    const wrong = complaint(served);
    if (wrong !== undefined) return failure(400, 'invalid_request_error', wrong);
    const answer = script(number);
    if ('status' in answer) return failure(answer.status, answer.type, answer.message);
    const called = answer.content.some(({ type }) => type === 'tool_use');
    return {
      body: {
        ...{ id: `msg_${number}`, type: 'message', role: 'assistant', model: served.body.model },
        content: answer.content,
        stop_reason: answer.stop_reason ?? (called ? 'tool_use' : 'end_turn'),
        stop_sequence: null,
        usage: { input_tokens: 10, cache_read_input_tokens: 30, cache_creation_input_tokens: 5, output_tokens: 7 },
      },
    };
  });
}

const failure = (status: number, type: string, message: string) => ({
  status,
  body: { type: 'error', error: { type, message } },
});

function complaint({ headers, body }: Served): string | undefined {
  if (!headers['anthropic-version']) return 'anthropic-version: header is required';
  const messages = body.messages as { role: string; content: Block[] }[];
  let open: Block[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== (index % 2 === 0 ? 'user' : 'assistant')) return `messages.${index}: roles must alternate`;
    if (content.length === 0) return `messages.${index}: content must not be empty`;
    if (content.some(({ type, text }) => type === 'text' && text === ''))
      return 'text content blocks must be non-empty';
    const results = content.filter(({ type }) => type === 'tool_result');
    const answered = results.map(({ tool_use_id: id, toolset_name: family }) => JSON.stringify([id, family]));
    const expected = open.map(({ id, toolset_name: family }) => JSON.stringify([id, family]));
    if (JSON.stringify(answered) !== JSON.stringify(expected))
      return `messages.${index}: tool_use ids were found without tool_result blocks: ${expected.join()}`;
    if (
      results.some(({ is_error: bad, content: parts }) => bad && (parts as Block[]).some(({ type }) => type !== 'text'))
    )
      return `messages.${index}: an error holds text alone`;
    open = content.filter(({ type }) => type === 'tool_use');
  }
  return open.length > 0 ? 'the last message must be the user’s' : undefined;
}
