import { BrowserPool } from '@gyre/sandbox';
import { CtRecipe, PerceptionCache, RenderedSheets, Workspace, ct as runCt } from '@gyre/training';
import { join } from 'node:path';
import { command } from '../command.js';
import { resumedSteps } from './trainFolder.js';
import type { Progress } from '../terminal/progress.js';
import { familyFlags } from '../flags/familyFlags.js';
import { readTraining } from '../flags/settings.js';
import { count, inputFile, oneOf, optionalCount, outputFolder } from '../flags/flag.js';

export const ct = command({
  description:
    'Trains a policy without a reader from scratch on rendered pages of all sizes and on demonstrations of the oracle. Resumes from a ct.safetensors in the directory. Writes ct.safetensors, and ct.jsonl with the losses.',
  examples: [
    'gyre train ct --preset pixels --directory runs/pixels',
    'gyre train ct --directory runs/pixels --steps 43000 --decay 3000',
    'gyre train ct --recipe runs/pixels/recipe.json --directory runs/mine',
  ],
  flags: {
    directory: outputFolder('directory of the lake, the weights and the log', { default: 'runs/ct' }),
    steps: optionalCount('total steps, earlier runs included', { example: '40000' }),
    preset: oneOf(['pixels'], 'recipe; pixels is that of the pixel policy', { default: 'pixels' }),
    recipe: inputFile('JSON file of a recipe, such as recipe.json of an earlier run, instead of --preset', {
      default: undefined,
    }),
    decay: optionalCount('decay the learning rate over the last N steps', { example: '3000' }),
    threads: count('engine threads', { default: 2 }),
    ...familyFlags('all but those held out to measure transfer'),
    saveEvery: count('steps between checkpoints', { default: 500 }),
  },
  async run(
    { directory: dir, recipe: file, steps, decay, threads, saveEvery, family, suite, miniwob, tasks },
    { terminal, signal, typedSeed },
  ) {
    const example = 'the recipe.json of an earlier run';
    const recipe = await readTraining(
      CtRecipe,
      { path: file, flag: '--recipe', example },
      { family, suite, miniwob, tasks },
      { steps, decay, seed: typedSeed },
    );
    const workspace = await Workspace.open({ dir, seed: recipe.seed, threads, browsers: 2, sessions: 32 });
    const pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
    try {
      const checkpoint = join(dir, 'ct.safetensors');
      const from = await resumedSteps(workspace, checkpoint, recipe);
      if (from > 0) terminal.log(`resuming at step ${from} of ${checkpoint}`);
      const playing = terminal.progress('demonstrations');
      let progress: Progress | undefined;
      const done = await runCt({
        workspace,
        recipe,
        sheets: new RenderedSheets(pool, new PerceptionCache(join(dir, 'pages')), recipe.seed),
        from,
        checkpoint,
        saveEvery,
        log: join(dir, 'ct.jsonl'),
        logEvery: 50,
        onDemonstrations: (played, of) => playing.update(played / of, `${played} of ${of} episodes`),
        onStep: ({ step, kind, loss }) => {
          // A terminal has one progress line at a time.
          progress ??= terminal.progress('ct', from / recipe.steps);
          progress.update(step / recipe.steps, `step ${step} of ${recipe.steps}, ${kind}: loss ${loss.toFixed(2)}`);
        },
        signal,
      });
      terminal.end();
      terminal.print(`${done} of ${recipe.steps} steps: ${checkpoint}`);
      return { ok: done === recipe.steps, result: { steps: done, checkpoint } };
    } finally {
      await Promise.allSettled([workspace.close(), pool.close()]);
    }
  },
});
