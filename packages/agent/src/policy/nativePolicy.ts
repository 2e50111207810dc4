import { GyreError, isSdkCall, printT5, type Sample } from '@gyre/protocol';
import {
  type Engine,
  type ModelInput,
  type NativeAction,
  type PastActions,
  type Sampled,
  type Screenshot,
  type Decided,
  type Vocabulary,
  contextTokens,
  vocabularyOf,
} from '@gyre/engine';
import { pixels } from '../loop/pixels.js';
import type { Assignment, PastTurn, Policy } from './policy.js';

/**
 * The native policy behind an engine: one action a turn, sampled, with a thought before it where the policy thinks; what it
 * decided is also printed in the T5 format. Decisions of concurrent episodes share the engine's batches.
 */
export function nativePolicy(options: {
  name: string;
  engine: Engine;
  /** 0 takes the most likely token; default 1. */
  temperature?: number;
  /** Only the most likely tokens that together have this probability are drawn; default 1, all. */
  topP?: number;
  /** Whether it thinks before it acts; default: as it was trained. */
  thinks?: boolean | undefined;
}): Policy {
  const { engine, temperature = 1, topP = 1, thinks } = options;
  return {
    name: options.name,
    async decide({ task, screenshots, turns, random }) {
      const seen: Screenshot[] = [];
      for (const frame of screenshots) {
        seen.push({ hash: frame.hash, pixels: await pixels(frame), size: frame.size });
      }
      const { thought, actions, sample } = await decideNatively({
        engine,
        instruction: task.instruction,
        surfaces: task.surfaces,
        past: turns,
        screenshots: seen,
        vocabulary: vocabularyOf(screenshots.at(-1)?.size ?? task.screen),
        temperature,
        topP,
        thinks,
        seed: Math.floor(random() * 2 ** 32),
      });
      const said = { ...(thought !== undefined && { thought }), actions };
      return { ...said, text: printT5(said), sample };
    },
  };
}

/** One decision of the native policy, with the tokens that it was made from and of. */
export async function decideNatively(asked: {
  engine: Engine;
  instruction: string;
  /** Default: the screen alone. */
  surfaces?: Assignment['surfaces'];
  past: readonly Past[];
  screenshots: readonly Screenshot[];
  vocabulary: Vocabulary;
  temperature: number;
  topP: number;
  thinks?: boolean | undefined;
  /** An integer 0..2^32 - 1. */
  seed: number;
  /** Default 0. */
  topLogprobs?: number;
}): Promise<{
  thought?: string;
  actions: NativeAction[];
  sample: Sample;
  promptTokens: number[];
  topLogprobs?: Sampled['topLogprobs'];
}> {
  const { engine, vocabulary, temperature, topP, thinks, seed, topLogprobs: top = 0 } = asked;
  const input = modelInput(vocabulary, asked, asked.past, asked.screenshots);
  const [sampled] = await engine.sample([{ input, temperature, topP, thinks, seed, topLogprobs: top }]);
  if (!sampled) throw new GyreError('bug', 'the engine has answered a request with nothing');
  const { topLogprobs, ...sample } = sampled;
  const { action, thought } = decode(vocabulary, sample.tokens);
  const promptTokens = input.tokens.map(({ token }) => token);
  return { ...(thought !== undefined && { thought }), actions: [action], sample, promptTokens, topLogprobs };
}

/** What the native policy looks back at. */
type Past = Pick<PastTurn, 'actions'> & Partial<Pick<PastTurn, 'observation'>>;

/** What the native policy decides from, in an episode as in training: the task, its past, and the last screenshots. */
export function modelInput(
  vocabulary: Vocabulary,
  task: Pick<Assignment, 'instruction'> & Partial<Pick<Assignment, 'surfaces'>>,
  past: readonly Past[],
  screenshots: readonly Screenshot[],
): ModelInput {
  return {
    screenshots,
    clock: past.length,
    tokens: contextTokens(vocabulary, task.instruction, past.map(told), { commands: hasShell(task) }),
  };
}

const hasShell = ({ surfaces = [] }: Partial<Pick<Assignment, 'surfaces'>>): boolean => surfaces.includes('shell');

/** Of calls other than commands the native policy has no words; of what it was told of a turn it reads what the command said. */
function told({ actions, observation }: Past): PastActions {
  const own = actions.filter((action) => action.type === 'execute_bash' || !isSdkCall(action));
  const commanded = own.some(({ type }) => type === 'execute_bash');
  return { actions: own, ...(commanded && { answer: observation?.results?.[0]?.text ?? '' }) };
}

/** A text cut off at the longest action is closed, so that every sample is an action. */
function decode(vocabulary: Vocabulary, tokens: readonly number[]): Decided {
  try {
    return vocabulary.decode(tokens);
  } catch (error) {
    if (error instanceof GyreError && error.code === 'bad_input') return { action: { type: 'wait' } };
    throw error;
  }
}
