// Owns a folder, runs twelve training stages, and prints acknowledgements.
import { readFile, writeFile } from 'node:fs/promises';
import { argv, stdout } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { FolderLock } from '@gyre/lake';
import { Journal } from './journal.js';

const [dir = '', pause = '0'] = argv.slice(2);
const weights = {
  value: 0,
  save: (path: string) => writeFile(path, `${weights.value} `.repeat(2000)),
  load: async (path: string) => void (weights.value = Number((await readFile(path, 'utf8')).split(' ')[0])),
};

try {
  stdout.write('begun\n');
  const lock = await FolderLock.take(dir);
  const journal = await Journal.open(dir, { run: { seed: 1 }, resume: true, weights, lock });
  for (let number = 1; number <= 12; number++) {
    const carryOut = async () => {
      await sleep(Number(pause));
      weights.value = 2 * weights.value + number;
      return { turns: 1, value: weights.value };
    };
    const { outcome } = await journal.stage(`iteration ${number}`, carryOut, { learns: true, keeps: number % 4 === 0 });
    stdout.write(`acknowledged ${number} ${outcome.value} ${journal.weightsOf(`iteration ${number}`)}\n`);
  }
  await journal.load();
  stdout.write(`end ${weights.value}\n`);
  await lock.release();
} catch (error) {
  stdout.write(`error ${String((error as { code?: string }).code)} ${(error as Error).message}\n`);
}
