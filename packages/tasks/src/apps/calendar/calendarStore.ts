import type { AppKind } from '../app.js';
import { dayAfter, mondayOf } from '../data/day.js';
import { newKey } from '../data/facts.js';
import type { calendarWords } from './calendarWords.js';

export const answers = ['yes', 'maybe', 'no'] as const;
export type Answer = (typeof answers)[number];

export interface Appointment {
  title: string;
  day: string;
  /** Minutes since midnight. */
  start: number;
  end: number;
  calendar: string;
  place: string;
  guests: string[];
  /** '' for an open invitation, `own` for the user's own appointments. */
  answer: Answer | '' | 'own';
}

export interface CalendarStore {
  today: string;
  appointments: Record<string, Appointment>;
  // eslint-disable-next-line gyre/vague-name -- a key of stored goals
  calendars: Record<string, { name: string; hue: number; shown: boolean }>;
  people: string[];
}

export interface CalendarForm {
  /** '' for a new appointment. */
  id: string;
  title: string;
  day: string;
  start: string;
  end: string;
  calendar: string;
  place: string;
  guests: string[];
  month: string;
}

export interface CalendarUi {
  view: 'week' | 'month';
  day: string;
  open: string;
  form?: CalendarForm | undefined;
  bad: boolean;
  dragged?: { id: string; x: number; y: number } | undefined;
  /** Suppresses the click that ends a drag. */
  moved: boolean;
}

export interface CalendarApp extends AppKind {
  store: CalendarStore;
  ui: CalendarUi;
  word: keyof typeof calendarWords;
}

export const firstHour = 7;
export const lastHour = 20;

export const weekOf = (day: string): string[] =>
  Array.from({ length: 7 }, (_, index) => dayAfter(mondayOf(day), index));

export function appointmentsOf({ appointments, calendars }: CalendarStore, day: string): [string, Appointment][] {
  return Object.entries(appointments)
    .filter(([, one]) => one.day === day && calendars[one.calendar]?.shown)
    .sort(([, a], [, b]) => a.start - b.start);
}

/** Parses `9:30` to minutes since midnight; undefined if invalid. */
function minutesOf(text: string): number | undefined {
  const [, hour, minute] = /^(\d{1,2})[:：](\d{2})$/.exec(text.trim()) ?? [];
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59) return undefined;
  return 60 * Number(hour) + Number(minute);
}

/** Returns false if the form is invalid. */
export function saveForm(store: CalendarStore, form: CalendarForm): boolean {
  const [start, end] = [minutesOf(form.start), minutesOf(form.end)];
  if (!form.title.trim() || start === undefined || end === undefined || start >= end) return false;
  const { id, day, calendar, guests } = form;
  const fields = { title: form.title.trim(), day, start, end, calendar, place: form.place.trim(), guests: [...guests] };
  const before = store.appointments[id];
  if (before) Object.assign(before, fields);
  else store.appointments[newKey(store.appointments)] = { ...fields, answer: 'own' };
  return true;
}
