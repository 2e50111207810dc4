import { defineGetter, getterOf } from './define.js';
import type { Tasks } from './tasks.js';

const currentTime = getterOf(AnimationTimeline.prototype, 'currentTime')!;

export function timelineTime(): number {
  return (currentTime.call(document.timeline) as number | null) ?? 0;
}

/** Starts animation times at the first frame. */
export function setAnimations(tasks: Tasks): void {
  const base = (): number => tasks.timelineBase ?? 0;
  const onTimeline = (time: unknown): unknown =>
    typeof time === 'number' ? Math.max(0, Math.round((time - base()) * 1_000) / 1_000) : time;
  defineGetter(AnimationTimeline.prototype, 'currentTime', function (this: unknown) {
    return tasks.timelineBase === undefined ? 0 : onTimeline(currentTime.call(this));
  });
  const startTime = Object.getOwnPropertyDescriptor(Animation.prototype, 'startTime')!;
  Object.defineProperty(Animation.prototype, 'startTime', {
    ...startTime,
    get(this: Animation) {
      return onTimeline(startTime.get!.call(this));
    },
    set(this: Animation, time: unknown) {
      startTime.set!.call(this, typeof time === 'number' ? time + base() : time);
    },
  });
  const eventTime = getterOf(AnimationPlaybackEvent.prototype, 'timelineTime')!;
  defineGetter(AnimationPlaybackEvent.prototype, 'timelineTime', function (this: unknown) {
    return onTimeline(eventTime.call(this));
  });
}

/** The caret would blink by the browser's clock. */
export function steadyCaret(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(':root { caret-animation: manual }');
  document.adoptedStyleSheets.push(sheet);
}
