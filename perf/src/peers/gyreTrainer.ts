import { AdamW, compile } from '@gyre/engine';
import { inferenceGraph, newParameters, referenceBatch, time, trainingGraph } from '../engine/referenceModel.js';
import { type PeerRequest, type Trainer, adam } from './trainer.js';
import { versionOf } from './version.js';

export async function gyreTrainer({ size, batch }: PeerRequest): Promise<Trainer> {
  const { learningRate, ...moments } = adam;
  const parameters = newParameters(size);
  const training = await compile(trainingGraph(size, batch, 'cpu'), { threads: 1 });
  const inference = await compile(inferenceGraph(size), { threads: 1 });
  const feeds = referenceBatch(batch);
  const first = { tokens: feeds.tokens.subarray(0, time) };
  const gradient = new Float32Array(parameters.size);
  const into = Object.fromEntries(parameters.specs.map(({ name }) => [name, parameters.view(name, gradient)]));
  const optimiser = new AdamW(parameters, { ...moments, weightDecay: 0, clipNorm: Infinity });
  return {
    version: versionOf('@gyre/engine'),
    async step() {
      const { loss } = await training.run(feeds, parameters, into);
      optimiser.step(gradient, learningRate);
      return loss![0]!;
    },
    infer: () => inference.run(first, parameters),
  };
}
