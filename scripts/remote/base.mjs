import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonOf } from './install.mjs';
import { makeModel } from './models.mjs';

const script = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Makes a small Qwen3-VL that imitates oracle demonstrations of `families`, once: SFT of all weights by transformers. Returns its
 * folder, in `folder`.
 *
 * @param run starts a program with arguments, and throws if it fails
 */
export async function makeBase({ work, folder, families, system, steps, run }) {
  mkdirSync(folder, { recursive: true });
  const start = makeModel(work, 'qwen3', { layers: 4 });
  const demonstrations = join(folder, 'demonstrations');
  const lines = join(demonstrations, 'lines.jsonl');
  if (!existsSync(lines)) {
    const flags = ['--model', start, '--family', families.join(','), '--each', '1500', '--system', system];
    await run(process.execPath, [script('demonstrations.mjs'), ...flags, '--directory', demonstrations]);
  }
  const base = join(folder, 'base');
  // Written last.
  if (!existsSync(join(base, 'preprocessor_config.json')))
    await run(pythonOf(work), [script('train_base.py'), start, lines, base, '--steps', String(steps)]);
  return base;
}
