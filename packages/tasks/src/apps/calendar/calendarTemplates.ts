import type { Draft, Template } from '../appFamily.js';
import { dayAfter, dayText, timeText, weekdayOf, weekdayText } from '../data/day.js';
import {
  type Answer,
  type Appointment,
  type CalendarApp,
  type CalendarStore,
  answers,
  weekOf,
} from './calendarStore.js';

type CalendarDraft = Draft<CalendarApp>;

const set = (id: string, change: Partial<Appointment>) => (store: CalendarStore) =>
  Object.assign(store.appointments[id] ?? {}, change);

function pick({ random, store }: CalendarDraft, fits: (one: Appointment) => boolean = () => true) {
  const days = [...weekOf(store.today), ...weekOf(dayAfter(store.today, 7))];
  const candidates = Object.entries(store.appointments).filter(([, one]) => days.includes(one.day) && fits(one));
  return candidates.length > 0 ? random.pick(candidates) : undefined;
}

function freeTime({ random, store }: CalendarDraft, minutes: number, days: readonly string[]) {
  for (let attempt = 0; attempt < 60; attempt++) {
    const day = random.pick(days);
    const start = random.between(15, 34) * 30;
    const end = start + minutes;
    const isTaken = Object.values(store.appointments).some(
      (one) => one.day === day && one.start < end && one.end > start,
    );
    if (!isTaken) return { day, start, end };
  }
  return undefined;
}

const formatDay = ({ language }: CalendarDraft, day: string) =>
  language === 'en'
    ? `${weekdayText(weekdayOf(day), language)}, ${dayText(day, language)}`
    : `${dayText(day, language)}（${weekdayText(weekdayOf(day), language)}）`;

const near = ({ store }: CalendarDraft) => [...weekOf(store.today), ...weekOf(dayAfter(store.today, 7))];

function fresh({ store }: CalendarDraft, change: Pick<Appointment, 'title' | 'day' | 'start' | 'end'>): Appointment {
  return { calendar: Object.keys(store.calendars)[0] ?? '', place: '', guests: [], answer: 'own', ...change };
}

