/** Frames of game time per second. */
export const framesPerSecond = 60;

/** One frame of game time in ms, as pages see it. */
export const frameMs = 1000 / framesPerSecond;

/**
 * One frame in ms of the compositor's time, which CSS animations follow: 0.2 % longer than `frameMs`. It is a multiple of
 * the 0.1 ms that Chromium rounds animation time to, and frames do not fall on the round times where animations end or
 * `steps()` have their edges, so that rounding decides nothing.
 */
export const tickMs = 16.7;

/** 2026-01-01T00:00:00Z: what `Date.now()` says at game time 0, in ms. */
export const epoch = 1_767_225_600_000;

/** Whole frames in a time in ms, at least `least`. */
export function framesIn(ms: number, least = 0): number {
  return Math.max(least, Math.round(ms / frameMs));
}

/**
 * Source of a script that gives a world its own time and randomness: Date, performance.now, timers, animation frames, idle
 * callbacks, Event.timeStamp, Math.random and crypto. Time stands still but for the frames that the session draws: the
 * native animation frame's timestamp says how many frames have passed; for each of them due timers run in order, then the
 * page's animation frame callbacks. Workers, media, document.timeline and MessageChannel keep the browser's time.
 *
 * @param seed an expression for it, where the script runs.
 */
export function clockScript(seed: string): string {
  return `(${clockSource})((${seed}) >>> 0, ${epoch}, ${framesPerSecond}, ${tickMs});`;
}

/** A frame that is drawn again comes 0.1 ms later; the rounding makes it the same frame. */
const clockSource = String.raw`(seed, epoch, framesPerSecond, tickMs) => {
  const nativeFrame = window.requestAnimationFrame.bind(window);
  const NativeDate = Date;
  const report = (error) => (window.reportError ? window.reportError(error) : console.error(error));
  let now = 0;
  let frame = 0;
  let origin;

  const hidden = (object, name, value) =>
    Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
  const getter = (object, name, get) =>
    object && Object.defineProperty(object, name, { get, configurable: true, enumerable: true });
  const call = (callback, args) => {
    try {
      if (typeof callback === 'function') callback.apply(window, args);
      else (0, eval)(String(callback));
    } catch (error) {
      report(error);
    }
  };

  // Timers, sorted by due time, then by age.
  const queue = [];
  let lastId = 0;
  const enqueue = (timer) => {
    let low = 0;
    let high = queue.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (queue[middle].due <= timer.due) low = middle + 1;
      else high = middle;
    }
    queue.splice(low, 0, timer);
  };
  // At least 1 ms, so that a chain of zero-delay timers ends with its frame.
  const delayOf = (delay) => Math.max(1, Number(delay) || 0);
  const schedule = (callback, delay, args, repeats) => {
    const timer = { id: ++lastId, due: now + delayOf(delay), every: repeats ? delayOf(delay) : 0, callback, args };
    enqueue(timer);
    return timer.id;
  };
  const cancel = (id) => {
    const index = queue.findIndex((timer) => timer.id === Number(id));
    if (index >= 0) queue.splice(index, 1);
  };
  hidden(window, 'setTimeout', function setTimeout(callback, delay, ...args) { return schedule(callback, delay, args, false); });
  hidden(window, 'setInterval', function setInterval(callback, delay, ...args) { return schedule(callback, delay, args, true); });
  hidden(window, 'clearTimeout', function clearTimeout(id) { cancel(id); });
  hidden(window, 'clearInterval', function clearInterval(id) { cancel(id); });
  hidden(window, 'requestIdleCallback', function requestIdleCallback(callback) {
    return schedule(callback, 1, [{ didTimeout: false, timeRemaining: () => 10 }], false);
  });
  hidden(window, 'cancelIdleCallback', function cancelIdleCallback(id) { cancel(id); });

  let callbacks = new Map();
  let due = callbacks;
  hidden(window, 'requestAnimationFrame', function requestAnimationFrame(callback) {
    callbacks.set(++lastId, callback);
    return lastId;
  });
  hidden(window, 'cancelAnimationFrame', function cancelAnimationFrame(id) {
    callbacks.delete(id);
    due.delete(id);
  });

  // Promise reactions of a callback run before the next callback. All of this is one microtask checkpoint of the
  // browser's, so nothing else runs in between.
  const settled = async () => {
    for (let hop = 0; hop < 8; hop++) await undefined;
  };
  let target = 0;
  let running = false;
  const run = async () => {
    running = true;
    while (frame < target) {
      const end = ((frame + 1) * 1000) / framesPerSecond;
      while (queue.length > 0 && queue[0].due <= end) {
        const timer = queue.shift();
        now = Math.max(now, timer.due);
        if (timer.every > 0) enqueue(Object.assign(timer, { due: timer.due + timer.every }));
        call(timer.callback, timer.args);
        await settled();
      }
      frame += 1;
      now = end;
      due = callbacks;
      callbacks = new Map();
      const wanted = due.size > 0;
      for (const [id, callback] of due) {
        due.delete(id);
        call(callback, [now]);
      }
      if (wanted) await settled();
    }
    running = false;
  };
  nativeFrame(function onFrame(timestamp) {
    nativeFrame(onFrame);
    origin ??= timestamp;
    target = Math.max(target, Math.round((timestamp - origin) / tickMs));
    if (!running && frame < target) void run();
  });

  function GameDate(...args) {
    if (!new.target) return new NativeDate(epoch + Math.floor(now)).toString();
    return Reflect.construct(NativeDate, args.length > 0 ? args : [epoch + Math.floor(now)], new.target);
  }
  Object.setPrototypeOf(GameDate, NativeDate);
  GameDate.prototype = NativeDate.prototype;
  hidden(GameDate, 'name', 'Date');
  hidden(GameDate, 'now', () => epoch + Math.floor(now));
  hidden(NativeDate.prototype, 'constructor', GameDate);
  hidden(window, 'Date', GameDate);
  const format = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, 'format').get;
  getter(Intl.DateTimeFormat.prototype, 'format', function () {
    const native = format.call(this);
    return (date) => native(date ?? new GameDate());
  });
  hidden(Performance.prototype, 'now', function () { return now; });
  getter(Performance.prototype, 'timeOrigin', () => epoch);
  getter(Event.prototype, 'timeStamp', () => now);

  // mulberry32 (Tommy Ettinger, public domain).
  const stream = (state) => () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  hidden(Math, 'random', stream(seed));
  const bits = stream(seed ^ 0x9e3779b9);
  hidden(Crypto.prototype, 'getRandomValues', function (array) {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let index = 0; index < bytes.length; index++) bytes[index] = Math.floor(bits() * 256);
    return array;
  });

  // A caret that blinks would blink by the browser's own clock.
  const steady = () => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(':root { caret-animation: manual }');
    document.adoptedStyleSheets.push(sheet);
  };
  steady();
}`;
