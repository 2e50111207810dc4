/** Keys that move something on a grid, by the ways that they move it. */
export const arrows = ['ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowLeft'] as const;
export type Arrow = (typeof arrows)[number];

/** How far a way leads on a grid whose cells are numbered in reading order. */
export const stepOf = (arrow: Arrow, columns: number): number =>
  arrow === 'ArrowUp' ? -columns : arrow === 'ArrowDown' ? columns : arrow === 'ArrowLeft' ? -1 : 1;

/** The way's name in words: `up`. */
export const wayOf = (arrow: Arrow): string => arrow.slice('Arrow'.length).toLowerCase();

export const arrowOf = (key: string): Arrow | undefined => arrows.find((arrow) => arrow === key);
