import { command, positive, Tables } from 'gyre';
import { markdown, mebibytes, ms, rate } from './figures.js';

export const platform = command({
  description:
    'Measures isolated machines as `gyre serve sandbox` leases them: time to lease and release, clicks and frames of a desktop, small requests compared with a bare node:http server, the cost of live views, and 32 browsers or 8 desktops in parallel with their memory.',
  examples: ['gyre bench platform --seconds 60 --json'],
  flags: {
    seconds: positive('seconds to measure, without start-up', { default: 60 }),
    markdown,
  },
  async run(flags, { terminal }) {
    const { benchPlatform } = await import('../platform/platform.js');
    const tables = new Tables(terminal);
    const result = await benchPlatform(flags);
    tables.add(
      ['lease', 'warm', 'time until', 'n', 'p50', 'worst'],
      result.leases.map((row) => [
        row.kind,
        row.warm ? 'yes' : 'no',
        row.until,
        String(row.n),
        ms(row.p50),
        ms(row.worst),
      ]),
    );
    const { desktop } = result;
    tables.add(
      ['desktop, click and frame', 'program', 'raw/s', 'RGB/s', 'settled, PNG/s'],
      [[desktop.size, desktop.program, rate(desktop.raw), rate(desktop.rgb), rate(desktop.settledPng)]],
    );
    tables.add(
      ['small requests', 'per second', 'p99', 'failed'],
      result.load.map((row) => [row.server, rate(row.requestsPerSecond), ms(row.p99), String(row.failed)]),
    );
    tables.add(
      ['session', 'steps/s alone', `with ${result.watching[0]?.watchers} watchers`, 'cost', 'frames/s per watcher'],
      result.watching.map((row) => [
        row.session,
        rate(row.alone),
        rate(row.watched),
        `${(100 * row.cost).toFixed(0)} %`,
        row.framesPerSecond.toFixed(1),
      ]),
    );
    tables.add(
      ['in parallel', 'sessions', 'time until ready', 'memory', 'total steps/s'],
      result.crowds.map((row) => [
        row.kind,
        String(row.sessions),
        `${row.seconds.toFixed(1)} s`,
        mebibytes(row.mebibytes),
        rate(row.stepsPerSecond),
      ]),
    );
    await tables.append(flags.markdown, `gyre bench platform --seconds ${flags.seconds}`);
    return { ok: true, result: { ...result } };
  },
});
