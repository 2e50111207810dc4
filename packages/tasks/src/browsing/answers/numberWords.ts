const ones =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

const values = new Map<string, number>([
  ...ones.map((word, value): [string, number] => [word, value]),
  ...tens.map((word, index): [string, number] => [word, 20 + 10 * index]),
]);
const scales = new Map([
  ['thousand', 1_000],
  ['million', 1_000_000],
]);

/** Replaces lower-case number words ("two hundred and five") by digits. */
export function withDigits(words: readonly string[]): string[] {
  const out: string[] = [];
  for (let index = 0; index < words.length;) {
    const read = numberAt(words, index);
    if (read) out.push(String(read.value));
    else out.push(words[index]!);
    index = read ? read.next : index + 1;
  }
  return out;
}

function numberAt(words: readonly string[], start: number): { value: number; next: number } | undefined {
  let total = 0;
  let part: number | undefined;
  let minScale = Infinity;
  let position = start;
  for (; position < words.length; position++) {
    const word = words[position]!;
    const value = values.get(word);
    const scale = scales.get(word);
    if (value !== undefined) {
      // "twenty one" is one number; "one twenty" and "one two" are two.
      const rest = part === undefined ? 0 : part % 100;
      const joins =
        part === undefined || (rest === 0 && part >= 100) || (rest >= 20 && rest % 10 === 0 && value > 0 && value < 10);
      if (!joins) break;
      part = (part ?? 0) + value;
    } else if (word === 'hundred' && part !== undefined && part > 0 && part < 100) part *= 100;
    else if (scale !== undefined && part !== undefined && scale < minScale) {
      total += part * scale;
      part = undefined;
      minScale = scale;
    } else if (
      word === 'and' &&
      isPart(words[position + 1]) &&
      /^(hundred|thousand|million)$/.test(words[position - 1] ?? '')
    )
      continue;
    else break;
  }
  return position === start ? undefined : { value: total + (part ?? 0), next: position };
}

function isPart(word: string | undefined): boolean {
  return word !== undefined && values.has(word);
}

/** Spells out a number below 10^9, as `withDigits` parses it. */
export function inWords(value: number): string {
  if (value < 20) return ones[value] ?? '';
  if (value < 100) return `${tens[Math.floor(value / 10) - 2]}${value % 10 === 0 ? '' : `-${ones[value % 10]}`}`;
  const [size, name] =
    value < 1_000 ? [100, 'hundred'] : value < 1_000_000 ? [1_000, 'thousand'] : ([1_000_000, 'million'] as const);
  const rest = value % size;
  const joint = rest === 0 ? '' : rest < 100 ? ` and ${inWords(rest)}` : ` ${inWords(rest)}`;
  return `${inWords(Math.floor(value / size))} ${name}${joint}`;
}
