import { BrowserPool, Sandbox } from '@gyre/sandbox';
import { type AttackResult, attacks, playAttacks } from '@gyre/tasks';
import { command } from '../command.js';
import { chosenFamilies } from '../families/families.js';
import { familyFlags } from '../flags/familyFlags.js';
import { count } from '../flags/flag.js';
import { unplayableReason } from '@gyre/training';
import { table } from '../terminal/table.js';

export const attack = command({
  description:
    "Plays attacks instead of the tasks: from a shell on the browser and the screen, and with forged pages, files, windows and messages. The task's own verifier judges each. An attack fails if it earns no reward and reaches nothing forbidden.",
  examples: ['gyre tasks attack --suite hybrid', 'gyre tasks attack --family terminal.*,click --tries 3'],
  flags: { ...familyFlags('all'), tries: count('tasks per family to attack', { default: 1 }) },
  async run({ tries, ...flags }, { terminal, signal, seed }) {
    const families = (await chosenFamilies(flags, 'all')).filter((family) => {
      const reason = unplayableReason(family, false);
      if (reason !== undefined) terminal.log(`${family.name} is skipped: ${reason}`);
      return reason === undefined;
    });
    const [pool, sandbox] = await Promise.all([BrowserPool.launch(), Sandbox.start()]);
    const results: AttackResult[] = [];
    try {
      const progress = terminal.progress('attack');
      for (const [index, family] of families.entries()) {
        for (let attempt = 0; attempt < tries; attempt++) {
          signal.throwIfAborted();
          progress.update((index + attempt / tries) / families.length, family.name);
          results.push(...(await playAttacks({ pool, sandbox }, family, seed + attempt, attacks)));
        }
      }
    } finally {
      await Promise.all([pool.close(), sandbox.close()]);
      terminal.end();
    }
    const rows = countByAttack(results);
    const cells = rows.map(({ surface, attack: name, tries: of, held }) => [surface, name, String(of), String(held)]);
    for (const line of table(['surface', 'attack', 'tries', 'held'], cells, [0, 1])) terminal.print(line);
    const lost = results.filter(({ resisted }) => !resisted);
    for (const { family, attack: name, remarks } of lost) {
      terminal.print(`${family}: ${name}: ${remarks.join('; ') || 'scored'}`);
    }
    return { ok: lost.length === 0, result: { rows, lost } };
  },
});

interface Row {
  readonly surface: string;
  readonly attack: string;
  readonly tries: number;
  // eslint-disable-next-line gyre/vague-name -- a JSON key of the result
  readonly held: number;
}

function countByAttack(results: readonly AttackResult[]): Row[] {
  const rows = new Map<string, Row>();
  for (const { surface, attack: name, resisted } of results) {
    const key = `${surface}/${name}`;
    const { tries, held: before } = rows.get(key) ?? { tries: 0, held: 0 };
    rows.set(key, { surface, attack: name, tries: tries + 1, held: before + (resisted ? 1 : 0) });
  }
  return [...rows.values()].sort((a, b) => a.surface.localeCompare(b.surface));
}
