import type { chosenFamilies } from '../families/families.js';
import { command } from '../command.js';
import { familyFlags } from '../flags/familyFlags.js';
import { type FamilyEntry, familyEntry, readCatalogue } from '../families/familyList.js';
import { table } from '../terminal/table.js';

export const list = command({
  examples: ['gyre tasks list', 'gyre tasks list --suite widgets --json', 'gyre tasks list --suite ./my-suite.js'],
  flags: familyFlags('all'),
  async run(flags, { terminal }) {
    const known = readCatalogue();
    const isNarrowed = Object.values(flags).some((value) => value !== undefined);
    const families = known.length > 0 && !isNarrowed ? known : await chosenEntries(flags, known);
    const header = ['suite', 'family', 'screen', 'difficulty', 'wordings', 'task'];
    for (const line of table(header, families.map(row), [0, 1, 5])) terminal.print(line);
    return { ok: true, result: { families } };
  },
});

async function chosenEntries(
  flags: Parameters<typeof chosenFamilies>[0],
  known: readonly FamilyEntry[],
): Promise<FamilyEntry[]> {
  const { chosenFamilies, suiteNameOf } = await import('../families/families.js');
  return (await chosenFamilies(flags, 'all')).map(
    (family) => known.find((entry) => entry.family === family.name) ?? familyEntry(family, suiteNameOf(family.name)),
  );
}

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
