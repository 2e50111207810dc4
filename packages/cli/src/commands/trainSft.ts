import { builtInPolicyNames } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import {
  type Settings,
  type Workspace,
  acceptedAnnotations,
  demonstrate,
  letters,
  scratch,
  sft as runSft,
} from '@gyre/training';
import { join } from 'node:path';
import { command, type Invocation } from '../command.js';
import { inputFile, optionalCount, toggle } from '../flags/flag.js';
import { architectureFlag, exclusive, readSettings, servedFlags, trainingFlags } from '../flags/settings.js';
import { directory, inWorkspace, pulledAdapter, servedWeights, startOf } from './trainFolder.js';

const defaultDemonstrations = 200;

export const sft = command({
  description:
    'Plays the oracle on training tasks of families without demonstrations or annotations in the lake, then trains on all demonstrations, accepted annotations and perception data. Random weights learn to read letters first. Writes sft.safetensors.',
  examples: ['gyre train sft --family maze,menu --minutes 6', 'gyre train sft --from-scratch --minutes 13'],
  flags: {
    ...trainingFlags(),
    ...servedFlags,
    demonstrations: optionalCount(
      `oracle episodes per family (default: from the settings, or ${defaultDemonstrations})`,
      { example: '200' },
    ),
    from: inputFile(
      'weights to start from: a file, base, pixels, or tinker://MODEL/weights/NAME of a served policy (default: base)',
      {
        default: undefined,
        words: [...builtInPolicyNames, servedWeights],
      },
    ),
    fromScratch: toggle('start from random weights, which learn letters first unless they have a reader'),
    architecture: architectureFlag,
    directory,
  },
  async run(
    { settings: file, directory: dir, demonstrations: each, from, fromScratch, ...typed },
    { terminal, signal, typedSeed },
  ) {
    if (fromScratch && from !== undefined) throw exclusive('--from-scratch', `--from ${from}`);
    const settings = await readSettings(file, {
      ...typed,
      from: fromScratch ? scratch : from,
      seed: typedSeed,
    });
    return inWorkspace(dir, settings, async (workspace) => {
      const demonstrations = await collectDemonstrations(workspace, settings, each, { terminal, signal });
      const isNew = settings.from === scratch;
      const { learner } = workspace;
      const learnsLetters = isNew && !workspace.view.reads;
      const reading = learnsLetters ? settings.letters.share / (settings.letters.share + settings.sft.share) : 0;
      if (learnsLetters) {
        const seeing = terminal.progress('letters');
        await letters(
          workspace,
          settings,
          { minutes: settings.minutes * reading },
          { signal, onStep: ({ step, loss }, of) => seeing.update(step / of, `step ${step}, loss ${loss.toFixed(3)}`) },
        );
      }
      const start = isNew ? undefined : startOf(dir, settings, settings.from);
      if (start !== undefined) await learner.engine.load(start, { optimiser: false });
      const progress = terminal.progress('sft');
      const { steps, curve } = await runSft(
        workspace,
        settings,
        { minutes: settings.minutes * (1 - reading) },
        {
          signal,
          onStep: ({ step, demonstrationLoss }, of) =>
            progress.update(step / of, `step ${step}, loss ${demonstrationLoss.toFixed(3)}`),
        },
      );
      terminal.end();
      const loss = curve.at(-1)?.demonstrationLoss;
      if (loss === undefined) {
        terminal.print(`stopped before the first step; ${demonstrations} demonstrations are in ${dir}`);
        return { ok: false, result: { steps, demonstrations } };
      }
      const checkpoint = join(dir, `sft.${learner.extension}`);
      await workspace.save(checkpoint);
      terminal.print(`${steps} steps on ${demonstrations} demonstrations, loss ${loss.toFixed(3)}: ${checkpoint}`);
      const pulled = await pulledAdapter(checkpoint, terminal);
      return { ok: true, result: { steps, demonstrations, loss, checkpoint, ...pulled } };
    });
  },
});

/** Plays the oracle for families without demonstrations. Returns their total number. */
async function collectDemonstrations(
  workspace: Workspace,
  settings: Settings,
  each: number | undefined,
  { terminal, signal }: Pick<Invocation, 'terminal' | 'signal'>,
): Promise<number> {
  const forEachFamily = (count: number) => Object.fromEntries(settings.families.map((name) => [name, count]));
  const configured = Object.keys(settings.demonstrations).length > 0 ? settings.demonstrations : undefined;
  const targets = each === undefined ? (configured ?? forEachFamily(defaultDemonstrations)) : forEachFamily(each);
  const known = new Set<string>();
  let demonstrations = 0;
  for await (const { task, verdict } of workspace.lake.episodes({ purpose: 'demonstration' })) {
    if (!verdict) continue;
    known.add(task.family);
    demonstrations++;
  }
  for (const { episode } of await acceptedAnnotations(workspace.lake)) {
    known.add(episode.task.family);
    demonstrations++;
  }
  const missing = Object.fromEntries(Object.entries(targets).filter(([name]) => !known.has(name)));
  const playing = Object.values(missing).reduce((a, b) => a + b, 0);
  if (playing > 0) {
    const progress = terminal.progress('demonstrations');
    let played = 0;
    const onEpisode = () => {
      played++;
      progress.update(played / playing, `${played} of ${playing} episodes`);
    };
    const episodes = await demonstrate(workspace, { ...settings, demonstrations: missing }, { signal, onEpisode });
    demonstrations += episodes.length;
  }
  if (demonstrations > 0) return demonstrations;
  throw new GyreError('bad_input', 'there are no demonstrations to learn from', {
    field: 'demonstrations',
    fix: 'omit demonstrations from the settings, or add --demonstrations 200',
  });
}
