import { define, defineClass, defineGetter, defineMethods, getterOf, methodOf } from './define.js';
import type { Time } from './time.js';

export const NativeDate = Date;

/** Ties `Date`, `Intl`, `Temporal` and `performance.now` to game time. */
export function setDates(time: Time): void {
  function GameDate(...args: unknown[]): unknown {
    const isCalled = (new.target as unknown) === undefined;
    if (isCalled) return new NativeDate(time.date()).toString();
    return Reflect.construct(NativeDate, args.length > 0 ? args : [time.date()], new.target);
  }
  define(GameDate, 'length', 7);
  defineMethods(GameDate, { now: () => time.date() });
  defineClass(NativeDate, 'Date', GameDate);

  const format = getterOf(Intl.DateTimeFormat.prototype, 'format')!;
  defineGetter(Intl.DateTimeFormat.prototype, 'format', function (this: unknown) {
    const native = format.call(this) as (time: unknown) => string;
    return (date: unknown) => native(date ?? time.date());
  });
  const formatToParts = methodOf(Intl.DateTimeFormat.prototype, 'formatToParts');
  defineMethods(Intl.DateTimeFormat.prototype, {
    formatToParts(this: Intl.DateTimeFormat, date?: Date | number) {
      return formatToParts.call(this, date ?? time.date());
    },
  });
  setTemporal(time);
  defineMethods(Performance.prototype, { now: () => time.look() });
  defineGetter(Performance.prototype, 'timeOrigin', () => time.origin);
  defineGetter(Event.prototype, 'timeStamp', () => time.now);
}

interface ZonedDateTime {
  toPlainDateTime(): unknown;
  toPlainDate(): unknown;
  toPlainTime(): unknown;
}

interface TemporalLike {
  readonly Now: { timeZoneId(): unknown };
  readonly Instant: { fromEpochMilliseconds(ms: number): { toZonedDateTimeISO(zone: unknown): ZonedDateTime } };
}

function setTemporal(time: Time): void {
  const { Temporal } = window as unknown as { readonly Temporal?: TemporalLike };
  if (Temporal === undefined) return;
  const { Now, Instant } = Temporal;
  const instant = () => Instant.fromEpochMilliseconds(time.date());
  const zoned = (zone: unknown) => instant().toZonedDateTimeISO(zone ?? Now.timeZoneId());
  defineMethods(Now, {
    instant,
    zonedDateTimeISO: (zone: unknown) => zoned(zone),
    plainDateTimeISO: (zone: unknown) => zoned(zone).toPlainDateTime(),
    plainDateISO: (zone: unknown) => zoned(zone).toPlainDate(),
    plainTimeISO: (zone: unknown) => zoned(zone).toPlainTime(),
  });
}
