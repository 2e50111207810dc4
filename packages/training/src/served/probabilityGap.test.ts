import { mergedData, type Datum } from '@gyre/engine';
import { expect, it } from 'vitest';
import { CueEngine } from './cueEngine.test.fixture.js';
import { expectSmallGap, probabilityGap } from './probabilityGap.js';
import { remoteOf } from './served.test.fixture.js';

it('catches weights that were changed behind the sampler', async () => {
  const cue = new CueEngine();
  const remote = await remoteOf(cue);
  const played = async (): Promise<Datum[]> => {
    const prompts = [0, 1, 2].map((token) => [{ tokens: [token, 7] }]);
    const sampled = await remote.sample(prompts.map((input, seed) => ({ input, maxTokens: 4, temperature: 1, seed })));
    return mergedData(sampled.map((answer, i) => ({ ...answer, prompt: prompts[i]! }))).map(({ datum }) => datum);
  };
  const data = await played();
  const gap = await probabilityGap(remote, data);
  expect(gap).toMatchObject({ tokens: 12, withPictures: NaN });
  expect(gap.largest).toBeLessThan(1e-6);
  expectSmallGap(gap);
  await cue.forwardBackward(data, { name: 'cross_entropy' });
  await cue.optimStep({ learningRate: 1 });
  const stale = await probabilityGap(remote, await played());
  expect(stale.mean).toBeGreaterThan(0.03);
  expect(stale.largest).toBeGreaterThanOrEqual(stale.mean);
  expect(() => expectSmallGap(stale)).toThrow(/disagree by 0\.\d{3} nats a token .*stale/);
  expectSmallGap(stale, { bound: 9 });
});

it('names pictures if only prompts with pictures differ, and refuses data without tokens', async () => {
  const gap = { tokens: 9, mean: 0.1, largest: 1, withPictures: 0.2, withoutPictures: 0.01 };
  expect(() => expectSmallGap(gap)).toThrow('loses or rescales pictures');
  expect(() => expectSmallGap({ ...gap, withoutPictures: 0.2 })).toThrow('chat template');
  const empty = await probabilityGap(new CueEngine(), []);
  expect(() => expectSmallGap(empty)).toThrow('no sampled token');
  expect(() => expectSmallGap({ ...empty, tokens: 3 })).toThrow('NaN nats');
});
