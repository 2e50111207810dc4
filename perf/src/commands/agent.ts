import { command, count, Tables } from 'gyre';
import { markdown, mebibytes, rate, seconds } from './figures.js';

export const agent = command({
  description:
    'Plays episodes with test doubles of model and environment: no model, no network, no browser. A turn is everything between two screenshots: prompt, answer, actions, lake. The time of the doubles is subtracted.',
  examples: ['gyre bench agent --seconds 20 --json', 'gyre bench agent --loops 256'],
  flags: { seconds, loops: count('parallel loops in this process', { default: 64 }), markdown },
  async run(flags, { terminal, signal, seed }) {
    const { benchAgent } = await import('../agent/agent.js');
    const tables = new Tables(terminal);
    const result = await benchAgent({ ...flags, seed, signal });
    const { loops } = result;
    tables.say(
      `Model and environment are doubles; at least ${result.screenshots} screenshots of ${result.size} and ${result.pictureKiB.toFixed(0)} KiB in a prompt.`,
    );
    tables.add(
      ['overhead per turn', 'turns', 'p50', 'p99', 'mean CPU time', 'target'],
      result.overhead.map((row) => [
        row.what,
        String(row.turns),
        `${row.p50.toFixed(2)} ms`,
        `${row.p99.toFixed(2)} ms`,
        `${row.cpu.toFixed(2)} ms`,
        '3 ms',
      ]),
    );
    tables.add(
      ['loops in one process', 'turns/s', 'memory before', 'peak', 'target'],
      [[String(loops.loops), rate(loops.turnsPerSecond), mebibytes(loops.before), mebibytes(loops.peak), '1024 MiB']],
    );
    tables.add(
      [
        'prefix shared with the previous prompt',
        'prompts',
        'extended',
        'rewritten',
        'share if extended',
        'if rewritten',
        'all',
      ],
      result.prefix.map((row) => [
        row.prompt,
        String(row.prompts),
        String(row.prompts - 1 - row.rewritten),
        String(row.rewritten),
        ...[row.between, row.atRewrites, row.all].map((share) => `${(100 * share).toFixed(1)} %`),
      ]),
    );
    await tables.append(flags.markdown, `gyre bench agent --seconds ${flags.seconds} --loops ${flags.loops}`);
    return { ok: !signal.aborted, result: { ...result } };
  },
});
