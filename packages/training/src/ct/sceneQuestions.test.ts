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

/** Returns the actions of each accepted token: several for a cell, one for each subdivision. */
function accepted(sample: PerceptionSample, question: Question, seed: number) {
  const terms = { questions: 1, hash: String(seed), random: new Random(seed) };
  const data = sceneQuestions({ ...sample, questions: [question] }, terms);
  const [sequence] = data.sequences;
  if (!sequence) return undefined;
  const { vocabulary, screen } = sceneOf(data.screenshots[0]!, sequence.scene!);
  const { action, equals = [] } = sequence;
  const turns = action.flatMap((_, i) =>
    (equals[i] ?? []).map((token) => {
      const turn = [...action.slice(0, i), token];
      if (vocabulary.next(turn) !== 'offset') return [turn];
      return Array.from({ length: 16 }, (_, offset) => [...turn, vocabulary.offset(offset)]);
    }),
  );
  const says = [[action], ...turns].map((same) => same.map((tokens) => vocabulary.decode(tokens).action));
  return { screen, says };
}

const folded = (text = '') =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/gu, '')
    .replace(/[1i|!]/g, 'l')
    .replace(/o/g, '0');

it('accepts nothing but the right answer to every kind of question', () => {
  const kindsAsked = new Set<string>();
  for (const [i, sample] of samples.entries()) {
    for (const question of sample.questions) {
      const turn = accepted(sample, question, i);
      if (!turn) continue;
      kindsAsked.add(question.kind);
      const { answer, instruction } = question;
      for (const actions of turn.says) {
        const [action] = actions;
        if (answer.type === 'point') {
          const isRight = actions.some((click) => {
            if (click.type !== 'click') return false;
            const [x, y] = [click.point.x * size.width, click.point.y * size.height];
            return answer.boxes.some(
              (box) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height,
            );
          });
          expect(isRight, `${instruction}: ${JSON.stringify([action, answer.boxes])}`).toBe(true);
        } else if (answer.type === 'type') expect(action).toEqual({ type: 'type', text: answer.text });
        else if (answer.box) expect(action?.type === 'finished' && folded(action.answer)).toBe(folded(answer.text));
        else expect(action).toEqual({ type: 'finished', answer: answer.text });
      }
    }
  }
  const kinds = ['colour', 'dense', 'describe', 'icon', 'label', 'position', 'read', 'relation', 'role', 'shape'];
  expect([...kindsAsked].sort()).toEqual([...kinds, 'state', 'type']);
});

it('offers almost every place and written text in spite of misread letters', () => {
  const questions = samples.flatMap((sample) => sample.questions.map((question) => ({ sample, question })));
  const offered = (chosen: typeof questions) =>
    chosen.filter(({ sample, question }, i) => accepted(sample, question, i)).length / chosen.length;
  expect(offered(questions.filter(({ question: { answer } }) => answer.type === 'point'))).toBe(1);
  const written = questions.filter(({ question: { answer } }) => answer.type === 'text' && answer.box);
  expect(offered(written)).toBeGreaterThan(0.8);
});

it('spells a number that is counted, though it also stands on the screen', () => {
  const glyphs = [{ char: '3', word: '3', index: 0, box: { x: 20, y: 20, width: 8, height: 14 } }];
  const answer = { type: 'text', text: '3' } as const;
  const count: Question = { kind: 'read', instruction: 'how many tabs are there?', answer };
  const turn = accepted({ ...samples[0]!, glyphs }, count, 2)!;
  expect(turn.screen.some(({ text }) => text === '3')).toBe(true);
  expect(turn.says).toEqual([[{ type: 'finished', answer: '3' }]]);
});
