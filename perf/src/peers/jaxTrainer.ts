import type { numpy } from '@jax-js/jax';
import { ids, masked, newParameters, referenceBatch, time } from '../engine/referenceModel.js';
import { type PeerRequest, type Trainer, adam, ifInstalled } from './trainer.js';
import { versionOf } from './version.js';

type JaxArray = numpy.Array;
type JaxArrays = Record<string, JaxArray>;

/**
 * Trains with jax-js on WebAssembly. Reused arrays need `.ref`. One-hot products pick the targets, since the gradient
 * of `takeAlongAxis` does not compile. Throws `missing`.
 */
export async function jaxTrainer({ size, batch }: PeerRequest): Promise<Trainer> {
  const jax = await ifInstalled(() => import('@jax-js/jax'), 'npm install --save-dev @jax-js/jax');
  const { jit, nn, numpy: np, tree } = jax;
  await jax.init('wasm');
  jax.defaultDevice('wasm');

  const { width, layers, heads } = size;
  const headWidth = width / heads;
  const mask = Float32Array.from({ length: time ** 2 }, (_, i) => (i % time > Math.floor(i / time) ? masked : 0));
  const causal = np.array(mask).reshape([time, time]);

  const decoder = (weights: JaxArrays, tokens: JaxArray): JaxArray => {
    const rows = tokens.shape[0]! / time;
    const weight = (name: string) => weights[name]!;
    const project = (x: JaxArray, name: string) => np.matmul(x, weight(`${name}.weight`)).add(weight(`${name}.bias`));
    const norm = (x: JaxArray, name: string) =>
      nn
        .standardize(x, -1, { epsilon: 1e-5 })
        .mul(weight(`${name}.gamma`))
        .add(weight(`${name}.beta`));
    const split = (x: JaxArray) => x.reshape([rows, time, heads, headWidth]).transpose([0, 2, 1, 3]);
    let x = np.take(weight('tokens'), tokens, 0).add(np.tile(weight('positions'), [rows, 1]));
    for (let place = 0; place < layers; place++) {
      const name = `layer${place}`;
      const y = norm(x.ref, `${name}.norm1`);
      const queries = split(project(y.ref, `${name}.query`));
      const keys = split(project(y.ref, `${name}.key`));
      const values = split(project(y, `${name}.value`));
      const scores = np.matmul(queries, np.swapaxes(keys, -1, -2)).mul(headWidth ** -0.5);
      const mixed = np.matmul(nn.softmax(scores.add(causal.ref), -1), values);
      const joined = mixed.transpose([0, 2, 1, 3]).reshape([rows * time, width]);
      const z = x.add(project(joined, `${name}.out`));
      const inner = nn.gelu(project(norm(z.ref, `${name}.norm2`), `${name}.up`), { approximate: false });
      x = z.add(project(inner, `${name}.down`));
    }
    return project(norm(x, 'norm'), 'head');
  };
  const lossOf = (weights: JaxArrays, tokens: JaxArray, targets: JaxArray) =>
    np.sum(nn.logSoftmax(decoder(weights, tokens), -1).mul(nn.oneHot(targets, ids))).mul(-1 / (batch * time));
  const differentiated = jax.valueAndGrad(lossOf);

  const { learningRate, beta1, beta2, eps } = adam;
  /** `correction1` is 1 / (1 - beta1^t). */
  const update = (
    weights: JaxArrays,
    m: JaxArrays,
    v: JaxArrays,
    tokens: JaxArray,
    targets: JaxArray,
    correction1: JaxArray,
    correction2: JaxArray,
  ): [JaxArray, JaxArrays, JaxArrays, JaxArrays] => {
    const [loss, gradients] = differentiated(tree.ref(weights), tokens, targets);
    const next: [JaxArrays, JaxArrays, JaxArrays] = [{}, {}, {}];
    for (const [name, gradient] of Object.entries(gradients)) {
      const mean = m[name]!.mul(beta1).add(gradient.ref.mul(1 - beta1));
      const square = v[name]!.mul(beta2).add(np.square(gradient).mul(1 - beta2));
      const root = np.sqrt(square.ref.mul(correction2.ref)).add(eps);
      next[0][name] = weights[name]!.sub(mean.ref.mul(correction1.ref).div(root).mul(learningRate));
      next[1][name] = mean;
      next[2][name] = square;
    }
    correction1.dispose();
    correction2.dispose();
    return [loss, ...next];
  };
  const step = jit(update);
  const infer = jit(decoder);

  const parameters = newParameters(size);
  const array = (make: (name: string) => Float32Array): JaxArrays =>
    Object.fromEntries(parameters.specs.map(({ name, shape }) => [name, np.array(make(name)).reshape([...shape])]));
  const zeros = () => array((name) => new Float32Array(parameters.view(name).length));
  let state: [JaxArrays, JaxArrays, JaxArrays] = [array((name) => parameters.view(name).slice()), zeros(), zeros()];
  const feeds = referenceBatch(batch);
  const [tokens, targets] = [np.array(feeds.tokens), np.array(feeds.targets)];
  const first = np.array(feeds.tokens.slice(0, time));
  let steps = 0;
  return {
    version: versionOf('@jax-js/jax'),
    async step() {
      steps += 1;
      const corrections = [beta1, beta2].map((beta) => np.array(1 / (1 - beta ** steps))) as [JaxArray, JaxArray];
      const [loss, ...next] = step(...state, tokens.ref, targets.ref, ...corrections);
      state = next;
      await jax.blockUntilReady(state);
      return ((await loss.data()) as ArrayLike<number>)[0]!;
    },
    infer: () => infer(tree.ref(state[0]), first.ref).data(),
  };
}
