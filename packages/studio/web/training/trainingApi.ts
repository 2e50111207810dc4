import type { DifficultyRow, RunSummary, TrainingAnswer } from '../../src/server/trainingWire.js';
import { pathOf, read } from '../api.js';

export const readTraining = (run: string, signal: AbortSignal) =>
  read<TrainingAnswer>(`${pathOf(run)}/training`, signal);
export const readSummary = (run: string, signal: AbortSignal) => read<RunSummary>(`${pathOf(run)}/summary`, signal);
export const readDifficulties = (run: string, signal: AbortSignal) =>
  read<DifficultyRow[]>(`${pathOf(run)}/difficulties`, signal);
