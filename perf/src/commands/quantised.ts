import { architectures } from '@gyre/engine';
import { command, someOf, Tables } from 'gyre';
import { markdown, seconds, times } from './figures.js';

export const quantised = command({
  examples: ['gyre bench quantised --seconds 60 --architecture nano,micro'],
  flags: {
    seconds,
    architecture: someOf(Object.keys(architectures) as ['nano', 'micro', 'small'], 'sizes of the policy'),
    markdown,
  },
  async run(flags, { terminal }) {
    const { benchQuantised } = await import('../engine/quantised.js');
    const tables = new Tables(terminal);
    const rows = await benchQuantised({ seconds: flags.seconds, architectures: flags.architecture });
    const withRatio = (value: number, digits: number, ratio: number) => `${value.toFixed(digits)} (${times(ratio)})`;
    const lines = rows.map((row) => [
      row.architecture,
      row.variant,
      `${(row.weightBytes / 2 ** 20).toFixed(1)} MiB`,
      withRatio(row.encodeMs, 1, row.ratio.encode),
      withRatio(row.tokensPerSecond, 0, row.ratio.token),
      withRatio(row.tokensPerSecond32, 0, row.ratio.token32),
      withRatio(row.msPerTurn / 1_000, 3, row.ratio.turn),
    ]);
    const header = ['policy', 'weights', 'size', 'ms/screen', 'tokens/s', 'tokens/s, batch 32', 's/turn'];
    tables.add(header, lines);
    await tables.append(flags.markdown, `gyre bench quantised --seconds ${flags.seconds}`);
    return { ok: true, result: { rows } };
  },
});
