import { type Architecture, loadCheckpoint, EmbeddedEngine, saveCheckpoint } from '@gyre/engine';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

const architecture: Architecture = {
  screenshots: 1,
  width: 16,
  heads: 2,
  imageLayers: 0,
  decoderLayers: 1,
  stem: 8,
  role: 'policy',
};

let directory: string;
const filePath = (name: string) => join(directory, name);
async function save(name: string, seed: number, changed: Partial<Architecture> = {}): Promise<EmbeddedEngine> {
  const engine = new EmbeddedEngine({ architecture: { ...architecture, ...changed }, seed, threads: 1 });
  await engine.save(filePath(name));
  return engine;
}
let a: EmbeddedEngine;
let b: EmbeddedEngine;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-weights-'));
  [a, b] = [await save('a.safetensors', 1), await save('b.safetensors', 2)];
  await save('wide.safetensors', 1, { width: 32 });
  await save('critic.safetensors', 1, { role: 'critic' });
  const { tensors, metadata } = await loadCheckpoint(filePath('a.safetensors'));
  await saveCheckpoint(filePath('foreign.safetensors'), { tensors, metadata: { ...metadata, vocabulary: 'other' } });
});
afterAll(() => rm(directory, { recursive: true }));

async function errorOf(...args: string[]): Promise<{ code: string; field: string; fix: string }> {
  const { status, stdout } = await inProcess(...args, '--json');
  expect(status).toBe(1);
  return (lastJson(stdout) as { error: { code: string; field: string; fix: string } }).error;
}

