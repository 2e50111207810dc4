import { readGroundingSamples } from '@gyre/benchmarks';
import { BrowserPool } from '@gyre/sandbox';
import { perceive, perceptionSizes, sheetLayout } from '@gyre/tasks';
import { ComparedEngines, type PageResult, evaluatePages, pooled } from '@gyre/training';
import { command, UsageError } from '../command.js';
import { evaluateGrounding } from '../eval/grounding.js';
import { splitNames } from '../families/families.js';
import { count, oneOf, outputFile, path } from '../flags/flag.js';
import { optionalSize } from '../flags/sizeFlag.js';
import { openNative, openPolicy, policyFlags } from '../policies/policies.js';
import { share } from '../terminal/resultTable.js';
import { table } from '../terminal/table.js';

export const perception = command({
  description:
    'Renders pages of a split, asks the policy every question about them greedily, and prints accuracy with its 95 % interval (Wilson). A click must lie within the element; a text must match exactly. Weights with a reader answer from the text that it reads off the pixels. --screenspot asks a policy or model to point at the targets of ScreenSpot-Pro, ScreenSpot-v2 or OSWorld-G instead: its first action counts, and must lie in the target.',
  examples: [
    'gyre perception --checkpoint runs/ct/ct.safetensors --pages 256',
    'gyre perception --checkpoint runs/ct/ct.safetensors --size 640x480 --quantise w8a8',
    'gyre perception --screenspot ../ScreenSpot-Pro --model http://127.0.0.1:8000/v1 --results results/mine.json',
    'gyre perception --screenspot ../OSWorld-G/benchmark/OSWorld-G_refined.json --size 1280x720',
  ],
  flags: {
    ...policyFlags,
    pages: count('pages per size', { default: 128 }),
    size: optionalSize(
      'screens in px (default: every size); with --screenspot, pictures are scaled into it (default: as they are)',
    ),
    split: oneOf(splitNames as ['train', 'dev', 'test'], 'split of words, fonts and layouts', { default: 'test' }),
    screenspot: path('folder of ScreenSpot-Pro, ScreenSpot-v2 or OSWorld-G, or one of its annotation files', {
      default: undefined,
    }),
    sessions: count('questions of --screenspot at a time', { default: 4 }),
    results: outputFile("write answers and metrics of --screenspot to this JSON file, for ScreenSpot-Pro's scripts", {
      default: undefined,
    }),
  },
  async run({ pages, size, split, screenspot, sessions, results: file, ...flags }, invocation) {
    const { terminal, signal, seed } = invocation;
    if (screenspot !== undefined) {
      if (flags.policy === 'oracle')
        throw new UsageError('pictures have no scripted solution', { field: '--policy', fix: 'use a model, or nano' });
      // Reports an unreadable set before a model loads.
      const samples = await readGroundingSamples(screenspot);
      const opened = await openPolicy({ ...flags, greedy: true });
      try {
        return await evaluateGrounding({ samples, size, sessions, results: file }, opened, invocation);
      } finally {
        await opened.close();
      }
    }
    if (flags.model !== undefined || flags.policy !== 'nano' || file !== undefined) {
      const field = flags.model !== undefined ? '--model' : file !== undefined ? '--results' : '--policy';
      throw new UsageError(`${field} is for --screenspot`, { field, fix: 'add --screenspot DIR, or omit it' });
    }
    const { checkpoint, quantise, screenReader } = flags;
    const weights = { checkpoint, quantise, screenReader };
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
