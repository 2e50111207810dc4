import { z } from 'zod';

/** ATIF-v1.8, from harbor's published models. */

const extra = z.record(z.string(), z.unknown()).nullish();
const count = z.int().nullish();

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

const ContentPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({
    type: z.literal('image'),
    /** Relative to the document's folder, absolute, or a URL. */
    source: z.strictObject({ media_type: z.enum(imageTypes), path: z.string() }),
  }),
  z.strictObject({
    type: z.literal('audio'),
    source: z.strictObject({ media_type: z.string(), path: z.string(), duration_sec: z.number().min(0).nullish() }),
  }),
]);
export type ContentPart = z.infer<typeof ContentPart>;

const Content = z.union([z.string(), z.array(ContentPart)]);

const ToolCall = z.strictObject({
  tool_call_id: z.string(),
  function_name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  extra,
});
export type AtifToolCall = z.infer<typeof ToolCall>;

const ObservationResult = z.strictObject({
  source_call_id: z.string().nullish(),
  content: Content.nullish(),
  subagent_trajectory_ref: z.array(z.unknown()).nullish(),
  extra,
});

const Metrics = z.strictObject({
  prompt_tokens: count,
  completion_tokens: count,
  cached_tokens: count,
  cost_usd: z.number().nullish(),
  prompt_token_ids: z.array(z.int()).nullish(),
  completion_token_ids: z.array(z.int()).nullish(),
  logprobs: z.array(z.number()).nullish(),
  extra,
});

const isGiven = (value: unknown) => value !== undefined && value !== null;

const ofAgentsOnly = ['model_name', 'reasoning_effort', 'reasoning_content', 'tool_calls', 'metrics'] as const;

const Step = z
  .strictObject({
    step_id: z.int().min(1),
    timestamp: z.string().nullish(),
    source: z.enum(['system', 'user', 'agent']),
    model_name: z.string().nullish(),
    reasoning_effort: z.union([z.string(), z.number()]).nullish(),
    message: Content,
    reasoning_content: z.string().nullish(),
    tool_calls: z.array(ToolCall).nullish(),
    observation: z.strictObject({ results: z.array(ObservationResult) }).nullish(),
    metrics: Metrics.nullish(),
    is_copied_context: z.boolean().nullish(),
    llm_call_count: z.int().min(0).nullish(),
    extra,
  })
  .superRefine((step, context) => {
    const fail = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (typeof step.timestamp === 'string' && Number.isNaN(Date.parse(step.timestamp)))
      fail(['timestamp'], 'is not an ISO 8601 time');
    if (step.source !== 'agent') {
      for (const field of ofAgentsOnly)
        if (isGiven(step[field])) fail([field], 'is only allowed in steps of the agent');
    } else if (step.llm_call_count === 0) {
      for (const field of ['metrics', 'reasoning_content'] as const) {
        if (isGiven(step[field])) fail([field], 'is not allowed if llm_call_count is 0');
      }
    }
    const calls = new Set(step.tool_calls?.map(({ tool_call_id }) => tool_call_id));
    for (const [index, { source_call_id: id }] of (step.observation?.results ?? []).entries()) {
      if (typeof id === 'string' && !calls.has(id)) {
        fail(['observation', 'results', index, 'source_call_id'], `"${id}" is not a tool call of this step`);
      }
    }
  });
export type AtifStep = z.infer<typeof Step>;

export const atifVersion = 'ATIF-v1.8';

export const AtifTrajectory = z
  .strictObject({
    schema_version: z.string().regex(/^ATIF-v1\.[0-8]$/, { error: 'must be ATIF-v1.0 to ATIF-v1.8' }),
    session_id: z.string().nullish(),
    trajectory_id: z.string().nullish(),
    agent: z.strictObject({
      name: z.string(),
      version: z.string(),
      model_name: z.string().nullish(),
      tool_definitions: z.array(z.record(z.string(), z.unknown())).nullish(),
      extra,
    }),
    steps: z.array(Step).min(1),
    notes: z.string().nullish(),
    final_metrics: z
      .strictObject({
        total_prompt_tokens: count,
        total_completion_tokens: count,
        total_cached_tokens: count,
        total_cost_usd: z.number().nullish(),
        total_steps: z.int().min(0).nullish(),
        extra,
      })
      .nullish(),
    continued_trajectory_ref: z.string().nullish(),
    extra,
    subagent_trajectories: z.array(z.unknown()).nullish(),
  })
  .superRefine(({ steps }, context) => {
    for (const [index, { step_id }] of steps.entries()) {
      if (step_id === index + 1) continue;
      const message = `is ${step_id}, not ${index + 1}`;
      return context.addIssue({ code: 'custom', path: ['steps', index, 'step_id'], message });
    }
  });
export type AtifTrajectory = z.infer<typeof AtifTrajectory>;
