import {
  type ActionResult,
  ResultKind,
  AgentAction,
  type Episode,
  type EpisodeStart,
  type Observation,
  type Parameter,
  type Turn,
  Verdict,
  type SampledAfter,
  calls,
  parameterNamed,
  promptTokens,
  typeNamed,
} from '@gyre/protocol';
import { type z } from 'zod';
import { type AtifStep, type AtifToolCall, AtifTrajectory, type ContentPart } from './atif.js';
import { type Reading, checked } from './reading.js';
import { Unsupported, importError, pointIn } from './importing.js';
import { GyreExtra, PersonExtra } from './toAtif.js';

/**
 * Converts an ATIF document, restoring what {@link toAtif} wrote. In others, the first user message is the instruction,
 * and tool calls are actions by T5's or executors' names.
 * @throws Unsupported for other tools, missing screenshots, several instructions, continued trajectories
 * @throws GyreError `bad_input` that names the field
 */
export async function fromAtif(json: unknown, reading: Reading): Promise<Episode> {
  const document = checked(AtifTrajectory, json, '', reading);
  const { agent, steps, extra } = document;
  const gyre = extra?.gyre === undefined ? undefined : checked(GyreExtra, extra.gyre, 'extra.gyre', reading);
  const verdict = gyre && extra?.verdict ? checked(Verdict, extra.verdict, 'extra.verdict', reading) : undefined;
  if (document.subagent_trajectories?.length) throw new Unsupported('several agents', 'subagent_trajectories');
  if (typeof document.continued_trajectory_ref === 'string')
    throw new Unsupported('a partial trajectory', 'continued_trajectory_ref');

  let instruction: string | undefined;
  let first: Observation | undefined;
  let last: Observation | undefined;
  const turns: Turn[] = [];
  let before: SampledAfter | undefined;
  for (const [number, step] of steps.entries()) {
    const field = `steps.${number}`;
    if (step.is_copied_context && !gyre?.fork)
      throw new Unsupported('a partial trajectory', `${field}.is_copied_context`);
    const seen = await lastImage(step, field, reading);
    if (step.source === 'user') {
      if (instruction !== undefined) throw new Unsupported('several user messages', field);
      instruction = textOf(step.message);
    }
    if (step.source === 'agent') {
      if (!last) throw new Unsupported('no screenshot before the first action', field);
      const sample = sampleOf(step, before);
      const prompt = step.metrics?.prompt_token_ids;
      before = sample && prompt ? { prompt, tokens: sample.tokens } : undefined;
      const turn = turnOf(
        step,
        { ...(seen ?? last) },
        last,
        turns.length,
        { ...reading, isGyre: gyre !== undefined },
        field,
      );
      turns.push({ ...turn, ...(sample && { sample }) });
    }
    last = seen ?? last;
    first ??= last;
  }
  if (first === undefined || last === undefined) throw new Unsupported('no screenshots', 'steps');
  if (!instruction) throw new Unsupported('no instruction', 'steps');

  const start: EpisodeStart = {
    id: document.trajectory_id ?? document.session_id ?? reading.name,
    task: gyre?.task ?? {
      id: `${reading.family}/train/${document.trajectory_id ?? document.session_id ?? reading.name}`,
      family: reading.family,
      split: 'train',
      seed: 0,
      instruction,
      surfaces: ['screen'],
      screen: first.size,
      stepBudget: Math.max(turns.length, 1),
    },
    policy: agent.name || 'unknown',
    purpose: 'imported',
    seed: gyre?.seed ?? 0,
    startedAt: gyre ? (steps[0]?.timestamp ?? reading.now) : timeOf(steps, reading.now),
    observation: first,
    origin: gyre?.origin ?? reading.origin,
    ...(gyre?.fork && { fork: gyre.fork }),
  };
  return { ...start, turns, end: gyre?.end ?? { state: 'finished' }, ...(verdict && { verdict }) };
}

/** Untyped results of other programs are outputs. */
function resultOf(text: string, kind: unknown, isGyre: boolean): ActionResult {
  const known = isGyre ? ResultKind.safeParse(kind) : undefined;
  return { kind: known?.success ? known.data : 'output', text };
}

