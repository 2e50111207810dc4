import { BrowserPool } from '@gyre/sandbox';
import { ReaderRecipe, trainDetector, trainRecogniser } from '@gyre/training';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { command } from '../command.js';
import { count, inputFile, inputFolder, oneOf, optionalCount, outputFolder } from '../flags/flag.js';
import { mergeSettings, readSettingsFile } from '../flags/mergeSettings.js';
import { withoutUndefined } from '../flags/settings.js';

export const reader = command({
  description:
    "Trains one part of gyre's own reader of English and Chinese screens on rendered pages. Resumes from the part's checkpoint in the directory. Writes recogniser.safetensors or detector.safetensors, and log.jsonl with losses and held-out scores.",
  examples: [
    'gyre train reader --part detector --directory runs/reader',
    'gyre train reader --part recogniser --directory runs/reader --steps 20000 --decay 5000',
  ],
  flags: {
    part: oneOf(['recogniser', 'detector'], 'the part to train', { default: 'recogniser' }),
    directory: outputFolder('directory of the checkpoints, the weights, the log and the pages', {
      default: 'runs/reader',
    }),
    recipe: inputFile('JSON file of a recipe, such as recipe.json of an earlier run', { default: undefined }),
    from: inputFolder(
      'directory of weights to start from: those of an earlier run, or packages/reader/own (default: random weights)',
      {
        default: undefined,
      },
    ),
    steps: optionalCount('total steps of the part, earlier runs included', { example: '20000' }),
    decay: optionalCount('decay the learning rate over the last N steps', { example: '5000' }),
    threads: count('threads of the network', { default: 1 }),
    saveEvery: count('steps between checkpoints', { default: 500 }),
  },
  async run(
    { part, directory: folder, recipe: file, from, steps, decay, threads, saveEvery },
    { terminal, signal, typedSeed },
  ) {
    const settingsFile = { path: file, flag: '--recipe', example: 'the recipe.json of an earlier run' };
    const written = file === undefined ? {} : await readSettingsFile(file, settingsFile);
    const schedule = withoutUndefined({ steps, decay });
    const recipe = await mergeSettings(ReaderRecipe, settingsFile, {
      seed: typedSeed,
      // A schedule from flags leaves the rest of the part's recipe as it is.
      ...(Object.keys(schedule).length > 0 && { [part]: { ...partOf(written, part), ...schedule } }),
    });
    const total = recipe[part].steps;
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'recipe.json'), JSON.stringify(recipe, null, 2));
    const pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 4, timeoutMs: 120_000 });
    try {
      const progress = terminal.progress(part);
      const train = part === 'detector' ? trainDetector : trainRecogniser;
      const done = await train({
        ...{ folder, recipe, pool, threads, saveEvery, signal },
        from: from === undefined ? undefined : join(from, `${part}.safetensors`),
        onStep: ({ step, losses }) =>
          progress.update(step / total, `step ${step} of ${total}, loss ${losses.loss?.toFixed(3) ?? ''}`),
      });
      terminal.end();
      const weights = join(folder, `${part}.safetensors`);
      terminal.print(`${done} of ${total} steps: ${weights}`);
      return { ok: done >= total, result: { steps: done, weights } };
    } finally {
      await pool.close();
    }
  },
});

function partOf(written: object, part: string): object {
  const value: unknown = Object.entries(written).find(([name]) => name === part)?.[1];
  return typeof value === 'object' && value !== null ? value : {};
}
