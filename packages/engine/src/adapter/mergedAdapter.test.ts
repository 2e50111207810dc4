import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCheckpoint, saveCheckpoint, type TensorMap } from '../checkpoint/checkpoint.js';
import { Random } from '../random.js';
import { inspectAdapter } from './adapter.js';
import { type ModuleSpec, writeAdapter } from './adapter.test.fixture.js';
import { mergeAdapters, saveAdapter } from './mergedAdapter.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gyre-merge-'));
});
afterAll(() => rm(root, { recursive: true }));

const sizes = { q_proj: [5, 7], v_proj: [5, 3], down_proj: [7, 5] } as const;
const names = Object.keys(sizes) as (keyof typeof sizes)[];

const Spec = fc.record({
  rank: fc.integer({ min: 1, max: 6 }),
  alpha: fc.integer({ min: 1, max: 64 }),
  isStabilised: fc.boolean(),
  modules: fc.subarray(names, { minLength: 1 }),
  weight: fc.double({ min: -1, max: 3, noNaN: true }),
});

/** Returns `scale B A` as [outputs, inputs], in float64. */
function update(tensors: TensorMap, name: string, scale: number): number[] | undefined {
  const [a, b] = ['A', 'B'].map((side) => tensors[`base_model.model.${name}.lora_${side}.weight`]);
  if (!a || !b) return undefined;
  const [rank, inputs] = a.shape as [number, number];
  return Array.from({ length: b.shape[0]! * inputs }, (_, place) => {
    const [o, i] = [Math.floor(place / inputs), place % inputs];
    let sum = 0;
    for (let k = 0; k < rank; k++) sum += b.data[o * rank + k]! * a.data[k * inputs + i]!;
    return scale * sum;
  });
}

const modulesOf = (random: Random, rank: number, chosen: readonly (keyof typeof sizes)[]): ModuleSpec[] =>
  chosen.map((name) => {
    const [inputs, outputs] = sizes[name];
    return { name, rank, inputs, outputs, draw: () => 2 * random.next() - 1 };
  });

