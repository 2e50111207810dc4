import type { Size } from '@gyre/protocol';
import {
  chosenFamilies,
  command,
  count,
  familyFlags,
  type Invocation,
  pageFamilies,
  optionalPositive,
  optionalSize,
  type Outcome,
  Tables,
} from 'gyre';
import { markdown, rate, times } from './figures.js';

export const env = command({
  description:
    'Clicks and takes screenshots, alternately with and without gyre: frame-stepped browsers against Playwright and bare CDP, free-running ones in 8 contexts against bare CDP, a desktop against bare X.',
  examples: [
    'gyre bench env --seconds 60 --json',
    'gyre bench env --markdown figures.md',
    'gyre bench env --suite games',
  ],
  flags: {
    seconds: optionalPositive('seconds to measure (default: 20; with task families, 10 each)', { example: '60' }),
    markdown,
    ...familyFlags('none'),
    sessions: count('with task families: parallel episodes', { default: 8 }),
    browsers: count('with task families: browser processes', { default: 2 }),
    size: optionalSize('with task families: screen in px (default: 320x240)'),
  },
  async run(flags, { terminal, signal, seed }) {
    if (flags.family ?? flags.suite ?? flags.miniwob) return benchFamilies(flags, { terminal, signal, seed });
    const { seconds = 20 } = flags;
    const { benchEnv } = await import('../env/env.js');
    const tables = new Tables(terminal);
    const result = await benchEnv({ seconds });
    tables.say('Steps per second, and the median ratio of gyre to the others over all rounds.');
    tables.add(
      ['click, frame and JPEG', 'mode', 'gyre', 'Playwright', 'bare CDP', 'vs Playwright', 'vs bare CDP'],
      result.browser.map((row) => [
        row.size,
        row.mode,
        rate(row.gyre),
        rate(row.playwright),
        rate(row.bareCdp),
        times(row.ratioPlaywright),
        times(row.ratioBare),
      ]),
    );
    tables.add(
      ['click and JPEG, free-running', 'contexts', 'gyre', 'bare CDP', 'vs bare CDP'],
      result.free.map((row) => [
        row.size,
        String(row.contexts),
        rate(row.gyre),
        rate(row.bareCdp),
        times(row.ratioBare),
      ]),
    );
    if (result.desktop.length > 0) {
      tables.add(
        ['desktop, click and raw frame', 'program', 'gyre', 'bare X', 'vs bare X'],
        result.desktop.map((row) => [row.size, row.program, rate(row.gyre), rate(row.bareX), times(row.ratioBare)]),
      );
    }
    for (const what of result.skipped) tables.say(`skipped: ${what}`);
    tables.add(
      ['lease', 'p50', 'p99'],
      result.lease.map((row) => [row.kind, `${row.p50.toFixed(1)} ms`, `${row.p99.toFixed(1)} ms`]),
    );
    await tables.append(flags.markdown, `gyre bench env --seconds ${seconds}`);
    return { ok: true, result: { ...result } };
  },
});

async function benchFamilies(
  flags: Parameters<typeof chosenFamilies>[0] & {
    seconds?: number | undefined;
    markdown: string | undefined;
    sessions: number;
    browsers: number;
    size?: Size | undefined;
  },
  { terminal, signal, seed }: Pick<Invocation, 'terminal' | 'signal' | 'seed'>,
): Promise<Outcome> {
  const { measureSuite } = await import('../env/suite.js');
  const { sessions, size = { width: 320, height: 240 } } = flags;
  const families = pageFamilies(await chosenFamilies(flags));
  // Session starts would dominate a shorter time.
  const { seconds = 10 * families.length } = flags;
  const tables = new Tables(terminal);
  const progress = terminal.progress('bench');
  const onFamily = (family: string, share: number) => progress.update(share, family);
  const result = await measureSuite({ ...flags, seconds, families, size, seed, signal, onFamily });
  terminal.end();
  const rows = result.families.map((row) => [row.family, row.size, rate(row.stepsPerSecond), String(row.episodes)]);
  tables.add(
    [`random episodes, ${sessions} in parallel`, 'screen', 'steps/s', 'episodes'],
    [...rows, ['all', '', rate(result.stepsPerSecond), '']],
  );
  const names = flags.suite
    ? `--suite ${flags.suite.join(',')}`
    : `--family ${(flags.family ?? ['miniwob.*']).join(',')}`;
  await tables.append(flags.markdown, `gyre bench env ${names} --seconds ${seconds} --sessions ${sessions}`);
  return { ok: result.families.length === families.length, result: { ...result } };
}
