import type { Sweep } from '@gyre/training';
import { share } from '../terminal/resultTable.js';

export function sweepTable({ test }: Pick<Sweep, 'test'>): [header: string[], rows: string[][]] {
  const families = test[0]?.results.map(({ family }) => family) ?? [];
  const cell = (family: string) =>
    test.map(({ results }) => {
      const result = results.find((one) => one.family === family);
      return result ? share(result) : '';
    });
  return [
    ['family', ...test.map(({ policy }) => policy)],
    [
      ...families.map((family) => [family, ...cell(family)]),
      [`mean of ${families.length}`, ...test.map(({ mean }) => `${(100 * mean).toFixed(1)} %`)],
    ],
  ];
}
