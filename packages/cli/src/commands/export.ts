import { exportPolicy, loadPolicyCheckpoint } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { command } from '../command.js';
import { count, optionalSize, path } from '../flag.js';
import { halfFlag, halfType } from '../half.js';
import { quantiseFlag } from '../policies.js';
import { table } from '../table.js';

const defaultSize = { width: 320, height: 240 };

export const exportCommand = command({
  name: 'export',
  summary: 'a policy as ONNX files that run without gyre',
  description:
    'Writes encode.onnx, prefill.onnx, step.onnx and policy.json, which says how to use them, for screens of one size. packages/engine/examples/exported.js drives them with onnxruntime alone. All operators are of ONNX itself, but with --quantise w4a8 (MatMulNBits of com.microsoft).',
  examples: [
    'gyre export --checkpoint runs/trained.safetensors --output policy --size 320x240',
    'gyre export --checkpoint runs/trained.safetensors --output small --quantise w8a8 --half f16',
  ],
  flags: {
    checkpoint: path('weights of a native policy of any architecture, a .safetensors file', { default: undefined }),
    output: path('the directory to write', { default: 'exported' }),
    size: optionalSize('of the screen, in px (default: 320x240)'),
    screenshots: count('how many screenshots a decision is made from', { default: 1 }),
    quantise: quantiseFlag('products with large weights'),
    half: halfFlag,
  },
  async run({ checkpoint, output, size = defaultSize, screenshots, quantise, half }, { terminal }) {
    if (checkpoint === undefined) {
      throw new GyreError('bad_input', 'there are no weights to export', {
        field: '--checkpoint',
        fix: 'name a .safetensors file, for example of a run of gyre flywheel',
      });
    }
    const files = await exportPolicy(output, await loadPolicyCheckpoint(checkpoint), {
      screen: size,
      screenshots,
      precision: quantise === 'none' ? 'f32' : quantise,
      half: halfType(half),
    });
    const rows = Object.entries(files).map(([name, bytes]) => [name, `${(bytes / 2 ** 20).toFixed(2)} MiB`]);
    for (const line of table([output, 'size'], rows)) terminal.print(line);
    return { ok: true, result: { output, files } };
  },
});
