import { type Json, type Served, serviceDouble } from './serviceDouble.test.fixture.js';

interface Item extends Json {
  readonly type?: string;
}

export type ResponsesScript = (
  number: number,
) =>
  | { readonly output: readonly Item[]; readonly incomplete?: string }
  | { readonly status: number; readonly message: string };

export const calls = (call_id: string, ...actions: object[]): Item => ({
  ...{ type: 'computer_call', id: `cu_${call_id}`, call_id, status: 'completed', pending_safety_checks: [], actions },
});
export const says = (text: string): Item => ({
  ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text, annotations: [] }],
});

/**
 * Refuses unmatched calls and outputs like OpenAI's Responses API. Based on openai 6.49.0; never compared with the API.
 */
export function responsesDouble(script: ResponsesScript) {
  return serviceDouble('/responses', (served, number) => {
    const wrong = complaint(served);
    if (wrong !== undefined) return failure(400, wrong);
    const answer = script(number);
    if ('status' in answer) return failure(answer.status, answer.message);
    return {
      body: {
        ...{ id: `resp_${number}`, object: 'response', created_at: 0, model: served.body.model, error: null },
        status: answer.incomplete === undefined ? 'completed' : 'incomplete',
        incomplete_details: answer.incomplete === undefined ? null : { reason: answer.incomplete },
        output: answer.output,
        usage: {
          ...{ input_tokens: 40, input_tokens_details: { cached_tokens: 30 } },
          ...{ output_tokens: 7, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 47 },
        },
      },
    };
  });
}

const failure = (status: number, message: string) => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null } },
});

function complaint({ headers, body }: Served): string | undefined {
  if (!headers.authorization?.startsWith('Bearer ')) return 'no key';
  const items = body.input as Item[];
  const idsOf = (kind: string) => items.filter(({ type }) => type === kind).map(({ call_id: id }) => id);
  for (const kind of ['computer_call', 'function_call']) {
    const [called, answered] = [idsOf(kind), idsOf(`${kind}_output`)];
    const lost = called.find((id) => !answered.includes(id)) ?? answered.find((id) => !called.includes(id));
    if (lost !== undefined) return `No tool output found for ${kind} ${lost as string}.`;
  }
  return undefined;
}
