import { describe, expect, it } from 'vitest';
import { placementOf } from '../runtime/placement.js';
import { Random } from '../random.js';
import { useSoftwareVulkan } from '../runtime/vulkan.test.fixture.js';
import type { Architecture } from './architecture.js';
import { Computation } from './computation.js';
import { contextTokens } from './context.js';
import type { NativeDatum } from './nativeEngine.js';
import { encodeGraph, learningGraph, prefillGraph, stepGraph } from './graphs.js';
import { Model } from './model.js';
import { compareComputations, largestDeviation, requireWithinTolerance } from './parity.js';
import { EngineThread } from './engineThread.js';
import { vocabularyOf } from './vocabulary.js';

const missing = useSoftwareVulkan();

const tiny: Architecture = {
  screenshots: 1,
  width: 16,
  heads: 2,
  imageLayers: 0,
  decoderLayers: 1,
  stem: 4,
  role: 'policy',
};
const screen = { width: 64, height: 48 };

function clicks(): NativeDatum[] {
  const vocabulary = vocabularyOf(screen);
  const random = new Random(3);
  return [0, 1].map((i) => {
    const pixels = Uint8Array.from({ length: screen.width * screen.height * 3 }, () => random.int(256));
    const action = vocabulary.encode({ type: 'click', point: { x: 0.2 + 0.5 * i, y: 0.8 } });
    const tokens = contextTokens(vocabulary, 'click "ab"', []);
    return { screenshots: [{ hash: `noise ${i}`, pixels, size: screen }], sequences: [{ tokens, action }] };
  });
}

describe.skipIf(missing)(`the native policy on WebGPU${missing ? `: ${missing}` : ''}`, { timeout: 180_000 }, () => {
  it('is refused when it computes something else, with the tensor that is most wrong', async () => {
    const [cpu, webgpu] = (['cpu', 'webgpu'] as const).map(
      (backend) => new Computation(tiny, { seed: 1, backend }),
    ) as [Computation, Computation];
    // Simulates a kernel that ignores the last rows.
    webgpu.parameters.view('decoder.1.q.w').fill(0, 200);
    const worst = await compareComputations(cpu, webgpu);
    await Promise.all([cpu.close(), webgpu.close()]);
    expect(worst.share).toBeGreaterThan(0.05);
    expect(() => {
      requireWithinTolerance(worst);
    }).toThrow(
      expect.objectContaining({
        code: 'numeric',
        message: expect.stringContaining(`${worst.tensor} deviates by`) as string,
        detail: expect.objectContaining({ field: 'backend', fix: expect.stringContaining('cpu') as string }) as object,
      }),
    );
  });

  it('learns as on the CPU, from weights that it keeps on the device', async () => {
    const losses = await Promise.all(
      (['cpu', 'webgpu'] as const).map(async (backend) => {
        const engine = await EngineThread.start({ architecture: tiny, seed: 5, threads: 1, backend });
        const history: number[] = [];
        for (let step = 0; step < 3; step++) {
          const { loss } = await engine.forwardBackward({ data: clicks(), loss: { name: 'cross_entropy' } });
          await engine.optimStep({ learningRate: 1e-2 });
          history.push(loss);
        }
        await engine.close();
        return history;
      }),
    );
    const [cpu, webgpu] = losses as [number[], number[]];
    expect(cpu[2]).toBeLessThan(0.9 * cpu[0]!);
    for (const [step, loss] of cpu.entries()) expect(webgpu[step]).toBeCloseTo(loss, 3);
  });

  it('leaves no operator of its graphs to the CPU', async () => {
    const model = new Model({ ...tiny, imageLayers: 1 }, 'webgpu');
    const shape = { screen, screenshots: 1, n: 1, sequences: 1, context: 24, action: 3, places: 64 };
    const graphs = {
      learning: learningGraph(model, shape, 'pixels', { name: 'cross_entropy', glyphWeight: 1 }),
      ppo: learningGraph(model, shape, 'features', { name: 'ppo', clipLow: 0.2, clipHigh: 0.3 }),
      encode: encodeGraph(model, 1, screen),
      prefill: prefillGraph(model, shape),
      step: stepGraph(model, { ...shape, length: 32 }),
    };
    for (const [name, outputs] of Object.entries(graphs)) {
      const { nodes, onCpu } = await placementOf(outputs, { threads: 1 });
      expect(onCpu, name).toEqual([]);
      expect(nodes, name).toBeGreaterThan(50);
    }
  });
});

describe('the largest deviation', () => {
  const values = (...numbers: number[]) => Float32Array.from(numbers);
  const expected = new Map([
    ['loss', values(2)],
    ['grad.a', values(1, -4)],
    ['grad.b', values(0, 1e-7)],
  ]);
  it.each([
    ['nothing but rounding of a gradient that should be 0', { 'grad.b': values(2e-7, 0) }, 'grad.b', 0.5e-5],
    ['one value of one gradient', { 'grad.a': values(1, -3) }, 'grad.a', 0.25],
    ['the loss', { loss: values(3) }, 'loss', 0.5],
    ['no number', { 'grad.a': values(1, NaN) }, 'grad.a', Infinity],
    ['a tensor that is missing', { 'grad.a': values() }, 'grad.a', Infinity],
  ])('is %s', (_, wrong, tensor, share) => {
    const worst = largestDeviation(expected, new Map([...expected, ...Object.entries(wrong)]));
    expect(worst.tensor).toBe(tensor);
    if (share === Infinity) expect(worst.share).toBe(Infinity);
    else expect(worst.share).toBeCloseTo(share, 7);
  });
});
