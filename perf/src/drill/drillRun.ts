export const drillStages = 12;

export function valueAfter(stages: number): number {
  let value = 0;
  for (let number = 1; number <= stages; number++) value = 2 * value + number;
  return value;
}
