import { compile } from '../runtime/executable.js';
import { gradients } from './gradients.js';
import { Graph, type Tensor } from './graph.js';
import * as ops from './ops.js';

const [rows, width, layers] = [4096, 128, 24];
const graph = new Graph();
const weights = Array.from({ length: layers }, (_, i) => graph.input(`w${i}`, [width, width]));
const layer = (x: Tensor, w: Tensor) => ops.add(x, ops.tanh(ops.matmul(ops.tanh(ops.matmul(ops.tanh(x), w)), w)));
const run =
  process.argv[2] === 'recompute' ? ops.recompute : (block: (x: Tensor) => Tensor, [x]: Tensor[]) => block(x!);
const y = weights.reduce((x, w) => run((x) => layer(x, w), [x]), graph.input('x', [rows, width]));
const gs = gradients(ops.mean(ops.square(y)), weights);
const executable = await compile(Object.fromEntries(gs.map((g, i) => [`g${i}`, g])), { threads: 1 });
const feeds = Object.fromEntries(
  executable.inputs.map(({ name }) => [name, new Float32Array(name === 'x' ? rows * width : width * width).fill(0.01)]),
);
for (let step = 0; step < 2; step++) await executable.run(feeds);
await executable.release();
process.stdout.write(String(process.resourceUsage().maxRSS * 1024));
