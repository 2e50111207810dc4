import type { Piece } from '@gyre/engine';
import { beforeAll, describe, expect, it } from 'vitest';
import { ColourEngine } from './colourEngine.test.fixture.js';
import { plainPicture, type ProbePrompts } from './probePrompts.js';
import { gapAfterSteps, sampledGap, samplerPictureEffect, trainerPictureEffect } from './serverProbe.js';

let prompts: ProbePrompts & { pictures: [Piece[], Piece[]] };
beforeAll(async () => {
  const prompt = async (colour: 'red' | 'blue'): Promise<Piece[]> => [
    { tokens: [1] },
    { picture: await plainPicture(colour), length: 4 },
    { tokens: [2] },
  ];
  prompts = { texts: [[{ tokens: [3] }], [{ tokens: [4] }]], pictures: [await prompt('red'), await prompt('blue')] };
});

/** Keeps the first weights for sampling. */
class Stale extends ColourEngine {
  #isPublished = false;

  override async publish() {
    if (this.#isPublished) return { policyVersion: 0 };
    this.#isPublished = true;
    return super.publish();
  }
}

describe('the probe of a server', () => {
  it('measures no gap and a moving sampler where all weights arrive', async () => {
    const engine = new ColourEngine();
    const before = await sampledGap(engine, prompts);
    expect(before.gap).toMatchObject({ tokens: 128, mean: expect.closeTo(0, 9) as number });
    const report = await gapAfterSteps(engine, prompts, before);
    expect(report.movement).toBeGreaterThan(0.3);
    expect(report.gap.largest).toBeLessThan(1e-9);
    expect(report.samplerIsUnchanged).toBe(false);
  });

  it('measures the movement as a gap at a sampler with old weights', async () => {
    const engine = new Stale();
    const report = await gapAfterSteps(engine, prompts, await sampledGap(engine, prompts));
    expect(report.samplerIsUnchanged).toBe(true);
    expect(report.gap.withoutPictures).toBeGreaterThan(0.1);
    expect(report.gap.withPictures).toBeGreaterThan(0.1);
  });

  it('raises the learning rate until log-probabilities move, and stops at the largest', async () => {
    const engine = new ColourEngine({ learns: false });
    const report = await gapAfterSteps(engine, prompts, await sampledGap(engine, prompts));
    expect(report).toMatchObject({ movement: 0, learningRate: 0.03 });
  });

  it('measures the effect of pictures at trainer and sampler', async () => {
    const seeing = new ColourEngine();
    const ofTrainer = await trainerPictureEffect(seeing, prompts.pictures);
    expect(ofTrainer).toMatchObject({ isSeen: true, noise: 0 });
    expect(ofTrainer.nats).toBeGreaterThan(0.01);
    expect(await samplerPictureEffect(seeing, prompts.pictures)).toMatchObject({ isSeen: true });
    const blind = new ColourEngine({ seesPictures: false });
    const none = { nats: 0, noise: 0, isSeen: false };
    expect(await trainerPictureEffect(blind, prompts.pictures)).toEqual(none);
    expect(await samplerPictureEffect(blind, prompts.pictures)).toEqual(none);
  });

  it('sees no picture in differences that the same picture makes, too', async () => {
    class Noisy extends ColourEngine {
      #passes = 0;

      override async forward(data: Parameters<ColourEngine['forward']>[0]) {
        const { logprobs, policyVersion } = await super.forward(data);
        return {
          logprobs: logprobs.map((list) => list.map((each) => each + 0.01 * this.#passes++)),
          policyVersion,
        };
      }
    }
    const { nats, isSeen } = await trainerPictureEffect(new Noisy({ seesPictures: false }), prompts.pictures);
    expect(nats).toBeGreaterThan(0.1);
    expect(isSeen).toBe(false);
  });
});