describe('mergeAdapters', () => {
  it('has the weighted mean of the dense updates, for any ranks, alphas and modules', async () => {
    let run = 0;
    const cases = fc.array(Spec, { minLength: 1, maxLength: 4 }).filter((specs) => {
      const total = specs.reduce((sum, { weight }) => sum + weight, 0);
      return Math.abs(total) > 0.2;
    });
    await fc.assert(
      fc.asyncProperty(cases, fc.integer(), async (specs, seed) => {
        const random = new Random(seed);
        const folder = (i: number | string) => join(root, `${run}-${i}`);
        run++;
        const stored: TensorMap[] = [];
        for (const [i, { rank, alpha, isStabilised, modules }] of specs.entries()) {
          const config = { lora_alpha: alpha, use_rslora: isStabilised, target_modules: modules };
          stored.push(await writeAdapter(folder(i), modulesOf(random, rank, modules), config));
        }
        const total = specs.reduce((sum, { weight }) => sum + weight, 0);
        const weights = specs.map(({ weight }) => weight);
        const merged = await mergeAdapters(
          specs.map((_, i) => folder(i)),
          weights,
        );
        await saveAdapter(folder('merged'), merged);
        const { config, modules } = await inspectAdapter(folder('merged'));
        expect(config).toMatchObject({ r: merged.rank, lora_alpha: merged.rank, use_rslora: false });
        const union = names.filter((name) => specs.some((spec) => spec.modules.includes(name)));
        expect([...modules.keys()].sort()).toEqual([...union].sort());
        const { tensors } = await loadCheckpoint(join(folder('merged'), 'adapter_model.safetensors'));
        for (const name of union) {
          const [inputs, outputs] = sizes[name];
          const mean = new Float64Array(inputs * outputs);
          for (const [i, { rank, alpha, isStabilised, weight }] of specs.entries()) {
            const scale = alpha / (isStabilised ? Math.sqrt(rank) : rank);
            for (const [place, value] of (update(stored[i]!, name, scale) ?? []).entries())
              mean[place]! += (weight / total) * value;
          }
          const largest = Math.max(1, ...mean.map(Math.abs));
          for (const [place, value] of update(tensors, name, 1)!.entries())
            expect(Math.abs(value - mean[place]!) / largest).toBeLessThan(1e-5);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('has update 0 for a module that an adapter lacks, and names the union of modules', async () => {
    const random = new Random(1);
    const [a, b] = [join(root, 'part-a'), join(root, 'part-b')];
    const stored = await writeAdapter(a, modulesOf(random, 2, ['q_proj']), { exclude_modules: '.*visual.*' });
    await writeAdapter(b, modulesOf(random, 3, ['v_proj']), { target_modules: '.*v_proj' });
    const { rank, config, checkpoint } = await mergeAdapters([a, b], [1, 1]);
    expect(rank).toBe(3);
    expect(config).toMatchObject({ target_modules: ['q_proj', 'v_proj'], exclude_modules: null });
    expect(checkpoint.tensors['base_model.model.q_proj.lora_A.weight']!.shape).toEqual([3, 5]);
    const half = update(stored, 'q_proj', (0.5 * 8) / 2)!;
    for (const [i, value] of update(checkpoint.tensors, 'q_proj', 1)!.entries()) expect(value).toBeCloseTo(half[i]!, 5);
  });

  it('keeps the choice of modules that all adapters share', async () => {
    const random = new Random(2);
    const [a, b] = [join(root, 'same-a'), join(root, 'same-b')];
    const choice = { exclude_modules: '.*visual.*' };
    await writeAdapter(a, modulesOf(random, 2, names), { ...choice, target_modules: ['q_proj', 'v_proj'] });
    await writeAdapter(b, modulesOf(random, 2, names), { ...choice, target_modules: ['v_proj', 'q_proj'] });
    const { config } = await mergeAdapters([a, b]);
    expect(config).toMatchObject({ ...choice, target_modules: ['q_proj', 'v_proj'] });
  });

  it.each(['F16', 'BF16'] as const)('reads and writes %s', async (dtype) => {
    const random = new Random(3);
    const folder = join(root, dtype);
    const tensors = await writeAdapter(folder, modulesOf(random, 2, ['q_proj']));
    for (const tensor of Object.values(tensors)) tensor.dtype = dtype;
    await saveCheckpoint(join(folder, 'adapter_model.safetensors'), { tensors, metadata: {} });
    const output = join(root, `${dtype}-merged`);
    await saveAdapter(output, await mergeAdapters([folder, folder], [1, 3], dtype));
    const merged = await loadCheckpoint(join(output, 'adapter_model.safetensors'));
    expect(Object.values(merged.tensors).map((tensor) => tensor.dtype)).toEqual([dtype, dtype]);
    const expected = update(tensors, 'q_proj', 4)!;
    for (const [i, value] of update(merged.tensors, 'q_proj', 1)!.entries()) expect(value).toBeCloseTo(expected[i]!, 1);
  });

  it.each([
    [{ use_dora: true }, 'use_dora'],
    [{ bias: 'lora_only' }, 'bias'],
    [{ modules_to_save: ['lm_head'] }, 'modules_to_save'],
    [{ alpha_pattern: { q_proj: 4 } }, 'alpha_pattern'],
    [{ init_lora_weights: 'pissa_niter_4', bias: 'all' }, 'bias, init_lora_weights'],
    [{ fan_in_fan_out: true }, 'fan_in_fan_out'],
    [{ base_model_name_or_path: 'large' }, 'base_model_name_or_path'],
    [{ base_model_name_or_path: null }, 'base_model_name_or_path'],
    [{ revision: 'v2' }, 'revision'],
  ])('refuses %j by name', async (changed, field) => {
    const random = new Random(4);
    const [a, b] = [join(root, 'plain'), join(root, 'changed')];
    await writeAdapter(a, modulesOf(random, 2, ['q_proj']));
    await writeAdapter(b, modulesOf(random, 2, ['q_proj']), changed);
    await expect(mergeAdapters([a, b])).rejects.toMatchObject({ code: 'bad_input', detail: { field } });
  });

  it('refuses modules of other sizes, ranks that differ from the configuration, and weights that cancel', async () => {
    const random = new Random(5);
    const [a, b, c] = ['sizes-a', 'sizes-b', 'sizes-c'].map((name) => join(root, name)) as [string, string, string];
    await writeAdapter(a, modulesOf(random, 2, ['q_proj']));
    await writeAdapter(b, [{ ...modulesOf(random, 2, ['v_proj'])[0]!, name: 'q_proj' }]);
    await writeAdapter(c, modulesOf(random, 2, ['q_proj']), { r: 4 });
    await expect(mergeAdapters([a, b])).rejects.toMatchObject({ code: 'shape', detail: { field: 'q_proj' } });
    await expect(mergeAdapters([a, c])).rejects.toMatchObject({ code: 'corrupt' });
    await expect(mergeAdapters([a, a], [1, -1])).rejects.toMatchObject({ code: 'bad_input' });
    await expect(mergeAdapters([join(root, 'none')])).rejects.toMatchObject({ code: 'missing' });
  });

  it('throws only GyreErrors for any configuration', async () => {
    const folder = join(root, 'any');
    await writeAdapter(folder, modulesOf(new Random(6), 2, ['q_proj']));
    const plain = JSON.parse(await readFile(join(folder, 'adapter_config.json'), 'utf8')) as Record<string, unknown>;
    const changes = fc.dictionary(fc.constantFrom(...Object.keys(plain), 'revision', 'layers_pattern'), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(changes, async (changed) => {
        await writeFile(join(folder, 'adapter_config.json'), JSON.stringify({ ...plain, ...changed }));
        await mergeAdapters([folder]).catch((error: unknown) => expect(error).toMatchObject({ name: 'GyreError' }));
      }),
      { numRuns: 100 },
    );
  });
});
