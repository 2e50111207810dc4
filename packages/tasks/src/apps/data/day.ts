import type { Language } from './lexicon.js';

/* Days are texts such as `2026-03-09`: plain data that sorts by itself and needs no clock. */

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const weekdays = { en: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'], zh: [...'一二三四五六日'] } as const;

const dateOf = (day: string) => new Date(`${day}T00:00:00Z`);

export function dayAfter(day: string, days: number): string {
  const date = dateOf(day);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** 0 is Monday. */
export const weekdayOf = (day: string): number => (dateOf(day).getUTCDay() + 6) % 7;

export const mondayOf = (day: string): string => dayAfter(day, -weekdayOf(day));

/** `Mar 9` or `3月9日`. */
export function dayText(day: string, language: Language): string {
  const [, month = '1', date = '1'] = day.split('-');
  return language === 'en' ? `${months[Number(month) - 1]} ${Number(date)}` : `${Number(month)}月${Number(date)}日`;
}

/** `Mar 2026` or `2026年3月`. */
export function monthText(day: string, language: Language): string {
  const [year = '', month = '1'] = day.split('-');
  return language === 'en' ? `${months[Number(month) - 1]} ${year}` : `${year}年${Number(month)}月`;
}

export function weekdayText(day: number, language: Language): string {
  return language === 'en' ? (weekdays.en[day] ?? '') : `周${weekdays.zh[day]}`;
}

/** Formats minutes since midnight. */
export function timeText(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

/** Returns the first day of the month `by` months later. */
export function monthAfter(day: string, by: number): string {
  const date = dateOf(`${day.slice(0, 7)}-01`);
  date.setUTCMonth(date.getUTCMonth() + by);
  return date.toISOString().slice(0, 10);
}
