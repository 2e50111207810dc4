import { GyreError, isSdkCall, printT5, type Size, type TurnMessage } from '@gyre/protocol';
import {
  contextTokens,
  type DecodedTurn,
  nativePieces,
  type NativeInput,
  type PastActions,
  type Piece,
  type Screenshot,
  type Vocabulary,
  vocabularyHash,
  vocabularyOf,
} from '@gyre/engine';
import type { Assignment, Context, Decision, PastTurn } from '../policy/policy.js';
import type { Language } from './language.js';

/** One action per turn, optionally after a thought. */
export class NativeLanguage implements Language {
  readonly name = 'native';
  readonly vocabulary = vocabularyHash;
  readonly stop: readonly number[] = [];

  async prompt({ task, screenshots, turns }: Context): Promise<Piece[]> {
    const vocabulary = vocabularyOf(screenshots.at(-1)?.size ?? task.screen);
    const { tokens, clock = 0 } = nativeInput(vocabulary, task, turns, []);
    return nativePieces({ pictures: screenshots, tokens, clock });
  }

  async parse(tokens: readonly number[], size: Size): Promise<Decision> {
    const { action, thought } = decodeSampled(vocabularyOf(size), tokens);
    const turn = { ...(thought !== undefined && { thought }), actions: [action] };
    return { ...turn, text: printT5(turn) };
  }

  async print({ thought, actions }: TurnMessage, size: Size): Promise<number[]> {
    const [action] = actions;
    if (!action || actions.length > 1) {
      throw new GyreError('bad_input', `a turn of the native policy must have one action, not ${actions.length}`, {
        field: 'actions',
        fix: 'use one action per turn',
      });
    }
    return vocabularyOf(size).encode(action, thought);
  }
}

export type NativePast = Pick<PastTurn, 'actions'> & Partial<Pick<PastTurn, 'observation'>>;

/** Builds the input in episodes and in training. */
export function nativeInput(
  vocabulary: Vocabulary,
  task: Pick<Assignment, 'instruction'> & Partial<Pick<Assignment, 'surfaces'>>,
  past: readonly NativePast[],
  screenshots: readonly Screenshot[],
): NativeInput {
  const { instruction, surfaces = [] } = task;
  const commands = surfaces.includes('shell');
  const tokens = contextTokens(vocabulary, instruction, past.map(pastActions), { commands });
  return { screenshots, clock: past.length, tokens };
}

function pastActions({ actions, observation }: NativePast): PastActions {
  const spoken = actions.filter((action) => action.type === 'execute_bash' || !isSdkCall(action));
  const commanded = spoken.some(({ type }) => type === 'execute_bash');
  return { actions: spoken, ...(commanded && { answer: observation?.results?.[0]?.text ?? '' }) };
}

/** Decodes truncated tokens as the longest wait: every sample is an action. */
export function decodeSampled(vocabulary: Vocabulary, tokens: readonly number[]): DecodedTurn {
  try {
    return vocabulary.decode(tokens);
  } catch (error) {
    if (error instanceof GyreError && error.code === 'bad_input') return { action: { type: 'wait' } };
    throw error;
  }
}
