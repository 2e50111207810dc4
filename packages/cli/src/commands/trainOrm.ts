import { basePolicyName, builtInPolicyNames, weightsFile } from '@gyre/engine';
import { type Judged, type Share, judged, ormQuality, ormScores, ScreenshotReader, trainOrm } from '@gyre/training';
import { join } from 'node:path';
import { command } from '../command.js';
import { count, inputFile, outputFolder, positive } from '../flags/flag.js';
import { readSettings, trainingFlags } from '../flags/settings.js';
import { share } from '../terminal/resultTable.js';
import { table } from '../terminal/table.js';
import { inWorkspace } from './trainFolder.js';

export const orm = command({
  description:
    'Plays training tasks, whose verifiers label the episodes, and trains the policy to answer whether a task was done, given the instruction, its turns and the last screens (a generative outcome reward model). Prints precision, recall and F1 on the dev split, before and after. Writes orm.safetensors.',
  examples: [
    'gyre train orm --family click,form,menu,tabs --episodes 1200',
    'gyre train orm --from runs/train/trained.safetensors',
  ],
  flags: {
    ...trainingFlags(),
    directory: outputFolder('directory of the lake and the weights', { default: 'runs/orm' }),
    from: inputFile('weights to start from, which also play: a file, base, or pixels', {
      default: basePolicyName,
      words: builtInPolicyNames,
    }),
    episodes: count('training episodes', { default: 1200 }),
    heldOut: count('held-out episodes', { default: 400 }),
    steps: count('training steps', { default: 400 }),
    rate: positive('learning rate', { default: 3e-4 }),
  },
  async run(
    { settings: file, directory: dir, from, episodes, heldOut, steps, rate, ...typed },
    { terminal, signal, typedSeed },
  ) {
    const settings = await readSettings(file, { ...typed, seed: typedSeed });
    const { families, seed } = settings;
    return inWorkspace(dir, { ...settings, from }, async (workspace) => {
      const { engine } = workspace;
      await engine.load(weightsFile(from), { optimiser: false });
      const reader = new ScreenshotReader(workspace.lake);
      const play = async (split: 'train' | 'dev', total: number): Promise<Judged[]> => {
        const each = Math.ceil(total / families.length);
        const first = split === 'train' ? seed * 100_000 + 70_000 : 0;
        const jobs = families.flatMap((family) => [...workspace.jobs(family, split, first, each, `orm ${split}`)]);
        const playing = terminal.progress(`episodes of ${split}`);
        let played = 0;
        const { episodes: rollouts } = await workspace.play(workspace.policy(), jobs, {
          signal,
          onEpisode: () => playing.update(++played / jobs.length, `${played} of ${jobs.length}`),
        });
        terminal.end();
        return Promise.all(rollouts.map((episode) => judged(episode, workspace, reader)));
      };
      const labelled = await play('train', episodes);
      const unseen = await play('dev', heldOut);
      const before = ormQuality(unseen, await ormScores(engine, unseen));
      const progress = terminal.progress('orm');
      const checkpoint = join(dir, 'orm.safetensors');
      const trained = await trainOrm({
        ...{ engine, judged: labelled, steps, batch: 16, peak: rate, seed, signal },
        best: {
          save: () => workspace.save(checkpoint),
          restore: async () => {
            await engine.load(checkpoint);
          },
        },
        onStep: ({ step, loss, heldOutLoss }) =>
          progress.update(
            step / steps,
            `step ${step} of ${steps}, loss ${loss.toFixed(3)}, held out ${heldOutLoss.toFixed(3)}`,
          ),
      });
      terminal.end();
      const { threshold } = trained;
      const scores = await ormScores(engine, unseen);
      const byFamily = families.map((family) => {
        const indices = unseen.flatMap((one, index) => (one.family === family ? [index] : []));
        const familyEpisodes = indices.map((index) => unseen[index]!);
        return {
          family,
          ...ormQuality(
            familyEpisodes,
            indices.map((index) => scores[index] ?? 0),
            threshold,
          ),
        };
      });
      const overall = { family: 'all', ...ormQuality(unseen, scores, threshold) };
      const rows = [{ family: 'all, before training', ...before }, ...byFamily, overall];
      const lines = table(
        ['family', 'episodes', 'succeeded', 'precision', 'recall', 'F1', 'F1 of always "yes"'],
        rows.map(({ family, n, successes, precision, recall, f1, always }) => [
          ...[family, String(n), share(successes), share(precision), share(recall), percentOf(f1), percentOf(always)],
        ]),
      );
      for (const line of lines) terminal.print(line);
      terminal.print(`episodes of the dev split, 95 % intervals: ${checkpoint}`);
      terminal.print(`weights of step ${trained.best} of ${trained.steps}; success threshold ${threshold.toFixed(2)}`);
      return {
        ok: true,
        result: {
          untaught: before,
          all: overall,
          families: byFamily,
          episodes: labelled.length,
          ...trained,
          checkpoint,
        },
      };
    });
  },
});

const percentOf = (value: Share | number): string =>
  typeof value === 'number' ? `${(100 * value).toFixed(0)} %` : share(value);
