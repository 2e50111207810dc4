import { openReader } from '@gyre/reader';
import { BrowserPool } from '@gyre/sandbox';
import { type PageKind, pageKinds } from '@gyre/tasks';
import { type ReaderEvaluation, type ReaderResult, evaluateReader } from '@gyre/training';
import { command } from '../command.js';
import { splitNames } from '../families/families.js';
import { count, oneOf, outputFile, someOf } from '../flags/flag.js';
import { readerFlag } from '../flags/readerFlag.js';
import { share } from '../terminal/resultTable.js';
import { Tables } from '../terminal/tables.js';

export const evalReader = command({
  description:
    'Reads held-out pages and compares the lines with the words of the page: words detected, read exactly, regardless of case, and with look-alikes (l, 1, I) folded, with 95 % intervals (Wilson), and CPU time with one thread. Later screens follow an action; only what has changed is read. Canvases and words without a letter or a digit do not count. --json has a `noise` with which simulated readings make the same errors.',
  examples: ['gyre eval reader', 'gyre eval reader --reader models/ppocr-v6 --kinds widgets,perception --json'],
  flags: {
    reader: readerFlag,
    kinds: someOf(Object.keys(pageKinds) as [PageKind, ...PageKind[]], 'kinds of pages'),
    pages: count('pages per kind', { default: 40 }),
    split: oneOf(splitNames as ['train', 'dev', 'test'], 'split of the pages', { default: 'test' }),
    markdown: outputFile('append the tables to this Markdown file', { default: undefined }),
  },
  async run({ reader: choice, kinds, pages, split, markdown }, { terminal, signal, seed }) {
    const reader = await openReader({ reader: choice });
    const pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
    try {
      const progress = terminal.progress('reader');
      const evaluation = await evaluateReader(reader, pool, {
        ...{ kinds, pages, split, seed, signal },
        onPage: (kind, page) =>
          progress.update((kinds.indexOf(kind) + page / pages) / kinds.length, `${kind}: ${page} of ${pages} pages`),
      });
      terminal.end();
      const tables = new Tables(terminal);
      tables.add(...scoreTable(evaluation.results));
      tables.add(...rateTable(evaluation));
      await tables.append(markdown, `gyre eval reader --pages ${pages} --split ${split}`);
      return { ok: !signal.aborted, result: { reader: reader.name, split, ...evaluation } };
    } finally {
      await Promise.allSettled([reader.close(), pool.close()]);
    }
  },
});

function scoreTable(results: readonly ReaderResult[]): [header: string[], rows: string[][]] {
  const header = ['pages', 'screen', 'n', 'words', 'detected', 'exact', 'caseless', 'folded', 'numbers'];
  return [
    [...header, 'lines', 'detector ms', 'recogniser ms/line', 'ms/screen'],
    results.map((result) => [
      ...[result.kind, result.screen, String(result.screens), String(result.words)],
      ...[result.detected, result.exact, result.caseless, result.folded].map(share),
      `${share(result.exactNumbers)} of ${result.numbers}`,
      ...[result.lines, result.detectorMs, result.recogniserMs, result.ms].map((value) => value.toFixed(1)),
    ]),
  ];
}

function rateTable({ rates, noise }: ReaderEvaluation): [header: string[], rows: string[][]] {
  const { widestGap, boxHeight, boxMargin, boxJitter } = noise;
  return [
    ['noise', 'chances', 'value'],
    [
      ...rates.map((rate) => [rate.rate, String(rate.chances), share(rate)]),
      ...Object.entries({ widestGap, boxHeight, boxMargin, boxJitter }).map(([name, em]) => [
        name,
        '',
        `${em.toFixed(2)} em`,
      ]),
    ],
  ];
}
