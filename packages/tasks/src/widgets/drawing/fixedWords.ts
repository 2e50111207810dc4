/** Words that every split shows, as they have no synonyms. */

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

/** Monday first. */
export const weekdays = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'] as const;

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

/** All of these in lower case. */
export const fixedWords: ReadonlySet<string> = new Set(
  [...months, ...weekdays, ...keyNames].map((word) => word.toLowerCase()),
);
