import { command, group } from '../command.js';
import { chosenFamilies, familyFlags } from '../families.js';
import { type FamilyEntry, familyEntry } from '../familyList.js';
import { table } from '../table.js';
import { attack } from './tasksAttack.js';
import { play } from './tasksPlay.js';
import { sheet } from './tasksSheet.js';
import { show } from './tasksShow.js';
import { synth } from './tasksSynth.js';

const list = command({
  name: 'list',
  summary: 'the task families, by suite',
  examples: ['gyre tasks list', 'gyre tasks list --suite widgets --json', 'gyre tasks list --suite ./my-suite.js'],
  flags: familyFlags('all'),
  async run(flags, { terminal }) {
    const families = (await chosenFamilies(flags, 'all')).map(familyEntry);
    const header = ['suite', 'family', 'screen', 'difficulty', 'wordings', 'what is asked'];
    for (const line of table(header, families.map(row), [0, 1, 5])) terminal.print(line);
    return { ok: true, result: { families } };
  },
});

function row({ suite, family, screen, difficulty, wordings, heldOut, scripted, description }: FamilyEntry): string[] {
  const [lowest, highest] = difficulty ?? [];
  const remarks = [heldOut ? 'held out' : '', scripted ? '' : 'no scripted solution'].filter(Boolean).join(', ');
  return [
    suite,
    family,
    screen,
    lowest === undefined ? '' : lowest === highest ? String(lowest) : `${lowest}–${highest}`,
    wordings === undefined ? '' : String(wordings),
    remarks === '' ? description : `${description} (${remarks})`,
  ];
}

export const tasks = group('tasks', 'what there is to do: list it, look at it, play it, add to it', [
  list,
  show,
  play,
  sheet,
  synth,
  attack,
]);