function turnOf(
  step: AtifStep,
  after: Observation,
  before: Observation,
  index: number,
  reading: Reading & { isGyre: boolean },
  field: string,
): Turn {
  const actions = (step.tool_calls ?? []).map((call, number) =>
    actionOf(call, before, reading, `${field}.tool_calls.${number}`),
  );
  const results = step.observation?.results.flatMap(({ content, extra }) =>
    typeof content === 'string' ? [resultOf(content, extra?.kind, reading.isGyre)] : [],
  );
  const text = textOf(step.message);
  const reward = step.extra?.reward;
  const person = reading.isGyre ? step.extra?.gyre : undefined;
  return {
    index,
    ...(typeof step.reasoning_content === 'string' && { thought: step.reasoning_content }),
    actions,
    ...(text !== '' && { text }),
    observation: { ...after, ...(results?.length && { results }) },
    ...(person !== undefined && checked(PersonExtra, person, `${field}.extra.gyre`, reading)),
    reward: reading.isGyre && typeof reward === 'number' ? reward : 0,
  };
}

/** Tokens count only with a policy version, which only our documents record. */
function sampleOf({ metrics }: AtifStep, before: SampledAfter | undefined): Turn['sample'] {
  const version = metrics?.extra?.policy_version;
  if (typeof version !== 'number' || !metrics?.completion_token_ids || !metrics.logprobs) return undefined;
  const { completion_token_ids: tokens, logprobs, prompt_token_ids: prompt } = metrics;
  const { model, vocabulary } = metrics.extra ?? {};
  return {
    ...{ tokens, logprobs, policyVersion: version },
    ...(typeof model === 'string' && model !== '' && { model }),
    ...(typeof vocabulary === 'string' && vocabulary !== '' && { vocabulary }),
    ...(prompt && { prompt: promptTokens(prompt, before) }),
  };
}

function actionOf(
  call: AtifToolCall,
  { size }: Observation,
  reading: Reading & { isGyre: boolean },
  field: string,
): AgentAction {
  const type = typeNamed(call.function_name);
  if (type === undefined) throw new Unsupported(`the tool ${call.function_name}`, `${field}.function_name`);
  const { parameters } = calls[type];
  const fields: Record<string, unknown> = { type };
  for (const [name, value] of Object.entries(call.arguments)) {
    const parameter = parameterNamed(parameters, name);
    if (!parameter)
      throw new Unsupported(`the argument ${name} of ${call.function_name}`, `${field}.arguments.${name}`);
    const place = { ...reading.place, field: `${field}.arguments.${name}` };
    fields[parameter.field] = valueOf(parameter, value, (x, y) =>
      pointIn(reading.isGyre ? 'fraction' : reading.coordinates, x, y, size, place),
    );
  }
  return checked(AgentAction, fields, `${field}.arguments`, reading);
}

function valueOf({ kind }: Parameter, value: unknown, point: (x: number, y: number) => unknown): unknown {
  if (kind !== 'point') return value;
  const pair: unknown[] = Array.isArray(value) ? value : Object.values(value ?? {});
  const [x, y] = pair;
  return pair.length === 2 && typeof x === 'number' && typeof y === 'number' ? point(x, y) : value;
}

async function lastImage(step: AtifStep, field: string, reading: Reading): Promise<Observation | undefined> {
  const parts: [ContentPart, string][] = [
    ...partsOf(step.message, `${field}.message`),
    ...(step.observation?.results ?? []).flatMap(({ content }, number) =>
      partsOf(content, `${field}.observation.results.${number}.content`),
    ),
  ];
  const image = parts.filter(([part]) => part.type === 'image').at(-1);
  if (image?.[0].type !== 'image') return undefined;
  const place = { ...reading.place, field: image[1] };
  const { path } = image[0].source;
  if (path.includes('://')) {
    throw importError(place, `${path} is a URL`, 'download the screenshots first', {
      kind: 'a screenshot URL',
    });
  }
  return reading.screenshots.get(path, place);
}

function partsOf(
  content: z.infer<typeof AtifTrajectory>['steps'][number]['message'] | null | undefined,
  field: string,
) {
  if (!Array.isArray(content)) return [];
  return content.map((part, number): [ContentPart, string] => [part, `${field}.${number}`]);
}

function textOf(content: string | ContentPart[]): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function timeOf(steps: readonly AtifStep[], now: string): string {
  const stamp = steps.find(({ timestamp }) => typeof timestamp === 'string')?.timestamp;
  return typeof stamp === 'string' ? new Date(stamp).toISOString() : now;
}
