import {
  type AgentAction,
  type ContentHash,
  type Episode,
  type EpisodeEnd,
  Point,
  type Turn,
  calls,
  isSdkCall,
  printT5,
  turnFormat,
} from '@gyre/protocol';
import { systemPrompt, userPrompt } from './prompt.js';

interface Message {
  readonly from: 'human' | 'gpt';
  readonly value: string;
  readonly timing: { readonly start: number; readonly end: number; readonly cost: number };
  readonly screenshotBase64?: string;
  readonly screenshotContext?: {
    readonly size: { readonly width: number; readonly height: number };
    readonly mime: 'image/png';
    readonly scaleFactor: number;
  };
  readonly predictionParsed?: readonly {
    readonly action_type: string;
    readonly action_inputs: Readonly<Record<string, string>>;
    readonly reflection: null;
    readonly thought: string;
  }[];
}

/** `GUIAgentData`, as UI-TARS-desktop shares and replays it. */
export interface DesktopReplay {
  readonly version: 'v1';
  readonly instruction: string;
  readonly systemPrompt: string;
  readonly modelName: string;
  readonly mode: 'agent';
  /** In ms since 1970. */
  readonly logTime: number;
  readonly status: 'end' | 'max_loop' | 'call_user' | 'user_stopped' | 'error';
  readonly errMsg?: string;
  readonly conversations: readonly Message[];
}

/** The lake stores no times of turns, so all are that of the start. */
export async function desktopReplay(
  { task, policy, startedAt, observation, turns, end }: Episode,
  png: (hash: ContentHash) => Promise<Uint8Array>,
): Promise<DesktopReplay> {
  const logTime = Date.parse(startedAt);
  const timing = { start: logTime, end: logTime, cost: 0 };
  const screen = async ({ screenshot, size }: Turn['observation']): Promise<Message> => ({
    from: 'human',
    value: '<image>',
    timing,
    screenshotBase64: Buffer.from(await png(screenshot)).toString('base64'),
    screenshotContext: { size, mime: 'image/png', scaleFactor: 1 },
  });
  const conversations: Message[] = [{ from: 'human', value: task.instruction, timing }, await screen(observation)];
  for (const turn of turns)
    conversations.push({ ...answer(turn, task.screen), timing }, await screen(turn.observation));
  const askedUser = turns.at(-1)?.actions.some(({ type }) => type === 'call_user');
  return {
    version: 'v1',
    instruction: task.instruction,
    systemPrompt: `${systemPrompt}\n\n${userPrompt(task.instruction, 'ui-tars-1.5', task.screen)}`,
    modelName: policy,
    mode: 'agent',
    logTime,
    status: end.state === 'finished' && askedUser ? 'call_user' : statuses[end.state],
    ...((end.state === 'infra_error' || end.state === 'agent_fault') && { errMsg: end.message }),
    conversations,
  };
}

const statuses: Readonly<Record<EpisodeEnd['state'], DesktopReplay['status']>> = {
  finished: 'end',
  out_of_budget: 'max_loop',
  stuck: 'max_loop',
  agent_fault: 'error',
  infra_error: 'error',
  cut: 'user_stopped',
};

function answer({ thought, actions, text }: Turn, screen: Episode['task']['screen']): Omit<Message, 'timing'> {
  // Its format has no SDK calls, but its viewer shows any text.
  const print = () =>
    actions.some(isSdkCall) ? printT5({ actions }) : turnFormat('ui-tars-1.5', screen).print({ actions });
  const prediction =
    actions.length === 0 ? (text ?? '') : `${thought === undefined ? '' : `Thought: ${thought}\n`}${print()}`;
  return {
    from: 'gpt',
    value: prediction,
    predictionParsed: actions.map((action) => ({
      action_type: calls[action.type].name,
      action_inputs: inputs(action),
      reflection: null,
      thought: thought ?? '',
    })),
  };
}

/** Points are empty boxes in 0..1, as UI-TARS-desktop's parser returns them. */
function inputs(action: AgentAction): Record<string, string> {
  const fields = action as Readonly<Record<string, unknown>>;
  const present = calls[action.type].parameters.filter(({ field }) => fields[field] !== undefined);
  return Object.fromEntries(
    present.map(({ name, field, kind }) => {
      if (kind === 'json' || kind === 'lines') return [name, JSON.stringify(fields[field])];
      if (kind !== 'point') return [name, String(fields[field])];
      const { x, y } = Point.parse(fields[field]);
      return [name === 'end_point' ? 'end_box' : 'start_box', JSON.stringify([x, y, x, y])];
    }),
  );
}
