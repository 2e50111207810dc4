import { type Picture, tokenIds } from '@gyre/engine';
import { type Episode, promptTokens, type Turn } from '@gyre/protocol';
import { expect, it } from 'vitest';
import { rollout } from '../rollouts/rollout.test.fixture.js';
import { CueEngine } from './cueEngine.test.fixture.js';
import { requestsOf } from './requests.js';
import { servedDecisions } from './servedDecisions.js';
import { ServedPolicy } from './servedPolicy.js';

const [pad, text] = [6, 1];
const png = new Uint8Array(9);

/** Shows every screenshot so far, of 2 tokens each; the turn `unsampled` has no sample. */
function served({ unsampled }: { unsampled?: number } = {}): Episode {
  const { episode } = rollout('maze', [0, 0, 1], []);
  const turns: Turn[] = [];
  let prompt: number[] = [];
  for (const turn of episode.turns) {
    const tokens = [2 + turn.index, 5];
    prompt = [...prompt, text, pad, pad, text];
    const sample = {
      tokens,
      logprobs: [-1, -2],
      policyVersion: turn.index,
      model: 'served',
      prompt: promptTokens(prompt),
    };
    turns.push(turn.index === unsampled ? turn : { ...turn, sample });
    prompt.push(...tokens);
  }
  return { ...episode, turns };
}

const options = { lake: { screenshot: async () => png }, pictureToken: pad };

it('reads the sampled turns with their prompts and pictures, as one datum while prompts only grow', async () => {
  const episode = served();
  const { decisions, ...counts } = await servedDecisions(episode, options);
  expect(counts).toEqual({ strays: 0, unprompted: 0 });
  expect(decisions.map(({ family, turn, policyVersion }) => [family, turn, policyVersion])).toEqual([
    ['maze', 0, 0],
    ['maze', 1, 1],
    ['maze', 2, 2],
  ]);
  const [sequence] = decisions[1]!.datum.sequences;
  expect(tokenIds(sequence!.prompt!, pad)).toEqual([text, pad, pad, text, 2, 5, text, pad, pad, text]);
  expect(sequence!.prompt!.filter((piece) => 'picture' in piece)).toHaveLength(2);
  expect([sequence!.action, sequence!.logprobs]).toEqual([
    [3, 5],
    [-1, -2],
  ]);
  const cue = new CueEngine();
  const data = decisions.map(({ datum }) => datum);
  await new ServedPolicy(cue).forwardBackward({ data, loss: { name: 'cross_entropy' } });
  expect(cue.trained.map((request) => request.length)).toEqual([1]);
});

it('leaves out and counts turns without a sample', async () => {
  const { decisions, unprompted } = await servedDecisions(served({ unsampled: 2 }), options);
  expect([decisions.map(({ turn }) => turn), unprompted]).toEqual([[0, 1], 1]);
});

it('splits data into requests of limited size, in order', () => {
  const picture = (bytes: number): Picture => ({
    hash: 'a',
    png: new Uint8Array(bytes),
    size: { width: 1, height: 1 },
  });
  const datum = (bytes: number) => ({ input: [{ picture: picture(bytes), length: 1 }, { tokens: [1] }], weights: [1] });
  const data = [datum(10), datum(20), datum(500), datum(30)];
  expect(requestsOf(data, 100).map((request) => request.length)).toEqual([2, 1, 1]);
  expect(requestsOf(data, 100).flat()).toEqual(data);
  expect(requestsOf([])).toEqual([[]]);
});
