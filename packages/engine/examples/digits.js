import { AdamW, Graph, ParameterStore, Random, compile, gradients, ops } from '@gyre/engine';
import sharp from 'sharp';

const [side, batch, steps, fonts] = [24, 50, Number(process.argv[2] ?? 500), ['sans-serif', 'serif', 'monospace']];
/** Draws digits in random fonts, sizes and places. Returns their pixels, 0..1, and their labels. */
async function draw(random) {
  const ids = Int32Array.from({ length: batch }, () => random.int(10));
  const texts = [...ids].map((id, i) => {
    const size = 14 + random.int(9);
    const place = `x="${1 + 8 * random.next()}" y="${i * side + size - 3 + (26 - size) * random.next()}"`;
    const font = `font-family="${fonts[random.int(3)]}" font-weight="${400 + 300 * random.int(2)}" font-size="${size}"`;
    return `<text ${place} ${font}>${id}</text>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${batch * side}">${texts.join('')}</svg>`;
  const ink = await sharp(Buffer.from(svg)).extractChannel('alpha').raw().toBuffer();
  return { ids, x: Float32Array.from(ink, (value) => value / 255) };
}

const shapes = { near: [8, 1, 5, 5], far: [16, 8, 5, 5], out: [576, 10] };
const specs = Object.entries(shapes).map(([name, shape]) => ({ name, shape, init: { normal: 0.1 } }));
const parameters = new ParameterStore(specs, 1);
const graph = new Graph();
const [near, far, out] = specs.map(({ name, shape }) => graph.parameter(name, shape));
const layer = (x, w) => ops.maxPool2d(ops.relu(ops.conv2d(x, w, { padding: 2 })), { kernel: 2 });
const seen = layer(layer(graph.input('x', [batch, 1, side, side]), near), far);
const logits = ops.linear(ops.reshape(seen, [batch, -1]), out);
const loss = ops.neg(ops.mean(ops.pick(ops.logSoftmax(logits), graph.input('ids', [batch], 'int32'))));
const [gNear, gFar, gOut] = gradients(loss, [near, far, out]);
const step = await compile({ near: gNear, far: gFar, out: gOut, answers: ops.argMax(logits, 1) });
const optimiser = new AdamW(parameters);
const gradient = new Float32Array(parameters.size);
const into = Object.fromEntries(specs.map(({ name }) => [name, parameters.view(name, gradient)]));
let right = 0;
for (let i = 0; i < steps + 40; i++) {
  const digits = await draw(new Random(i));
  const { answers } = await step.run(digits, parameters, into);
  if (i < steps) optimiser.step(gradient, 3e-3 * (1 - i / steps));
  else right += digits.ids.filter((id, place) => id === answers[place]).length;
}
console.log(`${right} of ${40 * batch} new digits read`);
