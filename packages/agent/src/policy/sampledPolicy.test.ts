import { type Architecture, EmbeddedEngine, NativeTokenEngine, vocabularyHash, vocabularyOf } from '@gyre/engine';
import { printT5 } from '@gyre/protocol';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NativeLanguage, nativeInput } from '../language/native.js';
import { frameOf } from '../loop/frame.test.fixture.js';
import { pixels } from '../loop/pixels.js';
import { nativePolicy } from './nativePolicy.js';
import type { Context, PastTurn } from './policy.js';
import { sampledPolicy } from './sampledPolicy.js';

const architecture: Architecture = {
  ...{ screenshots: 2, width: 16, heads: 2, imageLayers: 1, decoderLayers: 1, stem: 8 },
  role: 'policy',
};
const size = { width: 160, height: 160 };
const vocabulary = vocabularyOf(size);
const native = new EmbeddedEngine({ architecture, seed: 1, threads: 1 });
afterAll(() => native.close());

let context: Context;
beforeAll(async () => {
  const frames = await Promise.all(
    ['red', 'blue'].map(async (background) =>
      frameOf(
        await sharp({ create: { ...size, channels: 3, background } })
          .png()
          .toBuffer(),
        size,
      ),
    ),
  );
  const past: PastTurn = {
    index: 0,
    actions: [{ type: 'execute_bash', command: 'ls' }],
    observation: { screenshot: frames[1]!.hash, size, results: [{ kind: 'output', text: 'a b' }] },
  };
  const task = {
    instruction: 'type "ab"',
    surfaces: ['screen' as const, 'shell' as const],
    screen: size,
    stepBudget: 9,
  };
  context = { task, screenshots: frames, start: past.observation, turns: [past], random: () => 0.25, episodeId: 'one' };
});

describe('a policy over an engine and a language', () => {
  it('samples what the native engine samples, and keeps the tokens with their model and vocabulary', async () => {
    const decision = await nativePolicy({ name: 'nano', engine: native }).decide(context);
    const screenshots = await Promise.all(
      context.screenshots.map(async (frame) => ({ ...frame, pixels: await pixels(frame) })),
    );
    const input = nativeInput(vocabulary, context.task, context.turns, screenshots);
    const [expected] = await native.sample([{ input, temperature: 1, seed: 2 ** 30 }]);
    const { thought, action } = vocabulary.decode(expected!.tokens);
    const turn = { ...(thought !== undefined && { thought }), actions: [action] };
    expect(decision).toEqual({
      ...turn,
      text: printT5(turn),
      sample: { ...expected, model: 'gyre.native.3', vocabulary: vocabularyHash },
    });
  });

  it('thinks where it has to', async () => {
    const { sample } = await nativePolicy({ name: 'nano', engine: native, thinks: true }).decide(context);
    expect(sample?.tokens[0]).toBe(vocabulary.think);
  });

  it('is refused where engine and language differ in vocabulary', () => {
    class Other extends NativeLanguage {
      override readonly vocabulary = 'ffff';
    }
    const engine = new NativeTokenEngine({ engine: native, pixels });
    expect(() => sampledPolicy({ name: 'nano', engine, language: new Other() })).toThrow(
      expect.objectContaining({
        code: 'bad_input',
        message: 'the model gyre.native.3 does not support the language native',
      }),
    );
  });
});

describe('the native language', () => {
  const language = new NativeLanguage();

  it('prints what it parses', async () => {
    const turn = { thought: 'press it', actions: [{ type: 'hotkey' as const, keys: 'ctrl c' }] };
    const tokens = await language.print(turn, size);
    expect(await language.parse(tokens, size)).toEqual({ ...turn, text: printT5(turn) });
  });

  it('waits where a text was cut off, and refuses to print several actions', async () => {
    const tokens = await language.print({ actions: [{ type: 'type', text: 'abc' }] }, size);
    expect(await language.parse(tokens.slice(0, 2), size)).toMatchObject({ actions: [{ type: 'wait' }] });
    const actions = [{ type: 'wait' as const }, { type: 'wait' as const }];
    await expect(language.print({ actions }, size)).rejects.toMatchObject({ code: 'bad_input' });
  });
});
