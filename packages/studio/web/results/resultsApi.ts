import type { CompareAnswer, ResultsAnswer } from '../../src/server/resultsWire.js';
import { read } from '../api.js';

export const readResults = (split: 'test' | 'dev', signal: AbortSignal) =>
  read<ResultsAnswer>(`/api/results?split=${split}`, signal);

export const readComparison = (
  terms: { readonly split: string; readonly before: string; readonly after: string },
  signal: AbortSignal,
) => read<CompareAnswer>(`/api/results/compare?${new URLSearchParams(terms).toString()}`, signal);