export const calendarTemplates: readonly Template<CalendarApp>[] = [
  {
    name: 'hide',
    description: 'Hide a calendar.',
    difficulty: 1,
    steps: 2,
    en: [
      'Hide the calendar {calendar}.',
      'The events of {calendar} should not be shown.',
      'Take the tick off the calendar {calendar}.',
    ],
    zh: ['隐藏日历{calendar}。', '不要显示{calendar}的日程。', '取消勾选日历{calendar}。'],
    make({ random, store }) {
      const [id, { name }] = random.pick(Object.entries(store.calendars));
      return { texts: { calendar: name }, goal: (aim) => (aim.calendars[id]!.shown = false) };
    },
  },
  {
    name: 'answer',
    description: 'Respond to an invitation.',
    difficulty: 2,
    steps: 5,
    en: [
      'Answer {answer} to the invitation {title} on [day].',
      'You are invited to {title} on [day]. Choose {answer}.',
      'For {title} on [day], the answer is {answer}.',
    ],
    zh: [
      '对[day]的邀请{title}选择{answer}。',
      '你被邀请参加[day]的{title}，请选{answer}。',
      '[day]的{title}，回复{answer}。',
    ],
    make(draft) {
      const [id, appointment] = pick(draft, ({ answer }) => answer !== 'own') ?? [];
      if (!id || !appointment) return undefined;
      const answer = draft.random.pick(answers.filter((other) => other !== appointment.answer));
      return {
        texts: { title: appointment.title, day: formatDay(draft, appointment.day), answer: draft.words[answer] },
        goal: set(id, { answer }),
      };
    },
  },
  {
    name: 'delete',
    description: 'Delete an appointment.',
    difficulty: 2,
    steps: 5,
    en: [
      'Delete {title} on [day].',
      'The event {title} on [day] does not take place; delete it.',
      'Remove {title} from [day].',
    ],
    zh: ['删除[day]的{title}。', '[day]的日程{title}取消了，请删除。', '把{title}从[day]移除。'],
    make(draft) {
      const [id, appointment] = pick(draft) ?? [];
      if (!id || !appointment) return undefined;
      return {
        texts: { title: appointment.title, day: formatDay(draft, appointment.day) },
        goal: (store) => delete store.appointments[id],
      };
    },
  },
  {
    name: 'rename',
    description: 'Change the title of an appointment.',
    difficulty: 3,
    steps: 9,
    en: [
      'Rename {title} on [day] to {name}.',
      'The event {title} on [day] should be called {name}.',
      'Change the title of {title} on [day] to {name}.',
    ],
    zh: ['把[day]的{title}改名为{name}。', '[day]的日程{title}应叫{name}。', '将[day]的{title}标题改为{name}。'],
    make(draft) {
      const [id, appointment] = pick(draft) ?? [];
      if (!id || !appointment) return undefined;
      const name = draft.pen.topic();
      return {
        texts: { title: appointment.title, day: formatDay(draft, appointment.day), name },
        goal: set(id, { title: name }),
      };
    },
  },
  {
    name: 'place',
    description: 'Set the location of an appointment.',
    difficulty: 3,
    steps: 9,
    en: [
      'Set the place of {title} on [day] to {place}.',
      '{title} on [day] takes place at {place}. Enter that.',
      'The event {title} on [day] moves to {place}: change its place only.',
    ],
    zh: [
      '把[day]的{title}的地点设为{place}。',
      '[day]的{title}在{place}举行，请填写。',
      '[day]的日程{title}改在{place}：只修改地点。',
    ],
    make(draft) {
      const [id, appointment] = pick(draft) ?? [];
      if (!id || !appointment) return undefined;
      const place = draft.pen.word('place');
      if (place === appointment.place) return undefined;
      return {
        texts: { title: appointment.title, day: formatDay(draft, appointment.day), place },
        goal: set(id, { place }),
      };
    },
  },
  {
    name: 'moveTime',
    description: 'Move an appointment to another time on the same day.',
    difficulty: 3,
    steps: 10,
    en: [
      'Move {title} on [day] to [start], for as long as before.',
      '{title} on [day] now begins at [start] and takes as long as before.',
    ],
    zh: ['把[day]的{title}改到[start]开始，时长不变。', '[day]的{title}现在[start]开始，时长和原来一样。'],
    make(draft) {
      const [id, appointment] = pick(draft) ?? [];
      if (!id || !appointment) return undefined;
      const time = freeTime(draft, appointment.end - appointment.start, [appointment.day]);
      if (!time) return undefined;
      return {
        texts: { title: appointment.title, day: formatDay(draft, appointment.day), start: timeText(time.start) },
        goal: set(id, time),
      };
    },
  },
  {
    name: 'moveDay',
    description: 'Move an appointment to another day at the same time.',
    difficulty: 3,
    steps: 10,
    en: [
      'Move {title} from [day] to [target], at the same time.',
      '{title} is not on [day] but on [target]; the time stays the same.',
      'Put {title} ([day]) off to [target], same time.',
    ],
    zh: [
      '把{title}从[day]移到[target]，时间不变。',
      '{title}不在[day]，改为[target]，时间相同。',
      '将[day]的{title}改期到[target]，同一时间。',
    ],
    make(draft) {
      const { store } = draft;
      const [id, appointment] = pick(draft) ?? [];
      if (!id || !appointment) return undefined;
      const day = draft.random.pick(near(draft).filter((other) => other !== appointment.day));
      const isTaken = Object.values(store.appointments).some(
        (other) => other.day === day && other.start < appointment.end && other.end > appointment.start,
      );
      if (isTaken) return undefined;
      return {
        texts: { title: appointment.title, day: formatDay(draft, appointment.day), target: formatDay(draft, day) },
        goal: set(id, { day }),
      };
    },
  },
  {
    name: 'invite',
    description: 'Invite a guest to an appointment.',
    difficulty: 3,
    steps: 8,
    en: [
      'Add {person} as a guest to {title} on [day].',
      'Invite {person} to {title} on [day].',
      '{person} comes to {title} on [day] as well: add the guest.',
    ],
    zh: [
      '把{person}加为[day]的{title}的参与人。',
      '邀请{person}参加[day]的{title}。',
      '{person}也参加[day]的{title}，请添加。',
    ],
    make(draft) {
      const [id, appointment] = pick(draft) ?? [];
      if (!id || !appointment) return undefined;
      const person = draft.random.pick(draft.store.people.filter((other) => !appointment.guests.includes(other)));
      return {
        texts: { title: appointment.title, day: formatDay(draft, appointment.day), person },
        goal: set(id, { guests: [...appointment.guests, person].sort() }),
      };
    },
  },
  {
    name: 'create',
    description: 'Create an appointment with a title, a day and a time.',
    difficulty: 3,
    steps: 13,
    en: [
      'Create the event {title} on [day] from [start] to [end].',
      'Add {title} to the calendar: [day], [start] to [end].',
      'Plan {title} for [day], [start] to [end].',
    ],
    zh: [
      '新建日程{title}，[day]，[start]到[end]。',
      '在日历里添加{title}：[day][start]至[end]。',
      '安排{title}：[day]，[start]到[end]。',
    ],
    make(draft) {
      const time = freeTime(draft, draft.random.pick([30, 60, 90]), near(draft));
      if (!time) return undefined;
      const title = draft.pen.topic();
      return {
        texts: { title, day: formatDay(draft, time.day), start: timeText(time.start), end: timeText(time.end) },
        goal: (store) => (store.appointments.new1 = fresh(draft, { title, ...time })),
      };
    },
  },
  {
    name: 'createWhole',
    description: 'Create an appointment with a location, a calendar and a guest.',
    difficulty: 4,
    steps: 20,
    en: [
      'Create {title} on [day] from [start] to [end] at {place} in the calendar {calendar}, with the guest {person}.',
      'Add the event {title}: [day], [start] to [end], place {place}, calendar {calendar}, guest {person}.',
    ],
    zh: [
      '新建日程{title}，[day][start]到[end]，地点{place}，日历{calendar}，参与人{person}。',
      '添加{title}：[day]，[start]至[end]，在{place}，归入日历{calendar}，邀请{person}。',
    ],
    make(draft) {
      const { random, store, pen } = draft;
      const time = freeTime(draft, random.pick([30, 60, 90]), near(draft));
      if (!time) return undefined;
      const [title, place, person] = [pen.topic(), pen.word('place'), random.pick(store.people)];
      const [calendar, { name }] = random.pick(Object.entries(store.calendars));
      return {
        texts: {
          ...{ title, place, person, calendar: name, day: formatDay(draft, time.day) },
          ...{ start: timeText(time.start), end: timeText(time.end) },
        },
        goal: (aim) =>
          (aim.appointments.new1 = { ...fresh(draft, { title, ...time }), place, calendar, guests: [person] }),
      };
    },
  },
  {
    name: 'clearDay',
    description: 'Delete all appointments on a day.',
    difficulty: 3,
    steps: 12,
    en: [
      'Delete all events on [day].',
      'Clear [day]: delete every event of that day.',
      'I am ill on [day]. Delete everything on it.',
    ],
    zh: ['删除[day]的所有日程。', '清空[day]：删除当天的每个日程。', '[day]我生病了，请删除当天的全部日程。'],
    make(draft) {
      const [, appointment] = pick(draft) ?? [];
      const sameDay = Object.entries(draft.store.appointments).filter(([, { day }]) => day === appointment?.day);
      if (!appointment || sameDay.length < 2 || sameDay.length > 4) return undefined;
      return {
        texts: { day: formatDay(draft, appointment.day) },
        goal: (store) => sameDay.forEach(([id]) => delete store.appointments[id]),
      };
    },
  },
  {
    name: 'declineDay',
    description: 'Decline all invitations on a day.',
    difficulty: 4,
    steps: 12,
    heldOut: true,
    en: [
      'Answer {no} to all invitations on [day] that you have not answered yet.',
      'On [day], decline every open invitation: choose {no}.',
    ],
    zh: ['对[day]所有尚未答复的邀请选择{no}。', '[day]的未答复邀请全部选{no}。'],
    make(draft) {
      const [, appointment] = pick(draft, ({ answer }) => answer === '') ?? [];
      const invitations = Object.entries(draft.store.appointments).filter(
        ([, { day, answer }]) => day === appointment?.day && answer === '',
      );
      if (!appointment) return undefined;
      return {
        texts: { day: formatDay(draft, appointment.day), no: draft.words.no },
        goal: (store) => invitations.forEach(([id]) => set(id, { answer: 'no' })(store)),
      };
    },
  },
  {
    name: 'tellStart',
    description: 'Report when an appointment starts.',
    difficulty: 2,
    steps: 5,
    chance: 0.25,
    en: [
      'When does {title} on [day] begin? Answer like 09:30.',
      'At what time does {title} start on [day]? Give it as in 14:00.',
    ],
    zh: ['[day]的{title}几点开始？请按09:30的格式回答。', '[day]的{title}什么时候开始？格式如14:00。'],
    make(draft) {
      const [id, appointment] = pick(draft) ?? [];
      if (!id || !appointment) return undefined;
      return {
        texts: { title: appointment.title, day: formatDay(draft, appointment.day) },
        answer: timeText(appointment.start),
        look: { id },
      };
    },
  },
  {
    name: 'tellPlace',
    description: 'Report where an appointment takes place.',
    difficulty: 2,
    steps: 5,
    chance: 0.15,
    en: [
      'Where does {title} on [day] take place?',
      'Answer with the place of {title} on [day].',
      'Look up where {title} on [day] is.',
    ],
    zh: ['[day]的{title}在哪里举行？', '请回答[day]的{title}的地点。', '查一下[day]的{title}在哪里。'],
    make(draft) {
      const [id, appointment] = pick(draft, ({ place }) => place !== '') ?? [];
      if (!id || !appointment) return undefined;
      return {
        texts: { title: appointment.title, day: formatDay(draft, appointment.day) },
        answer: appointment.place,
        look: { id },
      };
    },
  },
  {
    name: 'count',
    description: 'Report how many appointments a day has.',
    difficulty: 2,
    steps: 5,
    chance: 0.3,
    heldOut: true,
    en: ['How many events are on [day]?', 'Count the events of [day] and answer with the number.'],
    zh: ['[day]有几个日程？', '数一数[day]的日程，回答数字。'],
    make(draft) {
      const countOn = (day: string) =>
        Object.values(draft.store.appointments).filter((appointment) => appointment.day === day).length;
      // Most days have one or none.
      const count = draft.random.pick([...new Set(near(draft).map(countOn))]);
      const day = draft.random.pick(near(draft).filter((each) => countOn(each) === count));
      return { texts: { day: formatDay(draft, day) }, answer: count, look: { day } };
    },
  },
  {
    name: 'planWeek',
    description: 'Create one appointment, move one, delete one, and respond to an invitation.',
    difficulty: 5,
    steps: 30,
    en: [
      'Create {title} on [day] from [start] to [end] with {person}; move {moved} to [target] at [time]; delete {gone}; answer {answer} to {asked}.',
      '{gone} is off: delete it. {moved} moves to [target], [time], as long as before. Answer {answer} to {asked}. Then plan {title}: [day], [start] to [end], guest {person}.',
    ],
    zh: [
      '新建{title}，[day][start]到[end]，参与人{person}；把{moved}移到[target][time]；删除{gone}；对{asked}回复{answer}。',
      '{gone}取消，请删除。{moved}改到[target][time]，时长不变。对{asked}选择{answer}。再安排{title}：[day]，[start]至[end]，邀请{person}。',
    ],
    make(draft) {
      const { random, store, pen, words } = draft;
      const [invitationId, invitation] = pick(draft, ({ answer }) => answer !== 'own') ?? [];
      const [goneId, gone] = pick(draft, (one) => one !== invitation) ?? [];
      const [movedId, moved] = pick(draft, (one) => one !== invitation && one !== gone) ?? [];
      if (!invitationId || !invitation || !goneId || !gone || !movedId || !moved) return undefined;
      const [fits, to] = [
        freeTime(draft, 60, near(draft)),
        freeTime(draft, moved.end - moved.start, weekOf(moved.day)),
      ];
      if (!fits || !to || (fits.day === to.day && fits.start < to.end && fits.end > to.start)) return undefined;
      const answer: Answer = random.pick(answers.filter((other) => other !== invitation.answer));
      const [title, person] = [pen.topic(), random.pick(store.people)];
      return {
        texts: {
          ...{ title, person, day: formatDay(draft, fits.day), start: timeText(fits.start), end: timeText(fits.end) },
          ...{ moved: moved.title, target: formatDay(draft, to.day), time: timeText(to.start) },
          ...{ gone: gone.title, asked: invitation.title, answer: words[answer] },
        },
        goal(aim) {
          aim.appointments.new1 = { ...fresh(draft, { title, ...fits }), guests: [person] };
          set(movedId, to)(aim);
          set(invitationId, { answer })(aim);
          delete aim.appointments[goneId];
        },
      };
    },
  },
];