describe('gyre merge', () => {
  test('writes the weighted mean, without moments, which an engine takes', async () => {
    const output = filePath('c.safetensors');
    const files = [filePath('a.safetensors'), filePath('b.safetensors')];
    const { status } = await inProcess('merge', ...files, '--weights', '1,3', '--output', output);
    expect(status).toBe(0);
    const c = new EmbeddedEngine({ architecture, seed: 3, threads: 1 });
    await c.load(output);
    for (const [i, value] of c.parameters.data.entries()) {
      expect(value).toBeCloseTo(0.25 * a.parameters.data[i]! + 0.75 * b.parameters.data[i]!, 6);
    }
    const { tensors } = await loadCheckpoint(output);
    expect(Object.keys(tensors).sort()).toEqual(a.parameters.specs.map(({ name }) => name).sort());
  });

  test('weighs checkpoints equally by default, and stores half precision on request', async () => {
    const output = filePath('half.safetensors');
    const files = [filePath('a.safetensors'), filePath('b.safetensors')];
    await inProcess('merge', ...files, '--half', 'bf16', '--output', output);
    const { tensors } = await loadCheckpoint(output);
    const name = 'image.stem.patch.w';
    expect(tensors[name]?.dtype).toBe('BF16');
    const mean = (a.parameters.view(name)[0]! + b.parameters.view(name)[0]!) / 2;
    expect(tensors[name]?.data[0]).toBeCloseTo(mean, 2);
    expect((await stat(output)).size).toBeLessThan(0.2 * (await stat(filePath('a.safetensors'))).size);
  });

  test('finds weights by playing, and shows them against each checkpoint', { timeout: 180_000 }, async () => {
    const output = filePath('swept.safetensors');
    const files = [filePath('a.safetensors'), filePath('b.safetensors')];
    const small = ['--parts', '1', '--dev-episodes', '1', '--episodes', '2', '--sessions', '2', '--browsers', '1'];
    const swept = await inProcess(
      'merge',
      ...files,
      '--sweep',
      '--family',
      'click',
      ...small,
      '--output',
      output,
      '--json',
    );
    expect(swept.status).toBe(0);
    const result = lastJson(swept.stdout) as {
      weights: number[];
      dev: { weights: number[]; mean: number; families: { click: number } }[];
      test: { policy: string; results: { family: string; split: string; n: number }[] }[];
    };
    expect(result.dev.map(({ weights }) => weights)).toEqual([
      [0, 1],
      [1, 0],
    ]);
    const best = result.dev.reduce((a, b) => (b.mean > a.mean ? b : a));
    expect(result.weights).toEqual(best.weights);
    expect(result.test.map(({ policy }) => policy)).toEqual([...files, 'merged']);
    for (const { results } of result.test) expect(results).toMatchObject([{ family: 'click', split: 'test', n: 2 }]);
    const chosen = best.weights[0] === 1 ? a : b;
    expect((await loadCheckpoint(output)).tensors['image.stem.patch.w']?.data).toEqual(
      chosen.parameters.view('image.stem.patch.w'),
    );
  });

  test('refuses incompatible checkpoints, naming the field and the fix', async () => {
    const merge = (...args: string[]) =>
      errorOf('merge', filePath('a.safetensors'), ...args, '--output', filePath('x.safetensors'));
    expect(await merge(filePath('b.safetensors'), '--weights', '1')).toMatchObject({ field: '--weights' });
    expect(await merge(filePath('b.safetensors'), '--weights', '1,-1')).toMatchObject({ field: 'weights' });
    expect(await merge(filePath('wide.safetensors'), '--sweep')).toMatchObject({
      code: 'bad_input',
      field: 'checkpoints',
    });
    expect(await merge(filePath('wide.safetensors'))).toMatchObject({ code: 'bad_input', field: 'checkpoints' });
    expect(await merge(filePath('foreign.safetensors'))).toMatchObject({ code: 'bad_input', field: 'checkpoint' });
    expect(await merge(filePath('none.safetensors'))).toMatchObject({ code: 'bad_input', field: 'checkpoints' });
    expect(await readdir(directory)).not.toContain('x.safetensors');
    const usage = async (...args: string[]) => {
      const { status, stderr } = await inProcess('merge', filePath('a.safetensors'), ...args);
      expect(status).toBe(2);
      return stderr;
    };
    expect(await usage('--sweep')).toContain('two checkpoints or more');
    expect(await usage(filePath('b.safetensors'), '--sweep', '--weights', '1,1')).toContain(
      '--weights and --sweep cannot be combined',
    );
    expect(await usage(filePath('b.safetensors'), '--sweep', '--family', 'golf')).toContain('--family');
    expect(await usage(filePath('b.safetensors'), '--sweep', '--parts', '0')).toContain('--parts must be');
  });
});

