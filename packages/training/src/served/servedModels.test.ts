import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ServedModels } from './servedModels.js';

async function fileOf(text?: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-models-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'policy.models.json');
  if (text !== undefined) await writeFile(path, text);
  return path;
}

test('models are kept until they are unloaded', async () => {
  const path = await fileOf();
  const models = new ServedModels(path);
  expect(await models.ids()).toEqual([]);
  await Promise.all(['a', 'b', 'c'].map((id) => models.add(id)));
  await models.remove('b');
  expect(await new ServedModels(path).ids()).toEqual(['a', 'c']);
});

test.each(['', '{', '{"a":1}', '["../x y"]', '[1]', 'null'])('the damaged file %j names no models', async (text) => {
  const path = await fileOf(text);
  const models = new ServedModels(path);
  expect(await models.ids()).toEqual([]);
  await models.add('model_1');
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(['model_1']);
});
