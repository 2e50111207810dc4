import { Random, sceneOf } from '@gyre/engine';
import { BrowserPool } from '@gyre/sandbox';
import { type PerceptionSample, type Question, perceive } from '@gyre/tasks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sceneQuestions } from './sceneQuestions.js';

const size = { width: 160, height: 160 };
let pool: BrowserPool;
let samples: PerceptionSample[];
beforeAll(async () => {
  pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
  samples = [];
  for await (const some of perceive(pool, { seed: 2, count: 128, size })) samples.push(...some);
}, 120_000);
afterAll(() => pool.close());

/** Returns what each accepted token of a question says, and all accepted subdivisions of a spelt place. */
function accepted(sample: PerceptionSample, question: Question, seed: number) {
  const data = sceneQuestions({ ...sample, questions: [question] }, { questions: 1, hash: 'x', random: new Random(seed) });
  const [sequence] = data.sequences;
  if (!sequence) return undefined;
  const { vocabulary, screen } = sceneOf(data.screenshots[0]!, sequence.scene!);
  const { action, equals = [] } = sequence;
  const turns = action.flatMap((_, i) =>
    (equals[i] ?? []).map((token) => {
      const start = [...action.slice(0, i), token];
      const open = vocabulary.next(start);
      return open === 'offset' ? [...start, vocabulary.offset(5)] : start;
    }),
  );
  return { screen, says: [action, ...turns].map((tokens) => vocabulary.decode(tokens).action) };
}

const folded = (text = '') =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/gu, '')
    .replace(/[1i|!]/g, 'l')
    .replace(/o/g, '0');

it('accepts nothing but the right answer to every kind of question', () => {
  const asked = new Set<string>();
  for (const [i, sample] of samples.entries()) {
    for (const question of sample.questions) {
      const turn = accepted(sample, question, i);
      if (!turn) continue;
      asked.add(question.kind);
      const { answer, instruction } = question;
      for (const action of turn.says) {
        if (answer.type === 'point') {
          if (action.type !== 'click') throw new Error(`${instruction}: ${action.type}`);
          const [x, y] = [action.point.x * size.width, action.point.y * size.height];
          const inside = answer.boxes.some(
            (box) => x >= box.x - 1 && x <= box.x + box.width + 1 && y >= box.y - 1 && y <= box.y + box.height + 1,
          );
          expect(inside, `${instruction}: ${x} ${y} of ${JSON.stringify(answer.boxes)}`).toBe(true);
        } else if (answer.type === 'type') expect(action).toEqual({ type: 'type', text: answer.text });
        else if (answer.box) expect(action.type === 'finished' && folded(action.answer)).toBe(folded(answer.text));
        else expect(action).toEqual({ type: 'finished', answer: answer.text });
      }
    }
  }
  const kinds = ['colour', 'dense', 'describe', 'icon', 'label', 'position', 'read', 'relation', 'role', 'shape'];
  expect([...asked].sort()).toEqual([...kinds, 'state', 'type']);
});

it('offers almost every place and written text in spite of misread letters', () => {
  const questions = samples.flatMap((sample) => sample.questions.map((question) => ({ sample, question })));
  const offered = (chosen: typeof questions) =>
    chosen.filter(({ sample, question }, i) => accepted(sample, question, i)).length / chosen.length;
  expect(offered(questions.filter(({ question: { answer } }) => answer.type === 'point'))).toBe(1);
  const written = questions.filter(({ question: { answer } }) => answer.type === 'text' && answer.box);
  expect(offered(written)).toBeGreaterThan(0.85);
});

it('spells a number that is counted, though it also stands on the screen', () => {
  const sample = samples.find(({ questions }) => questions.some(({ kind }) => kind === 'read'))!;
  const glyphs = [{ char: '3', word: '3', index: 0, box: { x: 20, y: 20, width: 8, height: 14 } }];
  const count: Question = { kind: 'read', instruction: 'how many tabs are there?', answer: { type: 'text', text: '3' } };
  const turn = accepted({ ...sample, glyphs }, count, 1)!;
  expect(turn.screen.some(({ text }) => text === '3')).toBe(true);
  expect(turn.says).toEqual([{ type: 'finished', answer: '3' }]);
});