describe('gyre merge of LoRA adapters', () => {
  const name = 'base_model.model.q_proj';
  async function adapter(folder: string, value: number, config: object = {}): Promise<string> {
    const tensors = {
      [`${name}.lora_A.weight`]: { shape: [1, 2], data: Float32Array.of(value, 1) },
      [`${name}.lora_B.weight`]: { shape: [1, 1], data: Float32Array.of(2) },
    };
    await mkdir(filePath(folder), { recursive: true });
    await saveCheckpoint(filePath(join(folder, 'adapter_model.safetensors')), { tensors, metadata: {} });
    const plain = {
      peft_type: 'LORA',
      base_model_name_or_path: 'tiny',
      r: 1,
      lora_alpha: 3,
      target_modules: ['q_proj'],
    };
    await writeFile(filePath(join(folder, 'adapter_config.json')), JSON.stringify({ ...plain, ...config }));
    return filePath(folder);
  }

  test('takes folders, weights files and checkpoints of a served policy', async () => {
    const folder = await adapter('forms.adapter', 5);
    const second = await adapter('menus', -1);
    const served = filePath('forms.json');
    const checkpoint = { version: 1, model: 'tiny', path: 'tinker://m/weights/w', policyVersion: 3 };
    await writeFile(served, JSON.stringify({ ...checkpoint, adapter: 'forms.adapter' }));
    const output = filePath('both');
    for (const [first, last] of [
      [folder, second],
      [served, join(second, 'adapter_model.safetensors')],
    ] as const) {
      const { status, stdout } = await inProcess('merge', first, last, '--weights', '1,3', '--output', output);
      expect(status).toBe(0);
      expect(stdout).toContain('vllm serve tiny --enable-lora --max-lora-rank 8 --lora-modules merged=');
      const { tensors } = await loadCheckpoint(join(output, 'adapter_model.safetensors'));
      expect(tensors[`${name}.lora_A.weight`]).toMatchObject({ shape: [2, 2], data: Float32Array.of(5, 1, -1, 1) });
      expect(tensors[`${name}.lora_B.weight`]).toMatchObject({ shape: [1, 2], data: Float32Array.of(1.5, 4.5) });
      const config = JSON.parse(await readFile(join(output, 'adapter_config.json'), 'utf8')) as object;
      expect(config).toMatchObject({ r: 2, lora_alpha: 2, target_modules: ['q_proj'] });
    }
  });

  test('refuses mixtures, other base models, DoRA and checkpoints without an adapter', async () => {
    const folder = await adapter('plain', 1);
    const bare = filePath('bare.json');
    const checkpoint = { version: 1, model: 'tiny', path: 'tinker://m/weights/w', policyVersion: 3 };
    await writeFile(bare, JSON.stringify(checkpoint));
    const merge = (...args: string[]) => errorOf('merge', folder, ...args, '--output', filePath('refused'));
    expect(await merge(filePath('a.safetensors'))).toMatchObject({ code: 'bad_input', field: 'checkpoints' });
    expect(await merge(bare)).toMatchObject({ code: 'bad_input', field: 'checkpoints' });
    expect(await merge(await adapter('large', 1, { base_model_name_or_path: 'large' }))).toMatchObject({
      field: 'base_model_name_or_path',
    });
    expect(await merge(await adapter('dora', 1, { use_dora: true }))).toMatchObject({ field: 'use_dora' });
    expect(await merge(folder, '--weights', '1')).toMatchObject({ field: '--weights' });
    expect(await readdir(directory)).not.toContain('refused');
    const { status, stderr } = await inProcess('merge', folder, folder, '--sweep');
    expect(status).toBe(2);
    expect(stderr).toContain('--sweep plays native policies only');
  });
});

describe('gyre export', () => {
  test('writes files of a policy of any architecture', async () => {
    const args = [
      '--checkpoint',
      filePath('wide.safetensors'),
      '--output',
      filePath('exported'),
      '--size',
      '40x24',
      '--half',
      'f16',
    ];
    const { status, stdout } = await inProcess('export', ...args, '--json');
    expect(status).toBe(0);
    const { files } = lastJson(stdout) as { files: Record<string, number> };
    expect(Object.keys(files)).toEqual(['encode.onnx', 'prefill.onnx', 'step.onnx', 'policy.json']);
    const about = JSON.parse(await readFile(join(filePath('exported'), 'policy.json'), 'utf8')) as object;
    expect(about).toMatchObject({
      architecture: { width: 32 },
      screen: { width: 40, height: 24 },
      grid: { columns: 5 },
    });
  });

  test('refuses what it cannot write, or cannot write to', async () => {
    const exporting = (name: string, ...args: string[]) =>
      errorOf('export', '--checkpoint', filePath(name), '--output', filePath('refused'), '--size', '40x24', ...args);
    expect(await exporting('foreign.safetensors')).toMatchObject({ code: 'bad_input', field: 'checkpoint' });
    expect(await exporting('critic.safetensors')).toMatchObject({ code: 'bad_input', field: 'checkpoint' });
    expect(await exporting('a.safetensors', '--screenshots', '2')).toMatchObject({ field: 'screenshots' });
    await writeFile(filePath('file'), '');
    expect(await exporting('a.safetensors', '--output', filePath('file'))).toMatchObject({
      code: 'bad_input',
      field: '--output',
    });
  });
});
