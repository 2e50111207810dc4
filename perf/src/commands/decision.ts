import { command, count, screenReaderFlag, Tables } from 'gyre';
import { markdown, seconds, times } from './figures.js';

const policyNames = {
  pixels: 'pixels',
  simulated: 'reads, simulated',
  read: 'reads a first screen',
  readChanges: 'reads what has changed',
};

export const decision = command({
  description:
    'Decides on pages of widgets and apps, alternately with the policy of pixels and the policy that reads, both of size nano and with random weights. One decision at a time, of an action with one point.',
  examples: ['gyre bench decision --seconds 60 --threads 1', 'gyre bench decision --screen-reader paddle --json'],
  flags: {
    seconds,
    threads: count('threads of each network', { default: 1 }),
    screenReader: screenReaderFlag,
    markdown,
  },
  async run(flags, { terminal, signal, seed }) {
    const { benchDecision } = await import('../engine/decision.js');
    const tables = new Tables(terminal);
    const progress = terminal.progress('bench');
    const onProgress = (share: number, suite: string) => progress.update(share, suite);
    const result = await benchDecision({ ...flags, seed, signal, onProgress });
    terminal.end();
    if (!result) return { ok: false, result: {} };
    const { reader, threads, pages, rows } = result;
    tables.say(`ms per decision on ${threads} thread${threads === 1 ? '' : 's'}. The reader is ${reader}.`);
    const changes = pages.map(({ family, changed }) => `${family} ${(100 * changed).toFixed(1)} %`);
    tables.say(`Share of the pixels that has changed: ${changes.join(', ')}.`);
    const part = (ms: number) => (ms === 0 ? '' : ms.toFixed(1));
    tables.add(
      ['screen', 'policy', 'decisions', 'median', 'p90', 'reading', 'scene', 'vs pixels'],
      rows.map((row) => [
        `${row.screen}, ${row.suite}`,
        policyNames[row.policy],
        String(row.decisions),
        ...[row.ms.toFixed(1), row.p90.toFixed(1), part(row.readingMs), part(row.sceneMs), times(row.ratio)],
      ]),
    );
    const chosen = flags.screenReader === undefined ? '' : ` --screen-reader ${flags.screenReader}`;
    await tables.append(flags.markdown, `gyre bench decision --seconds ${flags.seconds} --threads ${threads}${chosen}`);
    return { ok: true, result: { ...result } };
  },
});
