import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemPrompt } from '../../packages/agent/dist/language/prompt.js';
import { turnFormat } from '../../packages/protocol/dist/index.js';
import { families, widgetFamilies } from '../../packages/tasks/dist/index.js';
import { pythonOf } from './install.mjs';

const program = fileURLToPath(new URL('make_model.py', import.meta.url));

/** Makes `WORK/models/KIND` once: a small vision-language model with random weights. `kind` is qwen2.5 or qwen3. */
export function makeModel(work, kind, { seed = 0, layers = 2 } = {}) {
  const folder = join(work, 'models', seed === 0 && layers === 2 ? kind : `${kind}-${seed}-${layers}`);
  if (existsSync(join(folder, 'preprocessor_config.json'))) return folder;
  mkdirSync(folder, { recursive: true });
  const patch = kind === 'qwen3' ? '16' : '14';
  const args = [
    program,
    folder,
    '--kind',
    kind,
    '--corpus',
    makeCorpus(work),
    '--patch',
    patch,
    '--seed',
    String(seed),
  ];
  const { status, stderr } = spawnSync(pythonOf(work), args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`make_model.py failed: ${stderr}`);
  return folder;
}

const arrows = ['arrowup', 'arrowright', 'arrowdown', 'arrowleft'];

/** Writes the text that tokenizers are trained on: gyre's prompts, instructions of training tasks, and answers. */
export function makeCorpus(work) {
  const file = join(work, 'corpus.txt');
  const prompts = ['efficient', 'none'].map((thinking) => systemPrompt({ format: 't5', mode: 'gui', thinking }));
  const draws = Array.from({ length: 200 }, (_, seed) => seed);
  const instructions = Object.values({ ...families, ...widgetFamilies }).flatMap((family) =>
    draws.map((seed) => family.create('train', seed).task.instruction),
  );
  const { print } = turnFormat('t5', { width: 160, height: 160 });
  const point = (seed) => ({ x: ((seed * 37) % 100) / 100, y: ((seed * 91) % 100) / 100 });
  const answers = draws.flatMap((seed) => [
    print({ thought: 'I click it.', actions: [{ type: 'click', point: point(seed) }] }),
    print({ actions: [{ type: 'drag', start: point(seed), end: point(seed + 1) }] }),
    print({ actions: [{ type: 'finished' }] }),
    ...arrows.map((keys) => print({ actions: [{ type: 'hotkey', keys }] })),
    '[screenshot left out] [no text] user assistant system',
  ]);
  mkdirSync(work, { recursive: true });
  writeFileSync(file, [...prompts, ...instructions, ...answers].join('\n'));
  return file;
}
