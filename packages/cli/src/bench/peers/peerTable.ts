import { table } from '../../table.js';
import type { PeerRow } from './peers.js';

/** The peers as a table for a terminal, and below it what to install and what went wrong. */
export function peerTable(rows: readonly PeerRow[]): string[] {
  const header = ['peer', 'version', 'threads', 'batch', 'step', 'to gyre', 'inference', 'losses differ by'];
  const cells = rows.map((row) => [
    row.name,
    ...('missing' in row
      ? ['not installed']
      : 'failed' in row
        ? ['failed']
        : [
            row.version,
            String(row.threads),
            String(row.batch),
            `${row.msPerStep.toFixed(0)} ms`,
            `${row.ratio.toFixed(2)}x`,
            `${row.inferenceMs.toFixed(1)} ms`,
            row.lossDifference.toExponential(1),
          ]),
  ]);
  const remarks = rows.flatMap((row) =>
    'missing' in row
      ? [`${row.name} is not installed: \`${row.missing}\``]
      : 'failed' in row
        ? [`${row.name} failed: ${row.failed}`]
        : [],
  );
  return [...table(header, cells), ...remarks];
}
