/** Words that every split shows, because there are no others for what they say. */

export const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** From Monday on. */
export const weekdays = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'] as const;

/** Keys by their names in canonical actions. */
export const keyNames = [
  'ctrl',
  'alt',
  'shift',
  'enter',
  'escape',
  'delete',
  'home',
  'end',
  'insert',
  'space',
] as const;

/** All of them in lower case. */
export const fixedWords: ReadonlySet<string> = new Set(
  [...months, ...weekdays, ...keyNames].map((word) => word.toLowerCase()),
);
