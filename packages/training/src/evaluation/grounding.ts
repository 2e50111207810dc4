import { readFile } from 'node:fs/promises';
import { runEpisode } from '@gyre/agent';
import {
  type AgentAction,
  type Environment,
  type Frame,
  GyreError,
  type Point,
  pointsOf,
  type Size,
  type StepResult,
  type Task,
} from '@gyre/protocol';
import { frameOf } from '@gyre/sandbox';
import sharp from 'sharp';
import type { Player } from './rollouts.js';

export interface GroundingQuestion {
  /** Path of a picture of a screen. */
  readonly picture: string;
  /** Names the place to point at. */
  readonly instruction: string;
}

export interface GroundingAnswer {
  /** The picture's, in px. */
  readonly size: Size;
  /** The first that an action has, in 0..1 of the picture, and beyond for one in the margin. */
  readonly point?: Point | undefined;
  /** The policy asked for a person, or called the instruction infeasible. */
  readonly refused: boolean;
  /** The policy's answer, or why there is none. */
  readonly text: string;
  /** A fault of the infrastructure: the policy did not answer. */
  readonly failed?: string | undefined;
}

export interface GroundingOptions {
  /** In px: pictures are scaled into its top left corner. Default: as they are. */
  readonly size?: Size | undefined;
  readonly seed: number;
  /** Questions at a time. */
  readonly sessions: number;
  readonly signal?: AbortSignal | undefined;
  readonly onAnswers?: (count: number) => void;
}

/**
 * Asks a policy every question once, as a task of one turn on a picture that does not change. Returns answers in the
 * order of the questions; undefined for those that an abort left out. Throws `bad_input` for a picture that cannot be
 * read.
 */
export async function answerQuestions(
  player: Player,
  questions: readonly GroundingQuestion[],
  { sessions, onAnswers, ...options }: GroundingOptions,
): Promise<(GroundingAnswer | undefined)[]> {
  const answers: (GroundingAnswer | undefined)[] = questions.map(() => undefined);
  const open = questions.entries();
  let count = 0;
  const work = async () => {
    for (const [index, question] of open) {
      if (options.signal?.aborted) return;
      answers[index] = await answer(player, question, { ...options, seed: options.seed + index });
      onAnswers?.(++count);
    }
  };
  await Promise.all(Array.from({ length: Math.min(sessions, questions.length) }, work));
  return answers;
}

async function answer(
  { policy, screenshots }: Player,
  { picture, instruction }: GroundingQuestion,
  { size: screen, seed, signal }: Omit<GroundingOptions, 'sessions'>,
): Promise<GroundingAnswer | undefined> {
  const { frame, size, covered } = await readPicture(picture, screen);
  const environment = new StillEnvironment(instruction, frame);
  const { turns, end } = await runEpisode({ environment, policy, screenshots, purpose: 'grounding', seed, signal });
  if (end.state === 'cut') return undefined;
  if (end.state === 'infra_error') return { size, refused: false, text: end.message, failed: end.message };
  const actions = turns.flatMap((turn) => turn.actions);
  const [point] = actions.flatMap(pointsOf);
  return {
    size,
    ...(point && { point: { x: point.x / covered.x, y: point.y / covered.y } }),
    refused: actions.some(isRefusal),
    text: turns[0]?.text ?? JSON.stringify(actions),
  };
}

const isRefusal = (action: AgentAction) =>
  action.type === 'call_user' || (action.type === 'finished' && /\binfeasible\b/i.test(action.answer ?? ''));

/** Returns the picture as a frame, its own size, and the share of the frame that it covers. */
async function readPicture(
  path: string,
  screen: Size | undefined,
): Promise<{ frame: Frame; size: Size; covered: Point }> {
  try {
    const bytes = await readFile(path);
    const picture = sharp(bytes).toColourspace('srgb').flatten();
    const { width, height } = await picture.metadata();
    const size = { width, height };
    if (!screen) return { frame: frameOf(await picture.png().toBuffer(), size), size, covered: { x: 1, y: 1 } };
    const scale = Math.min(screen.width / width, screen.height / height);
    const [right, bottom] = [Math.round(width * scale), Math.round(height * scale)];
    const scaled = picture.resize(right, bottom, { fit: 'fill' });
    const margin = { right: screen.width - right, bottom: screen.height - bottom, background: 'black' };
    const png = await scaled.extend(margin).png().toBuffer();
    return { frame: frameOf(png, screen), size, covered: { x: right / screen.width, y: bottom / screen.height } };
  } catch (cause) {
    throw new GyreError('bad_input', `the picture ${path} cannot be read`, {
      field: '--screenspot',
      fix: 'unpack the pictures of the set beside its annotations',
      cause,
    });
  }
}

/** A picture of a screen, which nothing changes. One turn ends it. */
class StillEnvironment implements Environment {
  readonly task: Task;
  readonly #frame: Frame;

  constructor(instruction: string, frame: Frame) {
    this.#frame = frame;
    this.task = {
      ...{ id: 'grounding/test/0', family: 'grounding', split: 'test', seed: 0, instruction },
      ...{ surfaces: ['screen'], screen: frame.size, stepBudget: 1 },
    };
  }

  reset(): Promise<Frame> {
    return this.observe();
  }

  observe(): Promise<Frame> {
    return Promise.resolve(this.#frame);
  }

  step(actions: readonly AgentAction[]): Promise<StepResult> {
    return Promise.resolve({ observation: this.#frame, reward: 0, done: true, results: [], actions });
  }

  verdict(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
