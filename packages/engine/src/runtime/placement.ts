import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile, type CompileOptions, type Feed } from './executable.js';
import type { DType, Tensor } from '../tensor/graph.js';
import { ParameterStore } from './parameters.js';
import { sizeOf } from '../tensor/shape.js';

/** Nodes after the runtime's fusions. */
export interface Placement {
  nodes: number;
  onCpu: string[];
}

const zerosOf: Readonly<Record<DType, (size: number) => Feed>> = {
  float32: (size) => new Float32Array(size),
  int32: (size) => new Int32Array(size),
  int64: (size) => new BigInt64Array(size),
  bool: (size) => new Uint8Array(size),
  uint8: (size) => new Uint8Array(size),
  int8: (size) => new Int8Array(size),
};

/** Profiles a run on zeros to list CPU fallbacks, each of which copies values between devices. */
export async function placementOf(outputs: Record<string, Tensor>, options: CompileOptions = {}): Promise<Placement> {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-placement-'));
  try {
    const executable = await compile(outputs, { ...options, profile: join(folder, 'run') });
    try {
      const zeros = executable.inputs.map(({ name, shape, dtype }) => [name, zerosOf[dtype](sizeOf(shape))] as const);
      const specs = executable.parameters.map((parameter) => ({ ...parameter, init: 'zeros' as const }));
      await executable.run(Object.fromEntries(zeros), new ParameterStore(specs, 1));
    } finally {
      await executable.release();
    }
    const [file] = await readdir(folder);
    const events = JSON.parse(await readFile(join(folder, file ?? ''), 'utf8')) as TraceEvent[];
    const kernels = events.filter(({ cat, name }) => cat === 'Node' && name.endsWith('_kernel_time'));
    const onCpu = kernels.filter(({ args }) => args.provider === 'CPUExecutionProvider');
    return { nodes: kernels.length, onCpu: onCpu.map(({ args }) => args.op_name ?? '') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface TraceEvent {
  readonly cat: string;
  readonly name: string;
  readonly args: { readonly provider?: string; readonly op_name?: string };
}
