import { exportPolicy, loadPolicyCheckpoint, weightsFile } from '@gyre/engine';
import { command } from '../command.js';
import { count, outputFolder } from '../flags/flag.js';
import { optionalSize } from '../flags/sizeFlag.js';
import { halfFlag, halfType } from '../flags/half.js';
import { pixelCheckpointFlag, quantiseFlag } from '../policies/policies.js';
import { table } from '../terminal/table.js';

const defaultSize = { width: 320, height: 240 };

export const exportCommand = command({
  description:
    'Writes encode.onnx, prefill.onnx, step.onnx and policy.json, which describes their use, for screens of one size. packages/engine/examples/exported.js runs them with onnxruntime alone. All operators are standard ONNX, except with --quantise w4a8 (MatMulNBits of com.microsoft).',
  examples: [
    'gyre export --output policy --size 320x240',
    'gyre export --checkpoint runs/trained.safetensors --output small --quantise w8a8 --half f16',
  ],
  flags: {
    checkpoint: pixelCheckpointFlag,
    output: outputFolder('output directory', { default: 'exported' }),
    size: optionalSize('screen in px (default: 320x240)'),
    screenshots: count('screenshots per decision', { default: 1 }),
    quantise: quantiseFlag('products with large weights'),
    half: halfFlag,
  },
  async run({ checkpoint, output, size = defaultSize, screenshots, quantise, half }, { terminal }) {
    const files = await exportPolicy(output, await loadPolicyCheckpoint(weightsFile(checkpoint)), {
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
