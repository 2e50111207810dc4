import { Tables } from '../bench/tables.js';
import { command } from '../command.js';
import { chosenFamilies, familyFlags } from '../families.js';
import { count } from '../flag.js';
import { reasonAgainst } from '../rollouts.js';
import { markdown } from './benchFigures.js';

export const drill = command({
  name: 'drill',
  summary: 'kills processes of sessions at random instants while the scripted solution plays, and counts wrong scores',
  description:
    'Plays the scripted solution, which solves every task, while processes of its sessions are killed with SIGKILL: browsers, renderers, X servers, window managers, buses, and what isolates machines. No episode may end as a failure, and no task may be given up. Families whose programs are not installed are left out.',
  examples: ['gyre bench drill --kills 200', 'gyre bench drill --family form,hybrid.inbox --kills 50 --seed 2'],
  flags: {
    kills: count('how many', { default: 200 }),
    sessions: count('at once', { default: 4 }),
    ...familyFlags(),
    markdown,
  },
  async run({ kills, sessions, markdown, ...chosen }, { terminal, signal, seed }) {
    const { killDrill } = await import('../bench/drill/kills.js');
    const families = chosenFamilies(chosen).filter((family) => reasonAgainst(family, true) === undefined);
    const tables = new Tables(terminal);
    const progress = terminal.progress('drill');
    const result = await killDrill(
      families,
      { kills, sessions, seed },
      { signal, onProgress: (share, message) => progress.update(share, message) },
    );
    terminal.end();
    tables.add(
      ['killed', 'times'],
      Object.entries(result.kills)
        .sort(([, a], [, b]) => b - a)
        .map(([name, times]) => [name, String(times)]),
    );
    tables.add(
      ['kills', 'episodes', 'infra errors', 'scored wrongly', 'given up'],
      [[kills, result.episodes, result.infraErrors, result.scoredWrongly.length, result.givenUp.length].map(String)],
    );
    for (const line of result.scoredWrongly) tables.say(`scored wrongly: ${line}`);
    for (const { task, message } of result.givenUp) tables.say(`given up: ${task.id}: ${message}`);
    await tables.append(
      markdown,
      `gyre bench drill --kills ${kills} --family ${families.map(({ name }) => name).join(',')} --seed ${seed}`,
    );
    const ok = result.scoredWrongly.length === 0 && result.givenUp.length === 0 && !signal.aborted;
    return {
      ok,
      result: { ...result, givenUp: result.givenUp.map(({ task, message }) => ({ task: task.id, message })) },
    };
  },
});
