import type { PeerRow } from './peers.js';

export interface PeerTable {
  readonly header: readonly string[];
  readonly cells: readonly (readonly string[])[];
  readonly remarks: readonly string[];
}

export function peerTable(rows: readonly PeerRow[]): PeerTable {
  const header = ['peer', 'version', 'threads', 'batch', 'step', 'vs gyre', 'inference', 'loss difference'];
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
  return { header, cells, remarks };
}
