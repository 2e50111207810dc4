import { type XMode, xModes } from '../../src/charts/trainingPanels.js';
import { textIn } from '../parts/search.js';

export interface TrainingSearch {
  x?: XMode;
  /** Weight of the past, in percent. */
  smooth?: number;
  /** Other runs, in the same diagrams. */
  with?: string[];
  seeds?: true;
}

/** Reads from the address what the diagrams show. */
export function trainingSearch(search: Record<string, unknown>): TrainingSearch {
  const smooth = Number(search.smooth);
  const others = [search.with]
    .flat()
    .map(textIn)
    .filter((name) => name !== '');
  return {
    ...(xModes.some((mode) => mode === search.x) && { x: search.x as XMode }),
    ...(Number.isInteger(smooth) && smooth > 0 && smooth < 100 && { smooth }),
    ...(others.length > 0 && { with: others }),
    ...(search.seeds === true && { seeds: true }),
  };
}
