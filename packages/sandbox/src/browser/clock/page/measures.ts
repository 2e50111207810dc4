import { classNamed, define, defineGetter, defineMethods, getterOf, methodOf } from './define.js';
import type { Time } from './time.js';

const isTime = /(Time|Start|End|Duration|timestamp|^time)$|^(domLoading|domInteractive|domComplete)$/;

/** Entries with measured times. */
const measured = [
  ...['PerformanceResourceTiming', 'PerformanceNavigationTiming', 'PerformancePaintTiming', 'LargestContentfulPaint'],
  ...['PerformanceEventTiming', 'LayoutShift', 'PerformanceElementTiming', 'PerformanceLongAnimationFrameTiming'],
  ...['PerformanceScriptTiming', 'IntersectionObserverEntry', 'PerformanceContainerTiming'],
  ...['InteractionContentfulPaint', 'SoftNavigationEntry'],
];

const printed = [
  ...['PerformanceEntry', 'PerformanceTiming', 'PerformanceResourceTiming', 'PerformanceNavigationTiming'],
  ...['PerformanceEventTiming', 'LargestContentfulPaint', 'LayoutShift', 'PerformanceElementTiming'],
  ...['PerformancePaintTiming', 'PerformanceLongAnimationFrameTiming', 'PerformanceScriptTiming'],
];

/** They occur only if the browser is slow. */
const bySpeed = ['long-animation-frame', 'longtask', 'event'];
const isSteady = (type: string): boolean => !bySpeed.includes(type);

/** Ties marks to game time and fixes measured times at 0 or the origin. */
export function setMeasures(time: Time): void {
  setMarks(time);
  for (const name of ['startTime', 'duration']) {
    const native = getterOf(PerformanceEntry.prototype, name)!;
    defineGetter(PerformanceEntry.prototype, name, function (this: unknown) {
      const value = native.call(this);
      return this instanceof PerformanceMark || this instanceof PerformanceMeasure ? value : 0;
    });
  }
  for (const name of measured) {
    const prototype = classNamed(name)?.prototype;
    for (const field of Object.getOwnPropertyNames(prototype ?? {})) {
      const native = getterOf(prototype!, field);
      if (!native || !isTime.test(field)) continue;
      defineGetter(prototype, field, function (this: unknown) {
        return typeof native.call(this) === 'number' ? 0 : null;
      });
    }
  }
  const timing = classNamed('PerformanceTiming')?.prototype;
  for (const field of Object.getOwnPropertyNames(timing ?? {})) {
    const native = getterOf(timing!, field);
    if (!native) continue;
    defineGetter(timing, field, function (this: unknown) {
      return Number(native.call(this)) > 0 ? time.origin : 0;
    });
  }
  for (const name of printed) {
    const prototype = classNamed(name)?.prototype;
    if (prototype && Object.hasOwn(prototype, 'toJSON')) define(prototype, 'toJSON', toJSON);
  }
  setEntries();
  defineGetter(PerformanceEntry.prototype, 'navigationId', () => 1);
  defineGetter(classNamed('PerformanceNavigationTiming')?.prototype, 'confidence', () => null);
  defineMethods(Performance.prototype, {
    toJSON(this: Performance) {
      return { timeOrigin: this.timeOrigin };
    },
  });
  const { memory } = performance as unknown as { readonly memory?: object };
  const sizes = { jsHeapSizeLimit: 4_294_705_152, totalJSHeapSize: 10_000_000, usedJSHeapSize: 10_000_000 };
  if (memory === undefined) return;
  const prototype = Object.getPrototypeOf(memory) as object;
  for (const [name, size] of Object.entries(sizes)) defineGetter(prototype, name, () => size);
}

function setMarks(time: Time): void {
  const mark = methodOf(Performance.prototype, 'mark');
  const measure = methodOf(Performance.prototype, 'measure');
  defineMethods(Performance.prototype, {
    mark(this: Performance, name: string, options?: PerformanceMarkOptions) {
      return mark.call(this, name, { ...options, startTime: options?.startTime ?? time.look() });
    },
    measure(this: Performance, name: string, from?: string | PerformanceMeasureOptions | null, to?: string) {
      const options: PerformanceMeasureOptions =
        from !== null && typeof from === 'object'
          ? { ...from }
          : ({ start: from, end: to } as PerformanceMeasureOptions);
      const isOpen = options.end === undefined && (options.duration === undefined || options.start === undefined);
      if (isOpen) options.end = time.look();
      return measure.call(this, name, options);
    },
  });
  type MarkArguments = [name: string, options?: PerformanceMarkOptions, ...others: unknown[]];
  const MarkOfGameTime = new Proxy(PerformanceMark, {
    construct: (Native, [name, options, ...others]: MarkArguments, target) =>
      Reflect.construct(
        Native,
        [name, { ...options, startTime: options?.startTime ?? time.look() }, ...others],
        target,
      ) as PerformanceMark,
  });
  define(window, 'PerformanceMark', MarkOfGameTime);
}

function toJSON(this: object): object {
  const names = levelsOf(this).flatMap((level) => {
    return Object.getOwnPropertyNames(level).filter((name) => getterOf(level, name));
  });
  const fields = this as Readonly<Record<string, unknown>>;
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}

function levelsOf(object: object | null): object[] {
  if (object === null || object === Object.prototype) return [];
  return [object, ...levelsOf(Object.getPrototypeOf(object) as object | null)];
}

function setEntries(): void {
  for (const name of ['getEntries', 'getEntriesByType', 'getEntriesByName'] as const) {
    const native = methodOf(Performance.prototype, name) as (...args: unknown[]) => PerformanceEntryList;
    define(Performance.prototype, name, function (this: Performance, ...args: unknown[]) {
      return native.apply(this, args).filter(({ entryType }) => isSteady(entryType));
    });
  }
  const supported = PerformanceObserver.supportedEntryTypes.filter(isSteady);
  defineGetter(PerformanceObserver, 'supportedEntryTypes', () => Object.freeze([...supported]));
  const observe = methodOf(PerformanceObserver.prototype, 'observe');
  defineMethods(PerformanceObserver.prototype, {
    observe(this: PerformanceObserver, options?: PerformanceObserverInit) {
      const { type, entryTypes } = options ?? {};
      if (type !== undefined && bySpeed.includes(type)) return;
      const steady = entryTypes && [...entryTypes].filter(isSteady);
      if (steady?.length === 0 && entryTypes!.length > 0) return;
      observe.call(this, steady ? { ...options, entryTypes: steady } : options);
    },
  });
}
