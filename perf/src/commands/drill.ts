import { Random } from '@gyre/engine';
import type { StorageDrill } from '../drill/lakes.js';
import { unplayableReason } from '@gyre/training';
import { chosenFamilies, command, count, familyFlags, someOf, Tables } from 'gyre';
import { markdown } from './figures.js';

/** Every machine kind, and shared browsers. */
const defaultFamilies = 'form,menu,maze,click,hybrid.stock,hybrid.block,textEditor.correct,terminal.permit'.split(',');

const drills = ['sessions', 'writers', 'owners', 'disks'] as const;

export const drill = command({
  description: [
    'Breaks parts at random instants and counts what went wrong. Exits with 1 for any wrong score or lost work.',
    'sessions: the scripted solution plays while browsers, renderers, X servers, window managers, buses and sandboxes are killed; no episode may fail, and no task may be given up. Families whose programs are missing are skipped.',
    'writers: writers of a lake are killed, three in parallel; everything they acknowledged must be there.',
    'owners: owners of a run are killed and resumed; every acknowledged stage and its weights must be there.',
    'disks: lakes are written to disks that fill up, a fifth as often. Mounting them needs root.',
  ].join('\n'),
  examples: [
    'gyre bench drill --kills 200',
    'gyre bench drill --drill sessions --family form,hybrid.inbox --kills 50 --seed 2',
  ],
  flags: {
    drill: someOf(drills, 'drills to run'),
    kills: count('faults of each kind', { default: 200 }),
    sessions: count('parallel sessions', { default: 4 }),
    ...familyFlags('eight, on every kind of machine'),
    markdown,
  },
  async run({ drill: selected, kills, sessions, markdown, ...chosen }, { terminal, signal, seed }) {
    const isNamed = Object.values(chosen).some((value) => value !== undefined);
    const families = (await chosenFamilies(isNamed ? chosen : { family: defaultFamilies })).filter(
      (family) => unplayableReason(family, true) === undefined,
    );
    const tables = new Tables(terminal);
    const progressOf = (name: string) => {
      const progress = terminal.progress(name);
      return { signal, onProgress: (share: number, message: string) => progress.update(share, message) };
    };
    const wants = (name: (typeof drills)[number]) => selected.includes(name) && !signal.aborted;
    const random = new Random(seed).fork('drill');
    const storage: Record<string, StorageDrill> = {};

    let played;
    if (wants('sessions')) {
      const { killDrill } = await import('../drill/kills.js');
      const result = await killDrill(families, { kills, sessions, seed }, progressOf('sessions'));
      terminal.end();
      tables.add(
        ['killed', 'times'],
        Object.entries(result.kills)
          .sort(([, a], [, b]) => b - a)
          .map(([name, times]) => [name, String(times)]),
      );
      const wrong = [result.scoredWrongly.length, result.givenUp.length];
      tables.add(
        ['kills', 'episodes', 'infra errors', 'scored wrongly', 'given up'],
        [[kills, result.episodes, result.infraErrors, ...wrong].map(String)],
      );
      for (const line of result.scoredWrongly) tables.say(`scored wrongly: ${line}`);
      for (const { task, message } of result.givenUp) tables.say(`given up: ${task.id}: ${message}`);
      played = { ...result, givenUp: result.givenUp.map(({ task, message }) => ({ task: task.id, message })) };
    }
    if (wants('writers')) {
      const { killWriters } = await import('../drill/lakes.js');
      storage.writers = await killWriters(kills, random, progressOf('writers'));
    }
    if (wants('owners')) {
      const { killOwners } = await import('../drill/runs.js');
      storage.owners = await killOwners(kills, random, progressOf('owners'));
    }
    if (wants('disks')) {
      const { canMount, fillDisks } = await import('../drill/disks.js');
      if (await canMount()) storage.disks = await fillDisks(Math.ceil(kills / 5), random, progressOf('disks'));
      else tables.say('disks: skipped, because this process may not mount');
    }
    terminal.end();
    if (Object.keys(storage).length > 0) {
      tables.add(
        ['drill', 'faults', 'acknowledged', 'lost'],
        Object.entries(storage).map(([name, { faults, acknowledged, lost }]) => [
          name,
          ...[faults, acknowledged, lost.length].map(String),
        ]),
      );
    }
    for (const [name, { lost }] of Object.entries(storage)) for (const line of lost) tables.say(`${name}: ${line}`);

    const flags = `--drill ${selected.join(',')} --kills ${kills} --family ${families.map(({ name }) => name).join(',')}`;
    await tables.append(markdown, `gyre bench drill ${flags} --seed ${seed}`);
    const isRight = played === undefined || (played.scoredWrongly.length === 0 && played.givenUp.length === 0);
    const isKept = Object.values(storage).every(({ lost }) => lost.length === 0);
    return { ok: isRight && isKept && !signal.aborted, result: { ...(played && { sessions: played }), ...storage } };
  },
});
