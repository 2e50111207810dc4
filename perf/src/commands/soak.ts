import { command, positive, Tables, toggle } from 'gyre';
import { markdown, mebibytes } from './figures.js';

export const soak = command({
  examples: ['gyre bench soak --minutes 20 --seed 3', 'gyre bench soak --minutes 5 --attacked'],
  flags: {
    minutes: positive('minutes to run', { default: 20 }),
    attacked: toggle('also attack sessions from their shells and pages'),
    markdown,
  },
  async run({ minutes, attacked, markdown }, { terminal, signal, seed }) {
    const { soak: run } = await import('../platform/soak.js');
    const tables = new Tables(terminal);
    const progress = terminal.progress('soak');
    const result = await run(minutes, seed, {
      signal,
      attacked,
      onProgress: (share, message) => progress.update(share, message),
    });
    terminal.end();
    const { left: leaks, resident, faults } = result;
    tables.add(
      ['leases', 'actions', 'kills', 'attacks', 'broken', 'expired', 'faults'],
      [
        [result.leases, result.actions, result.kills, result.attacks, result.broken, result.expired, faults.length].map(
          String,
        ),
      ],
    );
    tables.add(
      ['left behind: processes', 'mounts', 'descriptors', 'files', 'memory before', 'after'],
      [
        [
          ...[leaks.processes, leaks.mounts, leaks.descriptors, leaks.files].map(String),
          ...[resident.before, resident.after].map(mebibytes),
        ],
      ],
    );
    for (const fault of faults) tables.say(`fault: ${fault}`);
    await tables.append(
      markdown,
      `gyre bench soak --minutes ${minutes}${attacked ? ' --attacked' : ''} --seed ${seed}`,
    );
    const clean = Object.values(leaks).every((count) => count <= 0);
    return { ok: clean && faults.length === 0, result: { ...result } };
  },
});
