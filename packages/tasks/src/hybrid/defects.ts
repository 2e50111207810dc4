import type { Cast } from '../family/machine/cast.js';

export interface Defect {
  readonly name: string;
  readonly wrong: string;
  readonly right: string;
  readonly example: readonly unknown[];
  /** Draws arguments of a hidden case. */
  draw(cast: Cast): readonly unknown[];
  /** Reference implementation. */
  readonly reference: (...args: readonly unknown[]) => unknown;
}

const numbers = (cast: Cast, count: number) => Array.from({ length: count }, () => cast.between(1, 99));
const words = (cast: Cast, count: number) =>
  Array.from({ length: count }, () => cast.pick(['red', 'blue', 'old', 'new', 'big', 'small', 'north', 'south'])).join(
    ' ',
  );

function defect(
  name: string,
  source: (piece: string) => string,
  [wrong, right]: readonly [string, string],
  more: Pick<Defect, 'example' | 'draw' | 'reference'>,
): Defect {
  return { name, wrong: source(wrong), right: source(right), ...more };
}

const defects: { readonly both: readonly Defect[]; readonly heldOut: readonly Defect[] } = {
  both: [
    defect(
      'discount',
      (piece) =>
        `/** A price in cents after a discount in percent, rounded down. */\nexport function discount(cents, percent) {\n  return Math.floor(${piece});\n}\n`,
      ['cents - percent', '(cents * (100 - percent)) / 100'],
      {
        example: [2_000, 25],
        draw: (cast) => [cast.between(100, 90_000), cast.between(5, 60)],
        reference: (cents, percent) => Math.floor((Number(cents) * (100 - Number(percent))) / 100),
      },
    ),
    defect(
      'slug',
      (piece) =>
        `/** A title as it stands in an address: small letters, and dashes for spaces. */\nexport function slug(title) {\n  return title.toLowerCase().${piece}(' ', '-');\n}\n`,
      ['replace', 'replaceAll'],
      {
        example: ['A Red House'],
        draw: (cast) => [words(cast, cast.between(3, 5))],
        reference: (title) => String(title).toLowerCase().replaceAll(' ', '-'),
      },
    ),
    defect(
      'largest',
      (piece) =>
        `/** The largest of several numbers. */\nexport function largest(numbers) {\n  let found = numbers[0];\n  for (const number of numbers) if (number ${piece} found) found = number;\n  return found;\n}\n`,
      ['<', '>'],
      {
        example: [[3, 8, 5]],
        draw: (cast) => [numbers(cast, cast.between(4, 8))],
        reference: (all) => Math.max(...(all as number[])),
      },
    ),
    defect(
      'totalOf',
      (piece) =>
        `/** The sum of price times count over the lines of an order, each [price, count]. */\nexport function totalOf(lines) {\n  return lines.reduce((total, [price, count]) => total + price ${piece} count, 0);\n}\n`,
      ['+', '*'],
      {
        example: [
          [
            [5, 3],
            [7, 2],
          ],
        ],
        draw: (cast) => [Array.from({ length: cast.between(2, 5) }, () => [cast.between(2, 90), cast.between(3, 9)])],
        reference: (lines) => (lines as [number, number][]).reduce((total, [price, count]) => total + price * count, 0),
      },
    ),
    defect(
      'initials',
      (piece) =>
        `/** The first letters of a name, as capitals. */\nexport function initials(name) {\n  return name.split(' ').map((part) => part${piece}).join('').toUpperCase();\n}\n`,
      ['.at(-1)', '.at(0)'],
      {
        example: ['ada king'],
        draw: (cast) => [words(cast, cast.between(2, 4))],
        reference: (name) =>
          String(name)
            .split(' ')
            .map((part) => part.at(0))
            .join('')
            .toUpperCase(),
      },
    ),
  ],
  heldOut: [
    defect(
      'median',
      (piece) =>
        `/** The middle one of an odd count of numbers. */\nexport function median(numbers) {\n  const sorted = [...numbers]${piece};\n  return sorted[(sorted.length - 1) / 2];\n}\n`,
      ['', '.sort((a, b) => a - b)'],
      {
        example: [[9, 1, 100, 4, 7]],
        draw: (cast) => [numbers(cast, 2 * cast.between(2, 4) + 1)],
        reference: (all) => [...(all as number[])].sort((a, b) => a - b)[((all as number[]).length - 1) / 2],
      },
    ),
    defect(
      'between',
      (piece) =>
        `/** A value that is kept from low to high. */\nexport function between(value, low, high) {\n  return ${piece};\n}\n`,
      ['Math.max(high, Math.min(low, value))', 'Math.min(high, Math.max(low, value))'],
      {
        example: [4, 1, 9],
        draw: (cast) => [cast.between(-50, 150), 10, 90],
        reference: (value, low, high) => Math.min(Number(high), Math.max(Number(low), Number(value))),
      },
    ),
    defect(
      'shorten',
      (piece) =>
        `/** A text of at most \`most\` characters; one that is longer is cut, and ends in three dots. */\nexport function shorten(text, most) {\n  return text.length ${piece} most ? text : text.slice(0, most - 3) + '...';\n}\n`,
      ['<', '<='],
      {
        example: ['exact', 5],
        draw: (cast) => {
          const text = words(cast, cast.between(3, 5));
          return [text, text.length - cast.between(0, 4)];
        },
        reference: (text, limit) =>
          String(text).length <= Number(limit) ? text : `${String(text).slice(0, Number(limit) - 3)}...`,
      },
    ),
  ],
};

/** Draws a defect; the split `test` often gets a held-out one. */
export const drawDefect = (cast: Cast): Defect =>
  cast.pick(cast.split === 'test' && cast.random.chance(0.6) ? defects.heldOut : defects.both);
