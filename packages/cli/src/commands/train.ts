import { Random } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { type ValueCeiling, valueCeiling, valuePretraining } from '@gyre/training';
import { join } from 'node:path';
import { command } from '../command.js';
import { count, optionalCount } from '../flags/flag.js';
import { criticEngineFlag } from '../flags/serverFlags.js';
import { readSettings, servedFlags, trainingFlags, weightsNamed } from '../flags/settings.js';
import { directory, from, inWorkspace, startOf } from './trainFolder.js';

export const value = command({
  description:
    'Plays training tasks with the policy and fits the critic to the returns. Then some turns are continued once more with other randomness: the correlation of two returns from one turn bounds what a critic can explain. Writes critic.safetensors.',
  examples: ['gyre train value --episodes 3000', 'gyre train value --from base --ceiling 1000'],
  flags: {
    ...trainingFlags(),
    ...servedFlags,
    criticEngine: criticEngineFlag,
    directory,
    from,
    episodes: optionalCount('episodes to play (default: ppo.criticEpisodes of the settings, 1500)'),
    ceiling: count('turns to continue once more, or 0', { default: 300, min: 0 }),
  },
  async run({ settings: file, directory: dir, from: fromWeights, episodes, ceiling: pairs, ...typed }, context) {
    const { terminal, signal, typedSeed } = context;
    const read = await readSettings(file, { ...typed, seed: typedSeed });
    const settings = { ...read, ppo: { ...read.ppo, ...(episodes && { criticEpisodes: episodes }) } };
    if (settings.ppo.criticEpisodes === 0) {
      throw new GyreError('bad_input', '--episodes is 0, so there is nothing to train on', {
        field: 'ppo.criticEpisodes',
        fix: 'give 1 or more, or --episodes',
      });
    }
    const weights = startOf(dir, settings, fromWeights ?? (await weightsNamed(file)));
    return inWorkspace(dir, { ...settings, from: weights ?? settings.from }, async (workspace) => {
      const { engine, extension } = workspace.learner;
      if (weights !== undefined) await engine.load(weights);
      const name = `critic.${extension}`;
      terminal.log(`playing ${settings.ppo.criticEpisodes} episodes`);
      const { critic, epochs, ...played } = await valuePretraining(
        workspace,
        settings,
        { policy: weights, name },
        {
          signal,
          onEpoch: ({ epoch, loss, heldOutExplainedVariance }) =>
            terminal.log(
              `epoch ${epoch}: loss ${loss.toFixed(4)}, held-out explained variance ${heldOutExplainedVariance.toFixed(3)}`,
            ),
        },
      );
      await critic.close();
      const checkpoint = join(dir, name);
      const best = Math.max(...epochs.map((epoch) => epoch.heldOutExplainedVariance));
      terminal.print(`held-out explained variance ${best.toFixed(3)}: ${checkpoint}`);
      if (pairs === 0) return { ok: true, result: { epochs, checkpoint } };
      terminal.log(`continuing from ${pairs} turns`);
      const ceiling = await valueCeiling(workspace, workspace.policy(), played.episodes, {
        ...{ pairs, gamma: settings.ppo.gamma, random: new Random(settings.seed).fork('ceiling'), signal },
      });
      terminal.print(ceilingLine(ceiling, best));
      return { ok: true, result: { epochs, ceiling, checkpoint } };
    });
  },
});

function ceilingLine({ explainedVariance: ceiling, low, high, pairs }: ValueCeiling, reached: number): string {
  const turns = `measured on ${pairs} continued turns`;
  if (Number.isNaN(ceiling)) return `no variance to explain: all returns are equal (${turns})`;
  const interval = `${ceiling.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
  return `a critic can explain ${interval} of the variance (${turns}); this one reaches ${((100 * reached) / ceiling).toFixed(0)} % of it`;
}
