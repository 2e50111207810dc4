import { nativeInput, sceneContext, type ScreenReader } from '@gyre/agent';
import {
  hasReader,
  type NativeArchitecture,
  type NativeDatum,
  type NativeSequence,
  sceneOf,
  screenshotsOf,
  type Screenshot,
  type Vocabulary,
  vocabularyOf,
} from '@gyre/engine';
import { type Episode, GyreError, independentVerdict, type TextLine } from '@gyre/protocol';
import type { ScreenshotReader } from '../rollouts/dataset.js';

const question = 'is this done';

export interface OrmQuery {
  readonly family: string;
  /** Two sequences: done, and not done. */
  readonly datum: NativeDatum;
  readonly success: boolean | undefined;
}

/** How the model sees an episode. */
export interface OrmView {
  readonly architecture: NativeArchitecture;
  /** Reads the last screen, which no turn has read. Required if the architecture has a reader. */
  readonly reader?: ScreenReader | undefined;
}

interface Asked {
  readonly screenshots: readonly Screenshot[];
  readonly vocabulary: Vocabulary;
  readonly prompt: Omit<NativeSequence, 'action'>;
}

/**
 * Asks the policy as a generative outcome reward model (UI-TARS-2, section on reward design), from the instruction, the
 * actions and the last screenshots. It answers with a `finished` of yes or no.
 */
export async function ormQuery(episode: Episode, view: OrmView, reader: ScreenshotReader): Promise<OrmQuery> {
  const ask = hasReader(view.architecture) ? askScene : askPixels;
  const { screenshots, vocabulary, prompt } = await ask(episode, view, reader);
  const sequences = ['yes', 'no'].map((answer) => ({
    ...prompt,
    action: vocabulary.encode({ type: 'finished', answer }),
  }));
  return {
    family: episode.task.family,
    datum: { screenshots, sequences },
    success: independentVerdict(episode)?.success,
  };
}

const questionOn = ({ task }: Episode): string => `${question}: ${task.instruction}`;

async function askPixels(episode: Episode, { architecture }: OrmView, reader: ScreenshotReader): Promise<Asked> {
  const { task, observation, turns } = episode;
  const seen = [observation, ...turns.map((turn) => turn.observation)].slice(-screenshotsOf(architecture));
  const screenshots = await Promise.all(seen.map((last) => reader.read(last)));
  const vocabulary = vocabularyOf(seen.at(-1)?.size ?? task.screen);
  const { tokens, clock } = nativeInput(vocabulary, { instruction: questionOn(episode) }, turns, screenshots);
  return { screenshots, vocabulary, prompt: { tokens, ...(clock !== undefined && { clock }) } };
}

async function askScene(episode: Episode, view: OrmView, reader: ScreenshotReader): Promise<Asked> {
  const { observation, turns } = episode;
  const last = await reader.read(turns.at(-1)?.observation ?? observation);
  const screenshot = { ...last, lines: await lastLines(episode, view, last) };
  const scene = sceneContext({ instruction: questionOn(episode) }, observation, turns);
  const clock = turns.length;
  const { vocabulary } = sceneOf(screenshot, scene, clock);
  return { screenshots: [screenshot], vocabulary, prompt: { tokens: [], scene, clock } };
}

/** Reuses the reading of a turn that saw the same screen. */
async function lastLines(
  { id, observation, turns }: Episode,
  { reader }: OrmView,
  last: Screenshot,
): Promise<readonly TextLine[]> {
  const index = turns.findLastIndex(
    ({ reading }, i) => reading && (turns[i - 1]?.observation ?? observation).screenshot === last.hash,
  );
  const known = turns[index]?.reading;
  if (known) return known.lines;
  if (reader) return (await reader.read(last)).lines;
  throw new GyreError('bad_input', `no turn of ${id} has read its last screen`, {
    field: 'reader',
    fix: 'pass a reader',
  });
}
