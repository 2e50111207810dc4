import { GyreError } from '@gyre/protocol';
import { BrowserPool } from '@gyre/sandbox';
import { perceive, perceptionSizes, sheetLayout } from '@gyre/tasks';
import { ComparedEngines, type PageResult, evaluatePages, pooled } from '@gyre/training';
import { command } from '../command.js';
import { splitNames } from '../families/families.js';
import { count, oneOf } from '../flags/flag.js';
import { optionalSize } from '../flags/sizeFlag.js';
import { openNative, weightsFlags } from '../policies/policies.js';
import { hasReader, loadPolicyCheckpoint, weightsFile } from '@gyre/engine';
import { share, table } from '../terminal/table.js';

export const perception = command({
  description:
    'Renders pages of a split, asks the policy every question about them greedily, and prints accuracy with its 95 % interval (Wilson). A click must lie within the element; a text must match exactly.',
  examples: [
    'gyre perception --checkpoint runs/ct/ct.safetensors --pages 256',
    'gyre perception --checkpoint runs/ct/ct.safetensors --size 640x480 --quantise w8a8',
  ],
  flags: {
    ...weightsFlags,
    pages: count('pages per size', { default: 128 }),
    size: optionalSize('screens in px (default: every size)'),
    split: oneOf(splitNames as ['train', 'dev', 'test'], 'split of words, fonts and layouts', { default: 'test' }),
  },
  async run({ pages, size, split, ...weights }, { terminal, signal, seed }) {
    await expectPixels(weights.checkpoint);
    const { engine } = await openNative(weights);
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
        results.push(...(await evaluatePages(compared ?? engine, samples, { signal, onPages })));
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
      await Promise.allSettled([engine.close(), full?.close(), pool.close()]);
    }
  },
});

/** Throws 'bad_input' for weights with a reader, whose accuracy is not that of the weights. */
async function expectPixels(checkpoint: string): Promise<void> {
  if (!hasReader((await loadPolicyCheckpoint(weightsFile(checkpoint))).architecture)) return;
  throw new GyreError('bad_input', `${checkpoint} leaves reading to a reader`, {
    field: '--checkpoint',
    fix: 'use weights that read pixels, or measure it with gyre eval',
  });
}

function summary(results: readonly PageResult[]): string[] {
  const rows = (names: readonly string[], of: (name: string) => readonly PageResult[]) =>
    names.map((name) => [name, String(pooled(of(name)).n), share(pooled(of(name)))]);
  const distinct = (key: 'kind' | 'size' | 'language') => [...new Set(results.map((one) => one[key]))];
  return (['kind', 'size', 'language'] as const).flatMap((key) => [
    ...table(
      [key, 'questions', 'right'],
      rows(distinct(key), (name) => results.filter((one) => one[key] === name)),
    ),
    '',
  ]);
}
