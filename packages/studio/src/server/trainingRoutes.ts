import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerAccess } from '@gyre/sandbox';
import type { FastifyInstance } from 'fastify';
import { checkpointsOf } from '../runs/checkpoints.js';
import { difficultiesOf } from '../runs/difficulties.js';
import { readJournal } from '../runs/runJournal.js';
import { runProgress } from '../runs/runProgress.js';
import { cyclesOf, familiesOf, summaryOf } from '../runs/runReport.js';
import { updatePoint, type UpdatePoint } from '../runs/updateLine.js';
import { allUpdates } from '../runs/updates.js';
import type { RunFolders } from './runFolders.js';
import type { DifficultyRow, RunSummary, TrainingAnswer } from './trainingWire.js';

interface Named {
  run: string;
}

/** Adds routes that read how runs train: a summary of each, and everything about one. */
export function trainingRoutes(
  app: FastifyInstance,
  { access, runs }: { readonly access: ServerAccess; readonly runs: RunFolders },
): void {
  const onRequest = access.may('watch');
  app.get<{ Params: Named }>('/api/runs/:run/summary', { onRequest }, async ({ params }): Promise<RunSummary> => {
    const { directory } = await runs.find(params.run);
    const [journal, updates] = [await readJournal(directory), await readUpdates(directory)];
    return { progress: await runProgress(directory, journal), ...summaryOf(journal, updates) };
  });
  app.get<{ Params: Named }>('/api/runs/:run/training', { onRequest }, async ({ params }): Promise<TrainingAnswer> => {
    const { name, directory } = await runs.find(params.run);
    const [journal, updates] = [await readJournal(directory), await readUpdates(directory)];
    return {
      ...{ name, directory, updates },
      progress: await runProgress(directory, journal),
      ...summaryOf(journal, updates),
      ...(journal?.seed !== undefined && { seed: journal.seed }),
      ...(journal && { settingsKey: journal.settingsKey }),
      ...(journal ? familiesOf(journal) : { families: [] }),
      cycles: journal ? cyclesOf(journal) : [],
      checkpoints: await checkpointsOf(directory, journal?.families ?? []),
    };
  });
  app.get<{ Params: Named }>(
    '/api/runs/:run/difficulties',
    { onRequest },
    async ({ params }): Promise<DifficultyRow[]> => {
      const { directory, lake } = await runs.open(params.run);
      return difficultiesOf(lake, await readUpdates(directory));
    },
  );
}

async function readUpdates(directory: string): Promise<UpdatePoint[]> {
  const text = await readFile(join(directory, 'updates.jsonl'), 'utf8').catch(() => '');
  return allUpdates(text.split('\n').flatMap((line) => updatePoint(line) ?? []));
}
