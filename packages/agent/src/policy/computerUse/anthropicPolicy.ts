import type Anthropic from '@anthropic-ai/sdk';
import type {
  ContentBlockParam,
  Message,
  MessageParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages/messages';
import type { Size } from '@gyre/protocol';
import { z } from 'zod';
import { maxShown } from '../../language/conversation.js';
import type { Context, Decision, PastTurn } from '../policy.js';
import { unsupportedMembers, readAnthropicCall } from './anthropicCalls.js';
import {
  type AnswerEnd,
  type ComputerUseOptions,
  type ComputerUsePolicy,
  computerUsePrompt,
  decisionFrom,
  omittedScreenshot,
  shownFrame,
  sizeAt,
} from './computerUse.js';
import { modelFailure, readOrBlame } from './modelFailure.js';
import { scaledPicture } from './scaledScreen.js';
import { type ReadCall, resultsOf } from './toolCall.js';

const Content = z.array(
  z.looseObject({
    type: z.string(),
    id: z.string().optional(),
    name: z.string().optional(),
    input: z.unknown().optional(),
    toolset_name: z.string().nullish(),
    text: z.string().optional(),
    thinking: z.string().optional(),
  }),
);
type Content = z.infer<typeof Content>;

const tokenCount = z
  .number()
  .nullish()
  .catch(0)
  .transform((count) => count ?? 0);
const Usage = z.object({
  input_tokens: tokenCount,
  cache_read_input_tokens: tokenCount,
  cache_creation_input_tokens: tokenCount,
  output_tokens: tokenCount,
});

/**
 * Plays an Anthropic model with `computer_toolset_20260801` (Messages API, no beta), as a baseline. A turn's text is
 * the content as JSON, so that conversations derive from the episode alone. An invalid call ends the turn and is
 * reported.
 */
export function anthropicPolicy(options: ComputerUseOptions): ComputerUsePolicy {
  const { model, minScreenshots = 5, maxTokens = 4096 } = options;
  const counts = { turns: 0, malformed: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
  let client: Promise<Anthropic> | undefined;
  return {
    name: model,
    screenshots: maxShown(minScreenshots),
    counts,
    async decide(context) {
      client ??= connect(options);
      const messages = await conversation(context, minScreenshots);
      const answer = await (
        await client
      ).messages
        .create({
          ...{ model, max_tokens: maxTokens, system: computerUsePrompt, messages },
          tools: [
            {
              type: 'computer_toolset_20260801',
              configs: Object.fromEntries(unsupportedMembers.map((name) => [name, { enabled: false }])),
            },
          ],
        })
        .catch((error: unknown) => {
          throw modelFailure(error, { service: 'Anthropic', model });
        });
      const size = sizeAt(context, context.turns.length);
      const read = (message: Message) => ({
        ...decisionOf(message, size),
        usage: usageOf(message),
      });
      const { decision, malformed, usage } = readOrBlame(answer, read, { service: 'Anthropic', model });
      counts.turns++;
      if (malformed) counts.malformed++;
      const { input_tokens: fresh, cache_read_input_tokens: cached, cache_creation_input_tokens: cacheWrites } = usage;
      counts.inputTokens += fresh + cached + cacheWrites;
      counts.cachedTokens += cached;
      counts.outputTokens += usage.output_tokens;
      return decision;
    },
  };
}

async function connect({ apiKey, url, timeoutMs = 120_000, retries = 4 }: ComputerUseOptions): Promise<Anthropic> {
  const { default: Client } = await import('@anthropic-ai/sdk');
  return new Client({ apiKey, ...(url !== undefined && { baseURL: url }), timeout: timeoutMs, maxRetries: retries });
}

function decisionOf({ content, stop_reason: reason }: Message, size: Size): { decision: Decision; malformed: boolean } {
  const blocks = Content.parse(content);
  const calls = callsOf(blocks, size);
  const thought = blocks.map(({ thinking, text }) => thinking ?? text ?? '').filter((text) => text !== '');
  const text = blocks
    .map((block) => (block.type === 'text' ? (block.text ?? '') : ''))
    .join('\n')
    .trim();
  const printed = { text: JSON.stringify(content), ...(thought.length > 0 && { thought: thought.join('\n') }) };
  return decisionFrom(printed, { end: endOf(reason), calls, text });
}

/** Accepts compatible servers, which omit usage. */
function usageOf({ usage }: { readonly usage?: unknown }): z.infer<typeof Usage> {
  return Usage.parse(usage ?? {});
}

function endOf(reason: Message['stop_reason']): AnswerEnd {
  if (reason === 'refusal') return 'declined';
  if (reason === 'tool_use' || reason === 'end_turn' || reason === 'stop_sequence') return 'whole';
  return { brokenOff: reason ?? 'no reason given' };
}

function callsOf(blocks: Content, size: Size): ReadCall[] {
  return blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ name = '', input, toolset_name: family }) =>
      readAnthropicCall({ name, input, toolset_name: family }, size),
    );
}

