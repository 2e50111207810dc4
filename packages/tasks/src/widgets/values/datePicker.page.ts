import type { Verifier } from '../../family/verifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface DatePickerArgument {
  /** The month that shows at first, 0..11. */
  readonly start: { readonly year: number; readonly month: number };
  readonly target: { readonly year: number; readonly month: number; readonly day: number };
  /** Does a week begin on Sunday? */
  readonly sunday: boolean;
  /** The day of the first month that is marked. */
  readonly today: number;
  readonly months: readonly string[];
}

/** Keeps which month shows and which day was chosen. */
export default function datePickerVerifier({ start, target, sunday, today, months }: DatePickerArgument): Verifier {
  const first = start.year * 12 + start.month;
  const wanted = target.year * 12 + target.month;
  let shown = first;
  let chosen: { year: number; month: number; day: number } | undefined;
  /** Cells before the 1st of a month. */
  const blanks = (month: number) => {
    const weekday = new Date(Date.UTC(Math.floor(month / 12), month % 12, 1)).getUTCDay();
    return (weekday + (sunday ? 0 : 6)) % 7;
  };
  const daysIn = (month: number) => new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).getUTCDate();

  const draw = () => {
    named('title').textContent = `${months[shown % 12]} ${Math.floor(shown / 12)}`;
    for (let cell = 0; cell < 42; cell++) {
      const day = cell - blanks(shown) + 1;
      const element = named(`day-${cell}`);
      const exists = day >= 1 && day <= daysIn(shown);
      element.textContent = exists ? String(day) : '';
      element.classList.toggle('blank', !exists);
      element.classList.toggle('today', shown === first && day === today);
      element.classList.toggle('pressed', day === chosen?.day);
    }
  };
  onPress((name) => {
    if (chosen) return;
    if (name === 'go-before') shown--;
    if (name === 'go-after') shown++;
    if (name.startsWith('day-')) {
      const day = Number(name.split('-')[1]) - blanks(shown) + 1;
      if (day >= 1 && day <= daysIn(shown)) chosen = { year: Math.floor(shown / 12), month: shown % 12, day };
    }
    draw();
  });
  draw();

  return {
    read: scoreParts({
      parts: () => ({ month: shown === wanted, day: shown === wanted && chosen?.day === target.day }),
      done: () => chosen !== undefined,
      evidence: () => ({ shown: { year: Math.floor(shown / 12), month: shown % 12 }, chosen: chosen ?? null }),
    }),
    solve() {
      if (chosen) return [];
      const now = named('title').textContent;
      if (shown === wanted) {
        const cell = blanks(shown) + target.day - 1;
        return turn(`${now} shows: choose ${target.day}`, { type: 'click', point: point(`day-${cell}`) });
      }
      const way = shown < wanted ? 'after' : 'before';
      return turn(`${now} shows: go to the month ${way} it`, { type: 'click', point: point(`go-${way}`) });
    },
  };
}
