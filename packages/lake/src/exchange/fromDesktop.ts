import {
  AgentAction,
  type Episode,
  type EpisodeEnd,
  type Observation,
  type Parameter,
  type Turn,
  calls,
  typeNamed,
} from '@gyre/protocol';
import { z } from 'zod';
import { type Place, Unsupported, importError, pointIn } from './importing.js';
import { type Reading, checked } from './reading.js';

const Log = z.object({
  instruction: z.string().min(1),
  modelName: z.string().nullish(),
  /** In ms since 1970. */
  logTime: z.number().nonnegative().nullish(),
  status: z.string().nullish(),
  errMsg: z.string().nullish(),
  conversations: z.array(
    z.object({
      from: z.enum(['human', 'gpt']),
      value: z.string(),
      screenshotBase64: z.string().nullish(),
      predictionParsed: z
        .array(
          z.object({
            action_type: z.string(),
            action_inputs: z.record(z.string(), z.unknown()).nullish(),
            thought: z.string().nullish(),
          }),
        )
        .nullish(),
    }),
  ),
});
type Message = z.infer<typeof Log>['conversations'][number];

/**
 * Converts a UI-TARS-desktop log, whose boxes are in 0..1 of the screen, to an episode without a verdict.
 * @throws Unsupported for unparsed answers, unknown functions, several instructions
 * @throws GyreError `bad_input` that names the field
 */
export async function fromDesktop(json: unknown, reading: Reading): Promise<Episode> {
  const log = checked(Log, json, '', reading);
  const { instruction, modelName, logTime } = log;
  let first: Observation | undefined;
  let hasInstruction = false;
  const answers: { turn: Omit<Turn, 'observation'>; after: Observation | undefined }[] = [];
  for (const [number, message] of log.conversations.entries()) {
    const field = `conversations.${number}`;
    if (typeof message.screenshotBase64 === 'string' && message.from === 'human') {
      const place = { ...reading.place, field: `${field}.screenshotBase64` };
      const seen = await reading.screenshots.keep(bytesOf(message.screenshotBase64, place), place);
      first ??= seen;
      const last = answers.at(-1);
      if (last) last.after = seen;
    } else if (message.from === 'human') {
      if (hasInstruction) throw new Unsupported('several user messages', field);
      hasInstruction = true;
    } else {
      if (!first) throw new Unsupported('no screenshot before the first action', field);
      answers.push({ turn: turnOf(message, answers.length, field, reading), after: undefined });
    }
  }
  if (!first) throw new Unsupported('no screenshots', 'conversations');

  let last = first;
  const turns = answers.map(({ turn, after }): Turn => ({ ...turn, observation: (last = after ?? last) }));
  const id = `${reading.family}/${reading.name}`;
  return {
    id,
    task: {
      ...{
        id: `${reading.family}/train/${reading.name}`,
        family: reading.family,
        split: 'train',
        seed: 0,
        instruction,
      },
      ...{ surfaces: ['screen'], screen: first.size, stepBudget: Math.max(turns.length, 1) },
    },
    policy: modelName || 'unknown',
    ...{ purpose: 'imported', seed: 0 },
    startedAt: typeof logTime === 'number' ? timeOf(logTime, reading) : reading.now,
    observation: first,
    origin: reading.origin,
    turns,
    end: endOf(log),
  };
}

function turnOf(message: Message, index: number, field: string, reading: Reading): Omit<Turn, 'observation'> {
  const { value, predictionParsed: parsed } = message;
  if (!parsed) throw new Unsupported('an unparsed answer', field);
  const thought = parsed.find((one) => one.thought)?.thought;
  return {
    index,
    ...(thought && { thought }),
    // An answer that its parser did not understand did nothing.
    actions: parsed.flatMap(({ action_type: name, action_inputs: inputs }, number) =>
      name === '' ? [] : [actionOf(name, inputs ?? {}, `${field}.predictionParsed.${number}`, reading)],
    ),
    text: value,
    reward: 0,
  };
}

function actionOf(
  name: string,
  inputs: Readonly<Record<string, unknown>>,
  field: string,
  reading: Reading,
): AgentAction {
  const type = typeNamed(name);
  if (type === undefined) throw new Unsupported(`the action ${name}`, `${field}.action_type`);
  const fields: Record<string, unknown> = { type };
  for (const parameter of calls[type].parameters) {
    const inputName = inputNames(parameter).find((one) => inputs[one] !== undefined && inputs[one] !== '');
    if (inputName === undefined) continue;
    const place = { ...reading.place, field: `${field}.action_inputs.${inputName}` };
    const value = valueOf(parameter, inputs[inputName], place);
    if (value !== undefined) fields[parameter.field] = value;
  }
  return checked(AgentAction, fields, `${field}.action_inputs`, reading);
}

function inputNames({ name, kind }: Parameter): readonly string[] {
  if (kind === 'point') return [name === 'end_point' ? 'end_box' : 'start_box'];
  return name === 'key' ? ['key', 'hotkey'] : [name];
}

function valueOf({ kind }: Parameter, value: unknown, place: Place): unknown {
  if (kind === 'point') return middleOf(value, place);
  if (kind === 'seconds') return typeof value === 'string' ? Number(value) : value;
  if ((kind === 'json' || kind === 'lines') && typeof value === 'string') {
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  }
  return kind === 'direction' && typeof value === 'string' ? value.trim().toLowerCase() : value;
}

function middleOf(value: unknown, place: Place) {
  const box: unknown = typeof value === 'string' ? parsedBox(value) : value;
  const isBox = Array.isArray(box) && (box.length === 2 || box.length === 4) && box.every(Number.isFinite);
  if (!isBox) {
    throw importError(
      place,
      `${JSON.stringify(value)} is not a box`,
      'use [x1,y1,x2,y2] in fractions (0..1) of the screen',
      {
        kind: 'an invalid box',
      },
    );
  }
  const [left, top, right = left, bottom = top] = box as [number, number, number?, number?];
  return pointIn('fraction', (left + right) / 2, (top + bottom) / 2, { width: 1, height: 1 }, place);
}

function parsedBox(text: string): unknown {
  try {
    return JSON.parse(text.trim().replace(/^\((.*)\)$/s, '[$1]'));
  } catch {
    return undefined;
  }
}

function bytesOf(base64: string, place: Place): Buffer {
  const bare = base64.replace(/^data:image\/[\w.+-]+;base64,/, '');
  if (!/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(bare)) {
    throw importError(place, 'is not base64', 'encode the bytes of a PNG or JPEG in base64');
  }
  return Buffer.from(bare, 'base64');
}

function timeOf(ms: number, { place }: Reading): string {
  const time = new Date(ms);
  if (Number.isNaN(time.getTime())) {
    throw importError({ ...place, field: 'logTime' }, `${ms} is not a valid time`, 'use milliseconds since 1970', {
      kind: 'an invalid time',
    });
  }
  return time.toISOString();
}

function endOf({ status, errMsg }: z.infer<typeof Log>): EpisodeEnd {
  switch (status) {
    case 'end':
    case 'call_user':
      return { state: 'finished' };
    case 'max_loop':
      return { state: 'out_of_budget' };
    case 'error':
      return { state: 'infra_error', message: errMsg || 'the log reports an error' };
    default:
      // The run was stopped, or the log is partial.
      return { state: 'cut' };
  }
}