async function conversation(context: Context, minScreenshots: number): Promise<MessageParam[]> {
  const { task, turns } = context;
  const pictureOf = async (observation: number): Promise<Picture> => {
    const frame = shownFrame(context, minScreenshots, observation);
    if (!frame) return { type: 'text', text: omittedScreenshot };
    const data = await scaledPicture(frame);
    return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
  };
  const messages: MessageParam[] = [
    { role: 'user', content: [{ type: 'text', text: task.instruction }, await pictureOf(0)] },
  ];
  for (const [index, turn] of turns.entries()) {
    const blocks = contentOf(turn);
    messages.push({ role: 'assistant', content: blocks as ContentBlockParam[] });
    messages.push({ role: 'user', content: answers(blocks, turn, sizeAt(context, index), await pictureOf(index + 1)) });
  }
  // Caches everything before it for the next turn.
  const newest = messages.at(-1)?.content.at(-1);
  if (typeof newest === 'object' && newest.type !== 'thinking' && newest.type !== 'redacted_thinking')
    newest.cache_control = { type: 'ephemeral' };
  return messages;
}

type Picture = Extract<NonNullable<ToolResultBlockParam['content']>, unknown[]>[number] & { type: 'text' | 'image' };

/** Returns verbatim content, or a description of another policy's turn. */
function contentOf({ text, thought, actions }: PastTurn): Content {
  const parsed = Content.safeParse(jsonOf(text));
  if (parsed.success && parsed.data.length > 0) return parsed.data;
  return [{ type: 'text', text: `${thought ?? text ?? ''}\n${JSON.stringify(actions)}`.trim() }];
}

function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** Appends the turn's results and screen to the last answer. */
function answers(
  blocks: Content,
  { actions, observation }: PastTurn,
  size: Size,
  picture: Picture,
): ContentBlockParam[] {
  const uses = blocks.filter(({ type }) => type === 'tool_use');
  const notes = (observation.results ?? []).map(({ text }) => ({ type: 'text' as const, text }));
  if (uses.length === 0) return [...notes, picture];
  const results = resultsOf(callsOf(blocks, size), actions);
  const observed = [...notes, picture];
  const answered = uses.map(({ id = '', toolset_name: family }, index): ToolResultBlockParam => {
    const result = results[index] ?? 'done';
    const head = { type: 'tool_result' as const, tool_use_id: id, ...(family && { toolset_name: family }) };
    // Errors may contain text only.
    if (result !== 'done') return { ...head, is_error: true, content: [{ type: 'text', text: result.failed }] };
    const done = { type: 'text' as const, text: 'Done.' };
    return { ...head, content: index === uses.length - 1 ? [done, ...observed] : [done] };
  });
  return answered.at(-1)?.is_error ? [...answered, ...observed] : answered;
}
