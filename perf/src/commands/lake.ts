import { command, count, Tables } from 'gyre';
import { markdown, mebibytes, ms, rate } from './figures.js';

export const lake = command({
  description:
    'Writes a lake to a temporary folder (about 200 MB for a million turns), 32 episodes in parallel with tiny screenshots, reads it in a new process, and deletes it. Targets: at least 2,000 turns/s, a batch in 200 ms, an index under 1 GiB.',
  examples: ['gyre bench lake', 'gyre bench lake --turns 50000 --json'],
  flags: {
    turns: count('turns in the lake', { default: 1_000_000 }),
    batch: count('episodes per batch', { default: 32 }),
    markdown,
  },
  async run(flags, { terminal, signal, seed }) {
    const { benchLake } = await import('../lake/lake.js');
    const tables = new Tables(terminal);
    const progress = terminal.progress('bench');
    const onProgress = (share: number, message: string) => progress.update(share, message);
    const result = await benchLake({ ...flags, seed, signal, onProgress });
    terminal.end();
    const { index, batch, sql } = result;
    tables.add(
      ['turns', 'episodes', 'files', 'size', 'appended', 'CPU time per turn'],
      [
        [
          ...[result.turns, result.episodes, result.files].map(String),
          `${(result.bytes / 1e6).toFixed(0)} MB`,
          `${rate(result.appendedPerSecond)} turns/s`,
          `${result.processorMsPerTurn.toFixed(2)} ms`,
        ],
      ],
    );
    tables.add(
      ['opened and indexed', 'index memory', 'peak of the process'],
      [[ms(index.ms), mebibytes(index.mebibytes), mebibytes(index.peakMebibytes)]],
    );
    tables.add(
      [
        `batch of ${batch.episodes} episodes, ${batch.turns} turns`,
        'p95',
        'CPU time',
        'by SQL',
        'SQL: successes by family',
      ],
      [[ms(batch.median), ms(batch.p95), ms(batch.processorMs), ms(sql.batch), ms(sql.byFamily)]],
    );
    await tables.append(flags.markdown, `gyre bench lake --turns ${flags.turns} --batch ${flags.batch}`);
    return { ok: true, result: { ...result } };
  },
});
