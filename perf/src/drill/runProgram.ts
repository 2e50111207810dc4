// Acknowledges each stage on stdout, and waits to be killed.
import { readFile, writeFile } from 'node:fs/promises';
import { argv, stdout } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { FolderLock } from '@gyre/lake';
import { Journal } from '@gyre/training';
import { drillStages, valueAfter } from './drillRun.js';

const [folder = ''] = argv.slice(2);
const weights = {
  value: 0,
  save: (path: string) => writeFile(path, `${weights.value} `.repeat(2_000)),
  load: async (path: string) => void (weights.value = Number((await readFile(path, 'utf8')).split(' ')[0])),
};

stdout.write('begun\n');
const lock = await FolderLock.take(folder);
const journal = await Journal.open(folder, { run: { seed: 1 }, resume: true, weights, lock });
for (let number = 1; number <= drillStages; number++) {
  const train = async () => {
    await pause(2);
    weights.value = 2 * weights.value + number;
    return { turns: 1, value: weights.value };
  };
  const { outcome } = await journal.stage(`iteration ${number}`, train, { learns: true, keeps: number % 4 === 0 });
  if (outcome.value !== valueAfter(number)) throw new Error(`stage ${number} returned ${outcome.value}`);
  stdout.write(`stage ${number}\n`);
}
await journal.load();
stdout.write(`end ${weights.value}\n`);
await lock.release();
