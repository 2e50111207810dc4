import { BrowserPool, Sandbox } from '@gyre/sandbox';
import { type AttackResult, attacks, type GuessResult, playAttacks, playBlind, playGuesses } from '@gyre/tasks';
import { unplayableReason } from '@gyre/training';
import { command } from '../command.js';
import { chosenFamilies } from '../families/families.js';
import { familyFlags } from '../flags/familyFlags.js';
import { count, optionalUrl, optionalWord } from '../flags/flag.js';
import { firstServedModel } from '../policies/firstServedModel.js';
import { table } from '../terminal/table.js';

export const attack = command({
  description:
    "Plays attacks instead of the tasks: from a shell on the browser and the screen, with forged pages, files, windows and messages, by storage and address of the page, by doing nothing, and by answers guessed from the description. The task's own verifier judges each. An attack fails if it earns no reward and reaches nothing forbidden. Guesses may succeed by luck: they fail unless a rule succeeds significantly more often (exact binomial test, 1 % per family) than the chance that the family declares.",
  examples: [
    'gyre tasks attack --suite hybrid',
    'gyre tasks attack --family terminal.*,click --tries 3',
    'gyre tasks attack --suite apps --guessed 20 --model http://127.0.0.1:8000/v1',
  ],
  flags: {
    ...familyFlags('all'),
    tries: count('tasks per family to attack', { default: 1 }),
    guessed: count('tasks per family to guess answers of; fewer than 6 find little', { default: 6, min: 0 }),
    model: optionalUrl('OpenAI-compatible server of a model that plays --guessed tasks from their descriptions', {
      example: 'http://127.0.0.1:8000/v1',
    }),
    modelName: optionalWord('model name (default: the first that the server lists)', { example: 'qwen3' }),
  },
  async run({ tries, guessed, model: url, modelName, ...flags }, { terminal, signal, seed }) {
    const families = (await chosenFamilies(flags, 'all')).filter((family) => {
      const reason = unplayableReason(family, false);
      if (reason !== undefined) terminal.log(`${family.name} is skipped: ${reason}`);
      return reason === undefined;
    });
    const model = url === undefined ? undefined : await openModel(url, modelName);
    const [pool, sandbox] = await Promise.all([BrowserPool.launch(), Sandbox.start()]);
    const targets = { pool, sandbox };
    const results: AttackResult[] = [];
    const guesses: GuessResult[] = [];
    try {
      const progress = terminal.progress('attack');
      for (const [index, family] of families.entries()) {
        for (let attempt = 0; attempt < tries; attempt++) {
          signal.throwIfAborted();
          progress.update((index + attempt / (tries + 1)) / families.length, family.name);
          results.push(...(await playAttacks(targets, family, seed + attempt, attacks)));
        }
        signal.throwIfAborted();
        progress.update((index + tries / (tries + 1)) / families.length, `${family.name}: guesses`);
        guesses.push(...(await playGuesses(targets, family, seed, guessed)));
        if (model && guessed > 0) guesses.push(await playBlind(targets, family, seed, guessed, model));
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
    const lucky = guesses.filter(({ successes }) => successes > 0);
    const answered = new Set(guesses.map(({ family }) => family)).size;
    if (answered > 0) terminal.print(`families whose answers were guessed: ${answered}`);
    if (lucky.length > 0) printGuesses(lucky, (line) => terminal.print(line));
    const guessedRight = guesses.filter(({ resisted }) => !resisted);
    return {
      ok: lost.length + guessedRight.length === 0,
      result: { rows, lost, guesses: lucky, guessable: [...new Set(guessedRight.map(({ family }) => family))] },
    };
  },
});

async function openModel(url: string, name: string | undefined) {
  const apiKey = process.env.OPENAI_API_KEY;
  // Also with a name, to report a missing server before anything is leased.
  const first = await firstServedModel(url, apiKey);
  return { url, model: name ?? first, apiKey };
}

function printGuesses(guesses: readonly GuessResult[], print: (line: string) => void): void {
  const cells = guesses.map(({ family, rule, tasks, successes, chance, p, resisted }) => [
    ...[family, rule, `${successes} of ${tasks}`, String(chance), p.toFixed(4), resisted ? '' : 'guessable'],
  ]);
  for (const line of table(['family', 'guess', 'right', 'chance', 'p', ''], cells, [0, 1, 5])) print(line);
}

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
