import { type NativeSampleRequest, type NativeSampled, vocabularyOf } from '@gyre/engine';
import type { Action } from '@gyre/protocol';
import type { PerceptionSample, Question } from '@gyre/tasks';
import { describe, expect, it } from 'vitest';
import { evaluatePages, pooled } from './evaluatePages.js';

const size = { width: 160, height: 160 };
const vocabulary = vocabularyOf(size);
const box = { x: 40, y: 40, width: 40, height: 20 };
const questions: Question[] = [
  { kind: 'label', instruction: 'press "a"', answer: { type: 'point', boxes: [box] } },
  { kind: 'label', instruction: '点击"保存"', answer: { type: 'point', boxes: [box] } },
  { kind: 'read', instruction: 'read the text', answer: { type: 'text', text: 'Save as' } },
  { kind: 'type', instruction: 'type "x"', answer: { type: 'type', text: 'x' } },
];
const sample: PerceptionSample = { size, pixels: new Uint8Array(160 * 160 * 3), glyphs: [], elements: [], questions };

const answering = (...actions: Action[]) => ({
  sample: (requests: readonly NativeSampleRequest[]): Promise<NativeSampled[]> =>
    Promise.resolve(
      requests.map((_, i) => ({ tokens: vocabulary.encode(actions[i]!), logprobs: [], policyVersion: 0 })),
    ),
});
async function* chunks(...samples: PerceptionSample[]) {
  await Promise.resolve();
  yield samples;
}

describe('the evaluation of pages', () => {
  it('takes a click within, and exactly the text, for right; and counts by kind, size and language', async () => {
    const right = answering(
      { type: 'click', point: { x: 0.4, y: 0.3 } },
      { type: 'click', point: { x: 0.9, y: 0.3 } },
      { type: 'finished', answer: 'Save as' },
      { type: 'type', text: 'y' },
    );
    const results = await evaluatePages(right, chunks(sample));
    expect(results.map(({ kind, language, n, success }) => [kind, language, n, success])).toEqual([
      ['label', 'en', 1, 1],
      ['label', 'zh', 1, 0],
      ['read', 'en', 1, 1],
      ['type', 'en', 1, 0],
    ]);
    expect(pooled(results)).toMatchObject({ n: 4, success: 0.5 });
  });

  it('reads the pixels for a policy with a reader, and does not ask it about transitions', async () => {
    const seen: NativeSampleRequest[] = [];
    const engine = {
      sample: (requests: readonly NativeSampleRequest[]): Promise<NativeSampled[]> => {
        seen.push(...requests);
        const turn = { action: { type: 'finished', answer: 'Save as' } } as const;
        // Tokens of a scene say nothing without it.
        return Promise.resolve(requests.map(() => ({ tokens: [-1], logprobs: [], policyVersion: 0, turn })));
      },
    };
    const line = { text: 'Save as', box, centres: [...'Save as'].map((_, i) => 42 + 5 * i) };
    const reader = { read: () => Promise.resolve({ reader: 'fake', lines: [line] }) };
    const change: Question = { kind: 'transition', instruction: 'what changed?', answer: { type: 'text', text: 'x' } };
    const page = { ...sample, questions: [questions[2]!, questions[3]!, change] };
    const results = await evaluatePages(engine, chunks(page), { reader });
    expect(results.map(({ kind, n, unasked, success }) => [kind, n, unasked, success])).toEqual([
      ['transition', 0, 1, 0],
      ['read', 1, 0, 1],
      ['type', 1, 0, 0],
    ]);
    expect(seen.map(({ input }) => [input.scene?.instruction, input.screenshots[0]?.lines])).toEqual([
      ['read the text', [line]],
      ['type "x"', [line]],
    ]);
  });

  it('takes another kind of action, and another case, for wrong', async () => {
    const wrong = answering(
      { type: 'double_click', point: { x: 0.4, y: 0.3 } },
      { type: 'wait' },
      { type: 'finished', answer: 'save as' },
      { type: 'finished', answer: 'x' },
    );
    expect(pooled(await evaluatePages(wrong, chunks(sample))).success).toBe(0);
  });
});
