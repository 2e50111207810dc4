import { z } from 'zod';

/** Ignores unlisted fields, which the SDK adds. */
const numbered = { model_id: z.string(), seq_id: z.int().nonnegative().nullish() };
const Name = z.string().regex(/^[\w][\w.-]{0,99}$/, 'use 1 to 100 letters, digits and . _ -');

export const Heartbeat = z.object({ session_id: z.string() });

export const CreateModel = z.object({
  session_id: z.string(),
  base_model: z.string(),
  model_role: z.literal('policy', 'this server has no critic').nullish(),
});

export const ModelReference = z.object({ model_id: z.string() });

/** Engines take the learning rate alone. */
export const OptimStep = z.object({
  ...numbered,
  adam_params: z.object({ learning_rate: z.number().nonnegative() }),
});

export const SaveWeights = z.object({ ...numbered, path: Name });

/** Without a path the weights have only a sampling session. */
export const SaveWeightsForSampler = z.object({ ...numbered, path: Name.nullish() });

export const CreateSamplingSession = z.object({
  session_id: z.string(),
  model_path: z.string('sample from the path that save_weights_for_sampler returned'),
});

export const LoadWeights = z.object({
  ...numbered,
  path: z
    .string()
    .regex(/^tinker:\/\/[\w-]+\/weights\/[\w][\w.-]{0,99}$/, 'use a path such as tinker://MODEL/weights/NAME'),
  optimizer: z.boolean().default(true),
});

export const RetrieveFuture = z.object({ request_id: z.string() });

const Chunk = z.discriminatedUnion('type', [
  z.object({ type: z.literal('encoded_text'), tokens: z.array(z.int()) }),
  z.object({
    type: z.literal('image'),
    data: z.base64(),
    format: z.string(),
    expected_tokens: z.int().nullish(),
  }),
]);

export const Sample = z.object({
  model_path: z.string().nullish(),
  sampling_session_id: z.string().nullish(),
  prompt: z.object({ chunks: z.array(Chunk).min(1) }),
  num_samples: z.int().min(1).max(256).default(1),
  sampling_params: z.object({
    max_tokens: z.int().positive(),
    seed: z.int().nullish(),
    stop: z.array(z.int('stop at token ids: this server has no texts')).nullish(),
    temperature: z.number().min(0).default(1),
    top_p: z.number().gt(0).max(1).default(1),
    top_k: z.literal(-1, 'this server does not sample by top_k').nullish(),
  }),
});
export type Sample = z.infer<typeof Sample>;
