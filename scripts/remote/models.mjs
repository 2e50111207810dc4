import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemPrompt } from '../../packages/agent/dist/language/prompt.js';
import { pythonOf } from './install.mjs';

const program = fileURLToPath(new URL('make_model.py', import.meta.url));

/** Makes `WORK/models/KIND` once: a small vision-language model with random weights. `kind` is qwen2.5 or qwen3. */
export function makeModel(work, kind) {
  const folder = join(work, 'models', kind);
  if (existsSync(join(folder, 'preprocessor_config.json'))) return folder;
  mkdirSync(folder, { recursive: true });
  const patch = kind === 'qwen3' ? '16' : '14';
  const args = [program, folder, '--kind', kind, '--corpus', makeCorpus(work), '--patch', patch];
  const { status, stderr } = spawnSync(pythonOf(work), args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`make_model.py failed: ${stderr}`);
  return folder;
}

/** Writes the text that tokenizers are trained on: gyre's prompts, instructions and answers. */
export function makeCorpus(work) {
  const file = join(work, 'corpus.txt');
  const prompts = ['efficient', 'none'].map((thinking) => systemPrompt({ format: 't5', mode: 'gui', thinking }));
  const names = [
    'Save',
    'Cancel',
    'Open',
    'Close',
    'Send',
    'Delete',
    'Next',
    'Back',
    'Search',
    'Print',
    'Edit',
    'Help',
  ];
  const lines = names.flatMap((name) => [
    `Click the button "${name}".`,
    `Click "${name}" in the menu, then choose "${name}".`,
    `Switch to the tab "${name}" and click the button on it.`,
    `<thinkt>I click the ${name} button.</thinkt><seed:tool_call><function=click><parameter=point><point>512 37</point></parameter></function></seed:tool_call>`,
    `click(point='<point>512 37</point>') click the red, blue, green, yellow square`,
    '<seed:tool_call><function=finished><parameter=content>done</parameter></function></seed:tool_call>',
    '[screenshot left out] [no text] user assistant system',
  ]);
  mkdirSync(work, { recursive: true });
  writeFileSync(file, [...prompts, ...lines, ...prompts].join('\n'));
  return file;
}
