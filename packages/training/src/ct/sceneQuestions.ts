import {
  acceptedTurn,
  longestAction,
  type NativeAction,
  type NativeDatum,
  type NativeSequence,
  type Random,
  type SceneContext,
  sceneOf,
  type Screenshot,
} from '@gyre/engine';
import { GyreError, type PixelBox } from '@gyre/protocol';
import { type PerceptionSample, type Question, simulatedReading, type Word } from '@gyre/tasks';

export interface SceneQuestionTerms {
  /** At most. */
  readonly questions: number;
  readonly hash: string;
  readonly random: Random;
}

/** Asks about a page as decisions of a policy with a reader. Questions whose answer it cannot give are left out. */
export function sceneQuestions(sample: PerceptionSample, { questions, hash, random }: SceneQuestionTerms): NativeDatum {
  const screenshot = screenshotOf(sample, hash);
  const sequences: NativeSequence[] = [];
  for (const question of sample.questions) {
    if (sequences.length === questions) break;
    const sequence = sequenceOf(screenshot, question, random);
    if (sequence) sequences.push(sequence);
  }
  return { screenshots: [screenshot], sequences };
}

/** Returns a sample's screenshot with a simulated reading of its letters. */
function screenshotOf({ pixels, size, glyphs }: PerceptionSample, hash: string): Screenshot {
  return { hash, pixels, size, lines: simulatedReading(wordsOf(glyphs), size, hash).lines };
}

/** The box of a letter is that of its font, taller than an em. */
const emOfBox = 1 / 1.17;

function wordsOf(glyphs: PerceptionSample['glyphs']): Word[] {
  const words: Word[] = [];
  let letters: (typeof glyphs)[number][] = [];
  const close = (): void => {
    const [first] = letters;
    const last = letters.at(-1);
    if (!first || !last) return;
    words.push({
      text: letters.map(({ char }) => char).join(''),
      top: first.box.y,
      height: first.box.height,
      fontSize: first.box.height * emOfBox,
      edges: [...letters.map(({ box }) => box.x), last.box.x + last.box.width],
    });
    letters = [];
  };
  for (const glyph of glyphs) {
    const before = letters.at(-1);
    const continues =
      glyph.word === before?.word &&
      glyph.index === before.index + 1 &&
      Math.abs(glyph.box.y - before.box.y) < 0.5 * glyph.box.height;
    if (!continues) close();
    letters.push(glyph);
  }
  close();
  return words;
}

function sequenceOf(screenshot: Screenshot, question: Question, random: Random): NativeSequence | undefined {
  const { kind, instruction, answer } = question;
  // A policy with a reader sees one screenshot.
  if (kind === 'transition') return undefined;
  const context: SceneContext = { instruction, past: [] };
  const scene = sceneOf(screenshot, context);
  const { action, targets } = actionOf(answer, screenshot, random);
  const [, ...alternatives] = targets;
  const source = answer.type === 'text' ? (answer.box ?? null) : undefined;
  try {
    const turn = acceptedTurn(scene, action, { targets, alternatives, source, random: () => random.next() });
    return turn.action.length > longestAction ? undefined : { tokens: [], scene: context, ...turn };
  } catch (error) {
    // A text that was misread, or has a character that the policy has no token for.
    if (error instanceof GyreError && error.code === 'bad_input') return undefined;
    throw error;
  }
}

function actionOf(
  answer: Question['answer'],
  { size }: Screenshot,
  random: Random,
): { action: NativeAction; targets: readonly PixelBox[] } {
  if (answer.type === 'text') return { action: { type: 'finished', answer: answer.text }, targets: [] };
  if (answer.type === 'type') return { action: { type: 'type', text: answer.text }, targets: [] };
  const boxes = [...answer.boxes];
  const [box] = boxes.splice(random.int(boxes.length), 1);
  if (!box) throw new GyreError('bug', 'a question about a place has no answer');
  const point = { x: (box.x + box.width / 2) / size.width, y: (box.y + box.height / 2) / size.height };
  return { action: { type: 'click', point }, targets: [box, ...boxes] };
}
