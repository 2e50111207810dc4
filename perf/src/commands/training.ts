import { Settings } from '@gyre/training';
import { chosenFamilies, command, count, familyFlags, pageFamilies, optionalPositive, positive, Tables } from 'gyre';
import { markdown, times } from './figures.js';

const defaults = Settings.parse({});

export const training = command({
  description:
    'Trains the base policy as `gyre train ppo` does, alternately with rollouts that wait for updates and with rollouts that overlap them. Target: at least 70 % of the cores busy. Writes to a temporary folder that is deleted.',
  examples: ['gyre bench training', 'gyre bench training --family vault,tabs --seconds 600 --json'],
  flags: {
    seconds: positive('seconds to measure, without the first iterations', { default: 240 }),
    markdown,
    ...familyFlags(),
    sessions: count('parallel episodes', { default: defaults.sessions }),
    browsers: count('browser processes', { default: defaults.browsers }),
    threads: count('engine threads', { default: defaults.threads }),
    decisions: count('turns per iteration', { default: defaults.ppo.decisions }),
    latency: optionalPositive('mean extra seconds per turn, as if environments were remote (default: none)', {
      example: '2',
    }),
  },
  async run({ latency = 0, ...flags }, { terminal, signal, seed }) {
    const { benchPractice } = await import('../practice.js');
    const families = pageFamilies(await chosenFamilies(flags)).map(({ name }) => name);
    const tables = new Tables(terminal);
    const progress = terminal.progress('bench');
    const onProgress = (share: number, way: string) => progress.update(share, way);
    const result = await benchPractice({ ...flags, latency, families, seed, signal, onProgress });
    terminal.end();
    if (!result) return { ok: false, result: {} };
    const whole = (value: number) => `${(100 * value).toFixed(0)} %`;
    tables.say(`PPO on ${families.join(', ')} with ${flags.sessions} sessions, from the base policy.`);
    if (latency > 0)
      tables.say(`Each turn waits ${latency} s longer on average; one in twenty waits three times as long.`);
    tables.add(
      ['schedule', 'iterations', 'trained turns/s', 'environment', 'inference', 'update', 'replay'],
      result.rows.map(({ way: schedule, iterations, turnsPerSecond, shares }) => [
        ...[schedule, String(iterations), turnsPerSecond.toFixed(1)],
        ...[shares.environment, shares.inference, shares.update, shares.replay].map(whole),
      ]),
    );
    tables.add(
      [`busy share of ${result.cores} cores`, 'engine and loop', 'browsers', 'total', 'target'],
      result.rows.map(({ way: schedule, busy }) => [
        schedule,
        ...[busy.own, busy.browsers, busy.own + busy.browsers].map(whole),
        '70 %',
      ]),
    );
    tables.say(`Overlapping rollouts train on ${times(result.ratio)} as many turns per second.`);
    await tables.append(
      flags.markdown,
      `gyre bench training --seconds ${flags.seconds}${latency > 0 ? ` --latency ${latency}` : ''}`,
    );
    return { ok: true, result: { ...result } };
  },
});
