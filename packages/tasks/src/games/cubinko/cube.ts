export const ways = ['ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowLeft'] as const;
export type Way = (typeof ways)[number];

export const stepOf: Readonly<Record<Way, { readonly across: number; readonly down: number }>> = {
  ArrowUp: { across: 0, down: -1 },
  ArrowRight: { across: 1, down: 0 },
  ArrowDown: { across: 0, down: 1 },
  ArrowLeft: { across: -1, down: 0 },
};

/** Destination of each side. */
const rollOf: Readonly<Record<Way, readonly number[]>> = {
  ArrowUp: [1, 5, 2, 0, 4, 3],
  ArrowRight: [2, 1, 5, 3, 0, 4],
  ArrowDown: [3, 0, 2, 5, 4, 1],
  ArrowLeft: [4, 1, 0, 3, 5, 2],
};

export const rolled = (faces: readonly number[], way: Way): number[] => rollOf[way].map((side) => faces[side] ?? 0);

/** All 24 orientations as faces by side; the first is 0..5. */
export const turns: readonly (readonly number[])[] = allTurns();

function allTurns(): number[][] {
  const orientations = [[0, 1, 2, 3, 4, 5]];
  const seen = new Set([orientations[0]?.join()]);
  for (const faces of orientations) {
    for (const direction of ways) {
      const next = rolled(faces, direction);
      if (seen.has(next.join())) continue;
      seen.add(next.join());
      orientations.push(next);
    }
  }
  return orientations;
}

const numbers = new Map(turns.map((faces, turn) => [faces.join(), turn]));

/** Next orientation, by orientation and way. */
export const afterRoll: readonly (readonly number[])[] = turns.map((faces) =>
  ways.map((way) => numbers.get(rolled(faces, way).join()) ?? 0),
);
