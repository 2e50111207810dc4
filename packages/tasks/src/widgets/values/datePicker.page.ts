import type { PageVerifier } from '../../family/pageVerifier.js';
import { named, onPress, point, scoreParts, turn } from '../parts.js';

export interface DatePickerArgument {
  /** The initial month, 0..11. */
  readonly start: { readonly year: number; readonly month: number };
  readonly target: { readonly year: number; readonly month: number; readonly day: number };
  /** Whether weeks start on Sunday. */
  readonly sunday: boolean;
  readonly today: number;
  readonly months: readonly string[];
}

export default function datePickerVerifier({ start, target, sunday, today, months }: DatePickerArgument): PageVerifier {
  const first = start.year * 12 + start.month;
  const goal = target.year * 12 + target.month;
  let current = first;
  let chosen: { year: number; month: number; day: number } | undefined;
  const blanks = (month: number) => {
    const weekday = new Date(Date.UTC(Math.floor(month / 12), month % 12, 1)).getUTCDay();
    return (weekday + (sunday ? 0 : 6)) % 7;
  };
  const daysIn = (month: number) => new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).getUTCDate();

  const draw = () => {
    named('title').textContent = `${months[current % 12]} ${Math.floor(current / 12)}`;
    for (let cell = 0; cell < 42; cell++) {
      const day = cell - blanks(current) + 1;
      const element = named(`day-${cell}`);
      const exists = day >= 1 && day <= daysIn(current);
      element.textContent = exists ? String(day) : '';
      element.classList.toggle('blank', !exists);
      element.classList.toggle('today', current === first && day === today);
      element.classList.toggle('pressed', day === chosen?.day);
    }
  };
  onPress((name) => {
    if (chosen) return;
    if (name === 'go-before') current--;
    if (name === 'go-after') current++;
    if (name.startsWith('day-')) {
      const day = Number(name.split('-')[1]) - blanks(current) + 1;
      if (day >= 1 && day <= daysIn(current)) chosen = { year: Math.floor(current / 12), month: current % 12, day };
    }
    draw();
  });
  draw();

  return {
    read: scoreParts({
      parts: () => ({ month: current === goal, day: current === goal && chosen?.day === target.day }),
      done: () => chosen !== undefined,
      evidence: () => ({ shown: { year: Math.floor(current / 12), month: current % 12 }, chosen: chosen ?? null }),
    }),
    solve() {
      if (chosen) return [];
      const now = named('title').textContent;
      if (current === goal) {
        const cell = blanks(current) + target.day - 1;
        return turn(`${now} shows: choose ${target.day}`, { type: 'click', point: point(`day-${cell}`) });
      }
      const direction = current < goal ? 'after' : 'before';
      return turn(`${now} shows: go to the month ${direction} it`, { type: 'click', point: point(`go-${direction}`) });
    },
  };
}
