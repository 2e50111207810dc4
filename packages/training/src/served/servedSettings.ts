import { promptModes } from '@gyre/agent';
import { turnFormatNames } from '@gyre/protocol';
import { z } from 'zod';

const server = z.url({ protocol: /^https?$/, error: 'must be the URL of a server, such as http://127.0.0.1:8000' });

const Critic = z.strictObject({
  engine: server.describe("server of Tinker's API that trains the critic; not the policy's, if that holds one model"),
  model: z.string().min(1).optional().describe("its base model, of the policy's tokenizer (default: the policy's)"),
  rank: z.int().nonnegative().optional().describe("of its LoRA adapter (default: the policy's)"),
  question: z
    .string()
    .default('Will this episode reach its goal? ')
    .describe('begins the answer whose end is yes or no'),
  yes: z.string().min(1).default('Yes'),
  no: z.string().min(1).default('No'),
  low: z.number().default(0).describe('return at P(yes) = 0: the least of an episode'),
  high: z.number().default(1).describe('return at P(yes) = 1: the largest of an episode'),
});

export const ServedSettings = z.strictObject({
  engine: server.describe(
    "server of Tinker's API that trains the policy: SkyRL, Thinking Machines' or gyre serve tinker",
  ),
  sampler: server
    .optional()
    .describe('vLLM that samples from its weights by tokens (default: the engine itself, if it is gyre serve tinker)'),
  model: z.string().min(1).describe('base model, as both servers name it'),
  rank: z.int().nonnegative().default(32).describe('of the LoRA adapter; 0 trains all weights where a server can'),
  format: z.enum(turnFormatNames).default('t5').describe('turn format of the model'),
  mode: z.enum(promptModes).default('gui').describe('environment named in the prompt'),
  thinking: z.enum(['unrestricted', 'efficient', 'none']).default('efficient').describe('how much to think'),
  system: z.string().min(1).optional().describe("system prompt, if the model was trained on another than the format's"),
  screenshots: z.int().positive().default(5).describe('minimum of recent screenshots in the prompt'),
  maxTokens: z.int().positive().default(1000).describe('maximum tokens per answer'),
  gapBound: z
    .number()
    .positive()
    .default(0.03)
    .describe('largest mean gap of sampled and recomputed log-probabilities, in nats per token, to train at'),
  pull: z
    .enum(['kept', 'none'])
    .default('kept')
    .describe(
      "copies the LoRA adapter of each lasting checkpoint beside it, in PEFT's format, for vLLM and gyre merge",
    ),
  critic: Critic.optional().describe('answers yes or no; used with advantage: critic'),
});
export type ServedSettings = z.output<typeof ServedSettings>;

const Located = z.looseObject({ sampler: z.unknown().optional(), critic: z.looseObject({}).optional() });

/** Returns the settings that a resumed run must share: all but the addresses of its servers, and `pull`. */
export function servedIdentity(served: unknown): unknown {
  const { data } = Located.safeParse(served);
  if (!data) return served;
  const { engine: _, pull: __, sampler, critic, ...shared } = data;
  const { engine: ___, ...criticShared } = critic ?? {};
  return { ...shared, samples: sampler === undefined ? 'engine' : 'vLLM', ...(critic && { critic: criticShared }) };
}
