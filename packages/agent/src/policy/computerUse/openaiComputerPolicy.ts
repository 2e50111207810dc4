import OpenAI from 'openai';
import type { Response, ResponseInputItem } from 'openai/resources/responses/responses';
import type { Size } from '@gyre/protocol';
import { z } from 'zod';
import { maxShown } from '../../language/conversation.js';
import { placeholderFrame } from '../../gateway/placeholderFrame.js';
import type { Context, Decision, PastTurn } from '../policy.js';
import {
  type ComputerUseOptions,
  type ComputerUsePolicy,
  computerUsePrompt,
  decisionFrom,
  shownFrame,
  sizeAt,
} from './computerUse.js';
import { modelFailure, readOrBlame } from './modelFailure.js';
import { readOpenaiCall } from './openaiCalls.js';
import { scaledPicture } from './scaledScreen.js';
import { type ReadCall, resultsOf } from './toolCall.js';

const Output = z.array(
  z.looseObject({
    type: z.string(),
    call_id: z.string().optional(),
    action: z.unknown().optional(),
    actions: z.unknown().optional(),
    name: z.string().optional(),
    pending_safety_checks: z.array(z.unknown()).nullish(),
  }),
);
type Output = z.infer<typeof Output>;

/**
 * Plays an OpenAI model with the Responses API's computer tool, as a baseline. A turn's text is the output as JSON, so
 * that conversations derive from the episode alone and OpenAI stores nothing. A safety check for a person ends the
 * episode as `call_user`, unacknowledged.
 */
export function openaiComputerPolicy(options: ComputerUseOptions): ComputerUsePolicy {
  const { model, apiKey, url, minScreenshots = 5, maxTokens = 4096, timeoutMs = 120_000, retries = 4 } = options;
  const counts = { turns: 0, malformed: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
  const client = new OpenAI({
    apiKey,
    ...(url !== undefined && { baseURL: url }),
    timeout: timeoutMs,
    maxRetries: retries,
  });
  return {
    name: model,
    screenshots: maxShown(minScreenshots),
    counts,
    async decide(context) {
      const input = await conversation(context, minScreenshots);
      const answer = await client.responses
        .create({
          ...{ model, instructions: computerUsePrompt, input, max_output_tokens: maxTokens, store: false },
          tools: [{ type: 'computer' }],
          include: ['reasoning.encrypted_content'],
        })
        .catch((error: unknown) => {
          throw modelFailure(error, { service: 'OpenAI', model });
        });
      const size = sizeAt(context, context.turns.length);
      const { decision, malformed } = readOrBlame(answer, (response) => decisionOf(response, size), {
        service: 'OpenAI',
        model,
      });
      counts.turns++;
      if (malformed) counts.malformed++;
      // Servers omit fields that the SDK's types promise.
      const usage: Partial<NonNullable<typeof answer.usage>> = answer.usage ?? {};
      counts.inputTokens += usage.input_tokens ?? 0;
      counts.cachedTokens += usage.input_tokens_details?.cached_tokens ?? 0;
      counts.outputTokens += usage.output_tokens ?? 0;
      return decision;
    },
  };
}

function decisionOf(answer: Response, size: Size): { decision: Decision; malformed: boolean } {
  const output = Output.parse(answer.output);
  const parts = answer.output.flatMap((item) => (item.type === 'message' ? item.content : []));
  const text = parts
    .map((part) => (part.type === 'output_text' ? part.text : ''))
    .join('\n')
    .trim();
  const summaries = answer.output.flatMap((item) => (item.type === 'reasoning' ? item.summary : []));
  const thought = [...summaries.map((each) => each.text), text].filter((each) => each !== '').join('\n');
  const printed = { text: JSON.stringify(answer.output), ...(thought !== '' && { thought }) };
  const checked = output.some(({ pending_safety_checks: checks }) => checks && checks.length > 0);
  const declined = checked || parts.some((part) => part.type === 'refusal');
  const why = answer.incomplete_details?.reason ?? answer.error?.message ?? answer.status ?? 'no reason given';
  const end = declined ? 'declined' : answer.status === 'completed' ? 'whole' : { brokenOff: why };
  return decisionFrom(printed, { end, calls: callsOf(output, size), text });
}

const isCall = ({ type }: Output[number]) => type === 'computer_call' || type === 'function_call';

function callsOf(output: Output, size: Size): ReadCall[] {
  return output
    .filter(isCall)
    .map((item) =>
      item.type === 'computer_call'
        ? readOpenaiCall(item, size)
        : { wrong: `unknown tool "${item.name ?? ''}"; only the computer is available` },
    );
}

async function conversation(context: Context, minScreenshots: number): Promise<ResponseInputItem[]> {
  const { task, turns } = context;
  // Outputs require an image: the smallest replaces dropped screenshots.
  const urlOf = async (observation: number): Promise<string> =>
    `data:image/png;base64,${await scaledPicture(shownFrame(context, minScreenshots, observation) ?? placeholderFrame)}`;
  const items: ResponseInputItem[] = [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: task.instruction },
        { type: 'input_image', image_url: await urlOf(0), detail: 'original' },
      ],
    },
  ];
  for (const [index, turn] of turns.entries()) {
    const output = outputOf(turn);
    if (output) items.push(...(output as ResponseInputItem[]));
    else
      items.push({ role: 'assistant', content: `${turn.thought ?? turn.text ?? ''}\n${JSON.stringify(turn.actions)}` });
    items.push(...answers(output ?? [], turn, sizeAt(context, index), await urlOf(index + 1)));
  }
  return items;
}

/** Returns undefined for another policy's turn. */
function outputOf({ text }: PastTurn): Output | undefined {
  try {
    return Output.safeParse(JSON.parse(text ?? '')).data;
  } catch {
    return undefined;
  }
}

/** Errors follow as a message: a computer output cannot hold them. */
function answers(
  output: Output,
  { actions, observation }: PastTurn,
  size: Size,
  image_url: string,
): ResponseInputItem[] {
  const calls = output.filter(isCall);
  const results = resultsOf(callsOf(output, size), actions);
  const failed = results.flatMap((result) => (result === 'done' ? [] : [result.failed]));
  const texts = [...failed, ...(observation.results ?? []).map(({ text }) => text)].map((text) => ({
    type: 'input_text' as const,
    text,
  }));
  const picture = { type: 'input_image' as const, image_url, detail: 'original' as const };
  const seen = calls.some(({ type }) => type === 'computer_call');
  const content = [...texts, ...(seen ? [] : [picture])];
  return [
    ...calls.map(({ type, call_id = '' }, index): ResponseInputItem => {
      const result = results[index] ?? 'done';
      return type === 'computer_call'
        ? { type: 'computer_call_output', call_id, output: { type: 'computer_screenshot', image_url } }
        : { type: 'function_call_output', call_id, output: result === 'done' ? 'done' : result.failed };
    }),
    ...(content.length > 0 ? [{ role: 'user' as const, content }] : []),
  ];
}
