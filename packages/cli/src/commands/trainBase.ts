import { basePolicyName, nativeArchitectures, weightsFile } from '@gyre/engine';
import { BrowserPool } from '@gyre/sandbox';
import { percent } from '@gyre/studio';
import {
  BaseRecipe,
  basePresets,
  collectDemonstrations,
  collectHeldOut,
  collectPractice,
  PerceptionCache,
  RenderedSheets,
  rightDecisions,
  trainBase,
  Workspace,
} from '@gyre/training';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { command } from '../command.js';
import { resumedSteps } from './trainFolder.js';
import { count, inputFile, oneOf, optionalCount, outputFolder } from '../flags/flag.js';
import { mergeSettings } from '../flags/mergeSettings.js';
import { withoutUndefined } from '../flags/settings.js';

export const base = command({
  description:
    'Trains a policy with a reader, from scratch by default: it imitates oracles, practises under their advice and answers questions about rendered pages. Resumes from a base.safetensors in the directory. Writes base.safetensors, and base.jsonl with the losses.',
  examples: [
    'gyre train base --directory runs/widgets',
    'gyre train base --recipe runs/widgets/recipe.json --steps 3000 --directory runs/longer',
  ],
  flags: {
    directory: outputFolder('directory of the lake, the weights and the log', { default: 'runs/base' }),
    preset: oneOf(['widgets'], 'recipe', { default: 'widgets' }),
    recipe: inputFile('JSON file of a recipe, such as recipe.json of an earlier run, instead of --preset', {
      default: undefined,
    }),
    from: inputFile('weights to start from: a file, or base (default: random weights)', {
      default: undefined,
      words: [basePolicyName],
    }),
    steps: optionalCount('total steps, earlier runs included', { example: '3000' }),
    decay: optionalCount('decay the learning rate over the last N steps', { example: '1000' }),
    threads: count('engine threads', { default: 2 }),
    sessions: count('parallel episodes of the oracle', { default: 8 }),
    saveEvery: count('steps between checkpoints', { default: 250 }),
  },
  async run(
    { directory: dir, preset, recipe: path, from: initial, steps, decay, threads, sessions, saveEvery },
    context,
  ) {
    const { terminal, signal, typedSeed } = context;
    const file = { path, flag: '--recipe', example: 'the recipe.json of an earlier run' };
    const typed = { steps, decay, seed: typedSeed };
    const recipe = await mergeSettings(
      BaseRecipe,
      file,
      path === undefined ? { ...basePresets[preset], ...withoutUndefined(typed) } : typed,
    );
    const architecture = nativeArchitectures[recipe.size];
    const { seed, optimiser } = recipe;
    const learning = { architecture, optimiser, average: true };
    const workspace = await Workspace.open({ dir, seed, threads, browsers: 2, sessions, ...learning });
    const pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
    try {
      const checkpoint = join(dir, 'base.safetensors');
      const log = join(dir, 'base.jsonl');
      const from = await resumedSteps(workspace, checkpoint, recipe);
      if (from === 0 && initial !== undefined) await workspace.engine.load(weightsFile(initial), { optimiser: false });
      if (from > 0) terminal.log(`resuming at step ${from} of ${checkpoint}`);
      const playing = terminal.progress('demonstrations');
      const collecting = {
        signal,
        onEpisode: (played: number, of: number) => playing.update(played / of, `${played} of ${of} episodes`),
      };
      const demonstrations = await collectDemonstrations(workspace, recipe, collecting);
      const heldOut = await collectHeldOut(workspace, recipe, collecting);
      terminal.end();
      let share = from / recipe.steps;
      let training = terminal.progress('base', share);
      const began = performance.now();
      const done = await trainBase({
        engine: workspace.engine,
        lake: workspace.lake,
        ...{ recipe, from, demonstrations, signal },
        practise: async (rounds) => {
          terminal.end();
          const practising = terminal.progress(`practice ${rounds}`);
          const turns = await collectPractice(workspace, recipe, rounds, {
            signal,
            onEpisode: (played, of) => practising.update(played / of, `${played} of ${of} episodes`),
          });
          terminal.end();
          training = terminal.progress('base', share);
          return turns;
        },
        sheets: new RenderedSheets(pool, new PerceptionCache(join(dir, 'pages')), seed),
        onStep: async (step) => {
          const seconds = Math.round((performance.now() - began) / 1000);
          const isSaved = step.step % saveEvery === 0;
          if (isSaved) await workspace.save(checkpoint);
          const right =
            isSaved && heldOut.length > 0
              ? (await rightDecisions(workspace.engine, workspace.lake, heldOut)) / heldOut.length
              : undefined;
          await appendFile(log, `${JSON.stringify({ ...step, seconds, heldOut: right })}\n`);
          share = step.step / recipe.steps;
          training.update(share, `step ${step.step} of ${recipe.steps}: loss ${step.loss.toFixed(2)}`);
          if (right !== undefined)
            terminal.log(`step ${step.step}: ${percent(right)} % of ${heldOut.length} held-out decisions`);
        },
      });
      await workspace.save(checkpoint);
      terminal.end();
      terminal.print(`${done} of ${recipe.steps} steps: ${checkpoint}`);
      return { ok: done === recipe.steps, result: { steps: done, checkpoint } };
    } finally {
      await Promise.allSettled([workspace.close(), pool.close()]);
    }
  },
});
