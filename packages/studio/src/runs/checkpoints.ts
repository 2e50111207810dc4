import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isPassing } from '@gyre/training';
import type { CheckpointEntry } from '../server/trainingWire.js';
import { shownPath } from './runProgress.js';
import { shellWord } from './shellWord.js';

const folders = ['', 'weights', 'practice/weights', 'rft/weights'];
/** Weights in the same folders that are no policy. */
const others = /^(?:critic|reference|optimiser|orm|before-value)\b/;

/** Lists the weights of a policy in a run, the newest first, with what can be done with each. */
export async function checkpointsOf(directory: string, families: readonly string[]): Promise<CheckpointEntry[]> {
  const entries: CheckpointEntry[] = [];
  for (const folder of folders) {
    const names = await readdir(join(directory, folder)).catch(() => []);
    for (const name of names) {
      if (!name.endsWith('.safetensors') || others.test(name)) continue;
      const path = join(directory, folder, name);
      const seen = await stat(path).catch(() => undefined);
      if (!seen) continue;
      entries.push({
        ...{ file: join(folder, name), bytes: seen.size, modified: seen.mtimeMs, passing: isPassing(name) },
        commands: commandsOf(shownPath(path), families),
      });
    }
  }
  return entries.sort((a, b) => b.modified - a.modified);
}

function commandsOf(path: string, families: readonly string[]): CheckpointEntry['commands'] {
  const file = shellWord(path);
  const [family = 'click'] = families;
  const chosen = families.length > 0 ? ` --family ${shellWord(families.join(','))}` : '';
  const beside = (suffix: string) => shellWord(path.replace(/\.safetensors$/, suffix));
  return [
    { verb: 'play', command: `npx gyre run ${shellWord(`${family}/test/7`)} --checkpoint ${file}` },
    { verb: 'eval', command: `npx gyre eval --checkpoint ${file}${chosen} --episodes 100` },
    { verb: 'export', command: `npx gyre export --checkpoint ${file} --output ${beside('-onnx')}` },
    {
      verb: 'merge',
      command: `npx gyre merge ${file} OTHER.safetensors --weights 0.5,0.5 --output ${beside('-merged.safetensors')}`,
    },
  ];
}
