/** A number, month and year that a string names. */
export interface Quantities {
  readonly number?: number;
  /** 1 to 12. */
  readonly month?: number;
  readonly year?: number;
}

export const quantityNames = ['number', 'month', 'year'] as const;

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const fullMonths =
  /\b(january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?/i;

/** Reads the quantities of a short string in English or Chinese: `12`, `¥3.50`, `31 August 2029`, `2029年8月`. */
export function quantitiesOf(text: string): Quantities {
  if (text.length > 40) return {};
  const plain = text.normalize('NFKC');
  const named = fullMonths.exec(plain)?.[1];
  const chinese = /(\d{1,2})\s*月/.exec(plain)?.[1];
  const iso = /\b((?:19|20)\d\d)[-/](\d{1,2})(?:[-/](\d{1,2}))?\b/.exec(plain);
  const month = named ? months.indexOf(named.slice(0, 3).toLowerCase()) + 1 : Number(chinese ?? iso?.[2] ?? NaN);
  const year = Number(/(?:^|\D)((?:19|20)\d\d)(?:\D|$)/.exec(plain)?.[1] ?? NaN);
  const isDate = month >= 1 && month <= 12;
  const rest = plain
    .replace(isDate ? /(?:19|20)\d\d\s*年?|\d{1,2}\s*月/g : /$^/, ' ')
    .replace(iso ? iso[0] : '\0', iso?.[3] ?? ' ');
  const numbers = rest.match(/-?\d+(?:[.,]\d+)*/g) ?? [];
  const [only] = numbers;
  const value = numbers.length === 1 && only !== undefined ? Number(only.replace(/,/g, '')) : NaN;
  return {
    ...(Number.isFinite(value) && { number: value }),
    ...(isDate && { month }),
    ...(Number.isFinite(year) && { year }),
  };
}

/** Number of features of one string. */
export const quantityWidth = 9;

/** Writes which quantities there are, and their size on a coarse and a fine scale. */
export function writeQuantities({ number, month, year }: Quantities, into: Float32Array, offset: number): void {
  if (number !== undefined) {
    into[offset] = 1;
    into[offset + 1] = Math.sign(number) * Math.min(1, Math.log1p(Math.abs(number)) / 8);
    into[offset + 2] = Math.max(-1, Math.min(1, number / 31));
    into[offset + 3] = Math.abs(number % 10) / 10;
    into[offset + 4] = Number.isInteger(number) ? 0 : 1;
  }
  if (month !== undefined) {
    into[offset + 5] = 1;
    into[offset + 6] = month / 12;
  }
  if (year !== undefined) {
    into[offset + 7] = 1;
    into[offset + 8] = (year - 2026) / 10;
  }
}
