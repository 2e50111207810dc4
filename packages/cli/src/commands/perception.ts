import { BrowserPool } from '@gyre/sandbox';
import { perceive, perceptionSizes, sheetLayout } from '@gyre/tasks';
import { ComparedEngines, type PageResult, evaluatePages, pooled } from '@gyre/training';
import { command } from '../command.js';
import { splitNames } from '../families/families.js';
import { count, oneOf } from '../flags/flag.js';
import { optionalSize } from '../flags/sizeFlag.js';
import { openNative, screenReaderFlag, weightsFlags } from '../policies/policies.js';
import { share, table } from '../terminal/table.js';

export const perception = command({
  description:
    'Renders pages of a split, asks the policy every question about them greedily, and prints accuracy with its 95 % interval (Wilson). A click must lie within the element; a text must match exactly. Weights with a reader answer from the text that it reads off the pixels.',
  examples: [
    'gyre perception --checkpoint runs/ct/ct.safetensors --pages 256',
    'gyre perception --checkpoint runs/ct/ct.safetensors --size 640x480 --quantise w8a8',
  ],
  flags: {
    ...weightsFlags,
    screenReader: screenReaderFlag,
    pages: count('pages per size', { default: 128 }),
    size: optionalSize('screens in px (default: every size)'),
    split: oneOf(splitNames as ['train', 'dev', 'test'], 'split of words, fonts and layouts', { default: 'test' }),
  },
  async run({ pages, size, split, ...weights }, { terminal, signal, seed }) {
    const { engine, reader, close } = await openNative(weights);
    // Reference for quantised weights.
    const full =
      weights.quantise === 'none' ? undefined : (await openNative({ checkpoint: weights.checkpoint })).engine;
    const compared = full && new ComparedEngines(engine, full);
    const pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
    try {
      const progress = terminal.progress('perception');
      const sizes = size ? [size] : perceptionSizes;
      const results: PageResult[] = [];
      for (const [done, screen] of sizes.entries()) {
        if (signal.aborted) break;
        // Rounds to whole sheets.
        const pageCount = Math.max(1, Math.round(pages / sheetLayout(screen).samples)) * sheetLayout(screen).samples;
        const samples = perceive(pool, { seed, count: pageCount, size: screen, split });
        const onPages = (seen: number) =>
          progress.update(
            (done + seen / pageCount) / sizes.length,
            `${screen.width}x${screen.height}: ${seen} of ${pageCount} pages`,
          );
        results.push(...(await evaluatePages(compared ?? engine, samples, { reader, signal, onPages })));
      }
      terminal.end();
      for (const line of summary(results)) terminal.print(line);
      const agreement = compared?.agreement;
      if (agreement) {
        terminal.print(
          `${weights.quantise} compared with full precision: ${share(agreement.equal)} of ${agreement.questions} answers agree, |Δ log p| ${agreement.meanDifference.toFixed(4)}`,
        );
      }
      return { ok: !signal.aborted, result: { split, results, ...(agreement && { agreement }) } };
    } finally {
      await Promise.allSettled([close(), full?.close(), pool.close()]);
    }
  },
});

function summary(results: readonly PageResult[]): string[] {
  const rows = (names: readonly string[], of: (name: string) => readonly PageResult[]) =>
    names.map((name) => [name, String(pooled(of(name)).n), share(pooled(of(name)))]);
  const distinct = (key: 'kind' | 'size' | 'language') => [...new Set(answered.map((one) => one[key]))];
  const answered = results.filter(({ n }) => n > 0);
  const unasked = results.reduce((sum, one) => sum + one.unasked, 0);
  const tables = (['kind', 'size', 'language'] as const).flatMap((key) => [
    ...table(
      [key, 'questions', 'right'],
      rows(distinct(key), (name) => answered.filter((one) => one[key] === name)),
    ),
    '',
  ]);
  if (unasked === 0) return tables;
  return [...tables, `${unasked} questions about a change were not asked: weights with a reader see one screen`];
}
