/** Words that appear in every split, as they have no synonyms. */

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

export const weekdays = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'] as const;

const keyNames = ['ctrl', 'alt', 'shift', 'enter', 'escape', 'delete', 'home', 'end', 'insert', 'space'] as const;

export const fixedWords: ReadonlySet<string> = new Set(
  [...months, ...weekdays, ...keyNames].map((word) => word.toLowerCase()),
);
