import type { FindAnswer } from '../../src/server/findWire.js';
import { read } from '../api.js';

export const find = (text: string, signal: AbortSignal): Promise<FindAnswer> =>
  read<FindAnswer>(`/api/find?${new URLSearchParams({ text }).toString()}`, signal);
