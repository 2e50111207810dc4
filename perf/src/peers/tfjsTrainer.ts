import type { Scalar, Tensor, Tensor2D } from '@tensorflow/tfjs-core';
import { ids, masked, newParameters, referenceBatch, time } from '../engine/referenceModel.js';
import { type PeerRequest, type Trainer, adam, ifInstalled } from './trainer.js';

const fix = 'npm install --save-dev @tensorflow/tfjs-core @tensorflow/tfjs-backend-wasm @tensorflow/tfjs-layers';

/**
 * Trains with TensorFlow.js on WebAssembly. Only `tfjs-layers` registers gradients. Tokens are one-hot, since `gather`
 * has no gradient there. Throws `missing`.
 */
export async function tfjsTrainer({ size, batch }: PeerRequest): Promise<Trainer> {
  const tf = await ifInstalled(async () => {
    await import('@tensorflow/tfjs-backend-wasm');
    await import('@tensorflow/tfjs-layers');
    return import('@tensorflow/tfjs-core');
  }, fix);
  await tf.setBackend('wasm');

  const { width, layers, heads } = size;
  const headWidth = width / heads;
  const parameters = newParameters(size);
  const weights = new Map(
    parameters.specs.map(({ name, shape }) => [name, tf.variable(tf.tensor(parameters.view(name), [...shape]))]),
  );
  const weight = (name: string) => weights.get(name)!;
  const mask = Float32Array.from({ length: time ** 2 }, (_, i) => (i % time > Math.floor(i / time) ? masked : 0));
  const causal = tf.tensor(mask, [time, time]);

  const project = (x: Tensor, name: string) => tf.add(tf.matMul(x, weight(`${name}.weight`)), weight(`${name}.bias`));
  const norm = (x: Tensor, name: string) => {
    const centred = tf.sub(x, tf.mean(x, -1, true));
    const deviation = tf.sqrt(tf.add(tf.mean(tf.square(centred), -1, true), 1e-5));
    return tf.add(tf.mul(tf.div(centred, deviation), weight(`${name}.gamma`)), weight(`${name}.beta`));
  };
  const gelu = (x: Tensor) => tf.mul(tf.mul(x, 0.5), tf.add(tf.erf(tf.mul(x, Math.SQRT1_2)), 1));
  const hot = (of: Int32Array) => tf.oneHot(tf.tensor1d(of, 'int32'), ids);
  const decoder = (tokens: Int32Array) => {
    const rows = tokens.length / time;
    const split = (x: Tensor) => tf.transpose(tf.reshape(x, [rows, time, heads, headWidth]), [0, 2, 1, 3]);
    const embedded = tf.reshape(tf.matMul(hot(tokens), weight('tokens')), [rows, time, width]);
    let x: Tensor = tf.reshape(tf.add(embedded, weight('positions')), [rows * time, width]);
    for (let place = 0; place < layers; place++) {
      const name = `layer${place}`;
      const y = norm(x, `${name}.norm1`);
      const queries = split(project(y, `${name}.query`));
      const keys = split(project(y, `${name}.key`));
      const values = split(project(y, `${name}.value`));
      const scores = tf.mul(tf.matMul(queries, keys, false, true), headWidth ** -0.5);
      const mixed = tf.matMul(tf.softmax(tf.add(scores, causal)), values);
      const joined = tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [rows * time, width]);
      const z = tf.add(x, project(joined, `${name}.out`));
      x = tf.add(z, project(gelu(project(norm(z, `${name}.norm2`), `${name}.up`)), `${name}.down`));
    }
    return project(norm(x, 'norm'), 'head') as Tensor2D;
  };

  const { tokens, targets } = referenceBatch(batch);
  const lossOf = () => {
    const picked = tf.mul(tf.logSoftmax(decoder(tokens)), hot(targets));
    return tf.mul<Scalar>(tf.sum(picked), -1 / (batch * time));
  };
  const optimiser = tf.train.adam(adam.learningRate, adam.beta1, adam.beta2, adam.eps);
  const variables = [...weights.values()];
  const dataOf = async (tensor: Tensor) => {
    const data = await tensor.data();
    tensor.dispose();
    return data;
  };
  return {
    version: tf.version_core,
    step: async () => (await dataOf(optimiser.minimize(lossOf, true, variables)!))[0]!,
    infer: () => dataOf(tf.tidy(() => decoder(tokens.subarray(0, time)))),
  };
}
