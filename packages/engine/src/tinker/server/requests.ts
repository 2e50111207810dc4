import { z } from 'zod';

/** Ignores unlisted fields, which the SDK adds. */
const numbered = { model_id: z.string(), seq_id: z.int().nonnegative().nullish() };
const Name = z.string().regex(/^[\w][\w.-]{0,99}$/, 'use 1 to 100 letters, digits and . _ -');
const SavedPath = z
  .string()
  .regex(/^tinker:\/\/[\w:-]+\/weights\/[\w][\w.-]{0,99}$/, 'use a path such as tinker://MODEL/weights/NAME');
const UserMetadata = z.record(z.string(), z.unknown()).nullish();
/** SDK 0.38 names it, earlier ones do not. */
const Optimizer = z.object({ type: z.literal('adamw', 'this server has no optimizer but adamw') }).nullish();

export const CreateSession = z.object({ user_metadata: UserMetadata });

export const Heartbeat = z.object({ session_id: z.string() });

export const CreateModel = z.object({
  session_id: z.string(),
  model_seq_id: z.int().nonnegative(),
  base_model: z.string(),
  model_role: z.literal('policy', 'this server has no critic').nullish(),
  optimizer_config: Optimizer,
  user_metadata: UserMetadata,
});

export const ModelReference = z.object({ model_id: z.string() });

/** Engines take the learning rate alone. */
export const OptimStep = z.object({
  ...numbered,
  adam_params: z.object({ learning_rate: z.number().nonnegative() }),
});

export const SaveWeights = z.object({ ...numbered, path: Name });

/** Without a path the weights have only a sampling session. */
export const SaveWeightsForSampler = z.object({
  ...numbered,
  path: Name.nullish(),
  sampling_session_seq_id: z.int().nonnegative().nullish(),
});

export const CreateSamplingSession = z.object({
  session_id: z.string(),
  sampling_session_seq_id: z.int().nonnegative(),
  model_path: z.string('sample from the path that save_weights_for_sampler returned, not from the base model'),
});

const load = {
  path: SavedPath,
  optimizer: z.boolean().default(true),
  weights_access_token: z.null('this server has no accounts').optional(),
};

export const LoadWeights = z.object({ ...numbered, ...load });

/** Creates the model that the weights are loaded into. */
export const LoadNewModel = z.object({
  ...load,
  session_id: z.string(),
  model_seq_id: z.int().nonnegative(),
  base_model: z.string().nullish(),
  optimizer_config: Optimizer,
  user_metadata: UserMetadata,
});

/** Tells the two kinds of `load_weights` apart. */
export const LoadKind = z.object({ session_id: z.string().nullish() });

export const WeightsInfo = z.object({ tinker_path: z.string() });

export const TimeToLive = z.object({
  ttl_seconds: z.null('weights of this server do not expire: delete them').optional(),
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

const tokenStops = 'stop at token ids: this server has no texts';
const none = (message: string) => z.literal(0, message).nullish();

export const Sample = z.object({
  model_path: z.string().nullish(),
  sampling_session_id: z.string().nullish(),
  prompt: z.object({ chunks: z.array(Chunk).min(1) }),
  num_samples: z.int().min(1).max(256).default(1),
  prompt_logprobs: z.boolean().nullish(),
  topk_prompt_logprobs: none('this server gives the log-probabilities of the prompt alone'),
  topk_sample_logprobs: none('this server gives the log-probabilities of the sample alone'),
  prompt_alt_tokens_k: none('this server does not sample within the prompt'),
  prompt_logprobs_last_n: z.null('this server scores the whole prompt').optional(),
  target_prompt_logprobs: z.null('this server gives the log-probabilities of the prompt alone').optional(),
  sampling_params: z.object({
    max_tokens: z.int('say how many tokens to sample at most').positive(),
    seed: z.int().nullish(),
    stop: z.array(z.int(tokenStops), tokenStops).nullish(),
    temperature: z.number().min(0).default(1),
    top_p: z.number().gt(0).max(1).default(1),
    top_k: z.literal(-1, 'this server does not sample by top_k').nullish(),
  }),
});
export type Sample = z.infer<typeof Sample>;
