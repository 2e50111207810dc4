import { Graph, type Tensor, compile, ops } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';

/** Printed by a process of its own: drivers write to its output, or crash it. */
export type ProbeReply = { difference: number } | { problem: string; fix: string };

/** Compares a small graph's results on WebGPU and on the CPU. */
async function probe(): Promise<ProbeReply> {
  const graph = new Graph({ backend: 'webgpu' });
  const x = graph.input('x', [64, 64]);
  const y: Tensor = ops.softmax(ops.matmul(x, x));
  const feeds = { x: Float32Array.from({ length: 64 * 64 }, (_, i) => Math.sin(i)) };
  const results: Float32Array[] = [];
  try {
    for (const backend of ['cpu', 'webgpu'] as const) {
      const executable = await compile({ y }, { backend, threads: 1 });
      results.push((await executable.run(feeds)).y as Float32Array);
      await executable.release();
    }
  } catch (error) {
    if (!(error instanceof GyreError)) throw error;
    return { problem: error.message, fix: error.detail.fix ?? '' };
  }
  const [cpu, webgpu] = results as [Float32Array, Float32Array];
  return { difference: cpu.reduce((most, value, i) => Math.max(most, Math.abs(value - (webgpu[i] ?? NaN))), 0) };
}

process.stdout.write(JSON.stringify(await probe()));
