export const arrows = ['ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowLeft'] as const;
export type Arrow = (typeof arrows)[number];

/** Index offset in reading order. */
export const stepOf = (arrow: Arrow, columns: number): number =>
  arrow === 'ArrowUp' ? -columns : arrow === 'ArrowDown' ? columns : arrow === 'ArrowLeft' ? -1 : 1;

export const directionName = (arrow: Arrow): string => arrow.slice('Arrow'.length).toLowerCase();

export const arrowOf = (key: string): Arrow | undefined => arrows.find((arrow) => arrow === key);
