/**
 * The script that gives a window its own time and randomness, as the source of a function of
 * `(seed, epoch, framesPerSecond, tickMs, toldBy)`; `toldBy` is null in a world that no page runs in. See `clockScript`.
 */
export const clockSource = String.raw`(seed, epoch, framesPerSecond, tickMs, toldBy) => {
  const nativeFrame = window.requestAnimationFrame.bind(window);
  const NativeDate = Date;
  const report = (error) => (window.reportError ? window.reportError(error) : console.error(error));

  const hidden = (object, name, value) =>
    object && Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
  const getter = (object, name, get) =>
    object && Object.defineProperty(object, name, { get, configurable: true, enumerable: true });
  const nativeOf = (object, name) => Object.getOwnPropertyDescriptor(object, name)?.get;
  const call = (callback, args) => {
    try {
      if (typeof callback === 'function') callback.apply(window, args);
      else (0, eval)(String(callback));
    } catch (error) {
      report(error);
    }
  };

  // Time stands still within a task, as long as the task does not wait for it: so many looks are free, then each takes a moment.
  let now = 0;
  let looks = 0;
  const freeLooks = 1000;
  const lookMs = 0.005;
  const look = () => {
    if (++looks > freeLooks) now += lookMs;
    return now;
  };
  // Documents of one origin have one time.
  const clockOf = Symbol.for('gyre clock');
  let since = 0;
  try {
    if (window.parent !== window) since = window.parent[clockOf]?.() ?? 0;
  } catch {
    // The parent is of another origin.
  }
  hidden(window, clockOf, () => since + now);
  const date = () => epoch + Math.floor(since + look());

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
    const ms = delayOf(delay);
    const timer = { id: ++lastId, due: now + ms, every: repeats ? ms : 0, callback, args };
    enqueue(timer);
    if (ms < soonMs) provide();
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
  /** Animation frame callbacks of the frame in progress; undefined before its timers have run. */
  let due;
  hidden(window, 'requestAnimationFrame', function requestAnimationFrame(callback) {
    callbacks.set(++lastId, callback);
    provide();
    return lastId;
  });
  hidden(window, 'cancelAnimationFrame', function cancelAnimationFrame(id) {
    callbacks.delete(id);
    due?.delete(id);
  });

  // The browser runs microtasks dry after each native callback, and only then. So each timer and each animation frame callback runs in a
  // native animation frame callback of its own: a slot.
  let frame = 0;
  let target = 0;
  let frameTime = 0;
  let origin;
  /** What the timeline of animations says in the first frame: it began before the document. */
  let timelineBase = 0;
  /** Runs the next task up to the target. Returns whether there was one. */
  const step = () => {
    looks = 0;
    while (frame < target) {
      if (due === undefined) {
        const end = ((frame + 1) * 1000) / framesPerSecond;
        if (queue.length > 0 && queue[0].due <= end) {
          const timer = queue.shift();
          now = Math.max(now, timer.due);
          if (timer.every > 0) enqueue(Object.assign(timer, { due: timer.due + timer.every }));
          call(timer.callback, timer.args);
          return true;
        }
        frame += 1;
        frameTime = now = Math.max(now, end);
        due = callbacks;
        callbacks = new Map();
      }
      for (const [id, callback] of due) {
        due.delete(id);
        call(callback, [frameTime]);
        return true;
      }
      due = undefined;
    }
    return false;
  };
  /** Timers that are due within the longest stride of frames take slots. */
  const soonMs = 120;
  const mostSlots = 4096;
  /** Slots for tasks that other tasks of the same frame bring about. */
  let spare = 8;
  /** Slots of the next native frame, and those of this one that have not run. */
  let provided = 0;
  let remaining = 0;
  const provide = () => {
    let soon = 0;
    while (soon < queue.length && queue[soon].due < now + soonMs) soon++;
    const wanted = Math.min(mostSlots, soon + callbacks.size + spare);
    for (; provided < wanted; provided++) nativeFrame(slot);
  };
  const slot = (timestamp) => {
    if (remaining === 0) {
      remaining = provided;
      provided = 0;
      if (origin === undefined) {
        origin = timestamp;
        timelineBase = currentTime.call(document.timeline) ?? 0;
      }
      // A frame that is drawn again comes 0.1 ms later; the rounding makes it the same frame.
      target = Math.max(target, Math.round((timestamp - origin) / tickMs));
    }
    remaining -= 1;
    const ran = step();
    if (remaining > 0) return;
    if (ran && frame < target) void rest();
    else provide();
  };
  /** Runs what is left of a frame that had more tasks than slots. The next such frame has more. */
  const rest = async () => {
    spare = Math.min(mostSlots, spare * 4);
    do for (let hop = 0; hop < 64; hop++) await undefined;
    while (step());
    provide();
  };
  const currentTime = nativeOf(AnimationTimeline.prototype, 'currentTime');
  provide();

  const onTimeline = (time) => (typeof time === 'number' ? Math.max(0, Math.round((time - timelineBase) * 1000) / 1000) : time);
  getter(AnimationTimeline.prototype, 'currentTime', function () {
    return origin === undefined ? 0 : onTimeline(currentTime.call(this));
  });
  const startTime = Object.getOwnPropertyDescriptor(Animation.prototype, 'startTime');
  Object.defineProperty(Animation.prototype, 'startTime', {
    ...startTime,
    get() { return onTimeline(startTime.get.call(this)); },
    set(time) { startTime.set.call(this, typeof time === 'number' ? time + timelineBase : time); },
  });
  const timelineTime = nativeOf(AnimationPlaybackEvent.prototype, 'timelineTime');
  getter(AnimationPlaybackEvent.prototype, 'timelineTime', function () { return onTimeline(timelineTime.call(this)); });

  function GameDate(...args) {
    if (!new.target) return new NativeDate(date()).toString();
    return Reflect.construct(NativeDate, args.length > 0 ? args : [date()], new.target);
  }
  Object.setPrototypeOf(GameDate, NativeDate);
  GameDate.prototype = NativeDate.prototype;
  hidden(GameDate, 'name', 'Date');
  hidden(GameDate, 'length', 7);
  hidden(GameDate, 'now', function now() { return date(); });
  hidden(NativeDate.prototype, 'constructor', GameDate);
  hidden(window, 'Date', GameDate);

  const format = nativeOf(Intl.DateTimeFormat.prototype, 'format');
  getter(Intl.DateTimeFormat.prototype, 'format', function () {
    const native = format.call(this);
    return (time) => native(time ?? date());
  });
  const { formatToParts } = Intl.DateTimeFormat.prototype;
  hidden(Intl.DateTimeFormat.prototype, 'formatToParts', function (time) { return formatToParts.call(this, time ?? date()); });

  if (window.Temporal) {
    const { Now, Instant } = Temporal;
    const instant = () => Instant.fromEpochMilliseconds(date());
    const zoned = (zone) => instant().toZonedDateTimeISO(zone ?? Now.timeZoneId());
    hidden(Now, 'instant', instant);
    hidden(Now, 'zonedDateTimeISO', zoned);
    hidden(Now, 'plainDateTimeISO', (zone) => zoned(zone).toPlainDateTime());
    hidden(Now, 'plainDateISO', (zone) => zoned(zone).toPlainDate());
    hidden(Now, 'plainTimeISO', (zone) => zoned(zone).toPlainTime());
  }

  hidden(Performance.prototype, 'now', function now() { return look(); });
  getter(Performance.prototype, 'timeOrigin', () => epoch + since);
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
  const { getRandomValues } = Crypto.prototype;
  const fill = (bytes) => {
    for (let index = 0; index < bytes.length; index++) bytes[index] = Math.floor(bits() * 256);
    return bytes;
  };
  hidden(Crypto.prototype, 'getRandomValues', function (array) {
    // Refuses what it must.
    getRandomValues.call(this, array);
    fill(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    return array;
  });

  // A caret that blinks would blink by the browser's own clock.
  const steady = () => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(':root { caret-animation: manual }');
    document.adoptedStyleSheets.push(sheet);
  };
  steady();
  // A world of gyre's own needs no more.
  if (toldBy === null) return;

  const { mark, measure } = Performance.prototype;
  hidden(Performance.prototype, 'mark', function (name, options) {
    return mark.call(this, name, { ...options, startTime: options?.startTime ?? look() });
  });
  hidden(Performance.prototype, 'measure', function (name, from, to) {
    const options = from !== null && typeof from === 'object' ? { ...from } : { start: from, end: to };
    const isOpen = options.end === undefined && (options.duration === undefined || options.start === undefined);
    if (isOpen) options.end = look();
    return measure.call(this, name, options);
  });
  hidden(window, 'PerformanceMark', new Proxy(PerformanceMark, {
    construct: (Native, [name, options, ...others], target) =>
      Reflect.construct(Native, [name, { ...options, startTime: options?.startTime ?? look() }, ...others], target),
  }));

  // What the browser has measured says nothing: times are 0, or the beginning.
  const isOwn = (entry) => entry instanceof PerformanceMark || entry instanceof PerformanceMeasure;
  for (const name of ['startTime', 'duration']) {
    const native = nativeOf(PerformanceEntry.prototype, name);
    getter(PerformanceEntry.prototype, name, function () {
      const value = native.call(this);
      return isOwn(this) ? value : 0;
    });
  }
  const isTime = /(Time|Start|End|Duration|timestamp|^time)$|^(domLoading|domInteractive|domComplete)$/;
  const measured =
    'PerformanceResourceTiming PerformanceNavigationTiming PerformancePaintTiming LargestContentfulPaint PerformanceEventTiming ' +
    'LayoutShift PerformanceElementTiming PerformanceLongAnimationFrameTiming PerformanceScriptTiming IntersectionObserverEntry ' +
    'PerformanceContainerTiming InteractionContentfulPaint SoftNavigationEntry';
  for (const name of measured.split(' ')) {
    const { prototype } = window[name] ?? {};
    for (const field of Object.getOwnPropertyNames(prototype ?? {})) {
      const native = nativeOf(prototype, field);
      if (!native || !isTime.test(field)) continue;
      getter(prototype, field, function () { return typeof native.call(this) === 'number' ? 0 : null; });
    }
  }
  for (const field of Object.getOwnPropertyNames(window.PerformanceTiming?.prototype ?? {})) {
    const native = nativeOf(PerformanceTiming.prototype, field);
    if (native) getter(PerformanceTiming.prototype, field, function () { return native.call(this) > 0 ? epoch + since : 0; });
  }
  const plain = function toJSON() {
    const json = {};
    for (let level = this; level && level !== Object.prototype; level = Object.getPrototypeOf(level))
      for (const name of Object.getOwnPropertyNames(level))
        if (nativeOf(level, name) && !(name in json)) json[name] = this[name];
    return json;
  };
  for (const name of ['PerformanceEntry', 'PerformanceTiming', 'PerformanceResourceTiming', 'PerformanceNavigationTiming',
    'PerformanceEventTiming', 'LargestContentfulPaint', 'LayoutShift', 'PerformanceElementTiming', 'PerformancePaintTiming',
    'PerformanceLongAnimationFrameTiming', 'PerformanceScriptTiming'])
    if (window[name] && Object.hasOwn(window[name].prototype, 'toJSON')) hidden(window[name].prototype, 'toJSON', plain);
  // How long the browser took for something decides whether there is an entry of these.
  const bySpeed = ['long-animation-frame', 'longtask', 'event'];
  const isSteady = ({ entryType }) => !bySpeed.includes(entryType);
  for (const name of ['getEntries', 'getEntriesByType', 'getEntriesByName']) {
    const native = Performance.prototype[name];
    hidden(Performance.prototype, name, function (...args) { return native.apply(this, args).filter(isSteady); });
  }
  const supported = PerformanceObserver.supportedEntryTypes.filter((entryType) => isSteady({ entryType }));
  getter(PerformanceObserver, 'supportedEntryTypes', () => Object.freeze([...supported]));
  const { observe } = PerformanceObserver.prototype;
  hidden(PerformanceObserver.prototype, 'observe', function (options) {
    const { type, entryTypes } = options ?? {};
    if (bySpeed.includes(type)) return;
    const steady = entryTypes && [...entryTypes].filter((entryType) => isSteady({ entryType }));
    if (steady && steady.length === 0 && entryTypes.length > 0) return;
    observe.call(this, steady ? { ...options, entryTypes: steady } : options);
  });
  getter(PerformanceEntry.prototype, 'navigationId', () => 1);
  getter(window.PerformanceNavigationTiming?.prototype, 'confidence', () => null);
  hidden(Performance.prototype, 'toJSON', function toJSON() { return { timeOrigin: this.timeOrigin }; });
  const { memory } = performance;
  const sizes = { jsHeapSizeLimit: 4294705152, totalJSHeapSize: 10000000, usedJSHeapSize: 10000000 };
  for (const name of Object.keys(sizes)) if (memory) getter(Object.getPrototypeOf(memory), name, () => sizes[name]);

  hidden(AbortSignal, 'timeout', function timeout(ms) {
    const controller = new AbortController();
    schedule(() => controller.abort(new DOMException('signal timed out', 'TimeoutError')), ms, [], false);
    return controller.signal;
  });
  if (window.Scheduler) {
    const { postTask } = Scheduler.prototype;
    hidden(Scheduler.prototype, 'postTask', function (callback, options) {
      const { delay, signal } = options ?? {};
      if (!(delay > 0)) return postTask.call(this, callback, options ?? {});
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const run = () => { try { resolve(callback()); } catch (error) { reject(error); } };
        const id = schedule(run, delay, [], false);
        signal?.addEventListener('abort', () => { cancel(id); reject(signal.reason); }, { once: true });
      });
    });
  }

  // What Chromium estimates of the network, and what it tells of the host.
  const network = { downlink: 10, rtt: 50, effectiveType: '4g' };
  for (const name of Object.keys(network)) if (window.NetworkInformation) getter(NetworkInformation.prototype, name, () => network[name]);
  getter(Navigator.prototype, 'hardwareConcurrency', () => 4);
  if ('deviceMemory' in Navigator.prototype) getter(Navigator.prototype, 'deviceMemory', () => 8);
  const estimate = window.StorageManager?.prototype.estimate;
  if (estimate)
    hidden(StorageManager.prototype, 'estimate', async function () { return { ...(await estimate.call(this)), quota: 2 ** 30 }; });

  // Without a header it is the time at which it is asked for.
  const lastModified = nativeOf(Document.prototype, 'lastModified');
  const two = (number) => String(number).padStart(2, '0');
  getter(Document.prototype, 'lastModified', function () {
    const native = lastModified.call(this);
    if (Math.abs(NativeDate.parse(native) - NativeDate.now()) > 120000) return native;
    const at = new NativeDate(epoch + Math.floor(since + now));
    const day = two(at.getMonth() + 1) + '/' + two(at.getDate()) + '/' + at.getFullYear();
    return day + ' ' + two(at.getHours()) + ':' + two(at.getMinutes()) + ':' + two(at.getSeconds());
  });
  const NativeFile = window.File;
  function GameFile(...args) {
    if (new.target && args.length >= 2) args[2] = { ...args[2], lastModified: args[2]?.lastModified ?? date() };
    return Reflect.construct(NativeFile, args, new.target);
  }
  Object.setPrototypeOf(GameFile, NativeFile);
  GameFile.prototype = NativeFile.prototype;
  hidden(GameFile, 'name', 'File');
  hidden(NativeFile.prototype, 'constructor', GameFile);
  hidden(window, 'File', GameFile);

  // Cookies expire by the browser's time.
  const cookie = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
  Object.defineProperty(Document.prototype, 'cookie', {
    ...cookie,
    set(text) {
      cookie.set.call(this, String(text).replace(/(;\s*expires\s*=)([^;]*)/gi, (all, name, value) => {
        const ahead = NativeDate.parse(value) - date();
        return Number.isNaN(ahead) ? all : name + new NativeDate(NativeDate.now() + ahead).toUTCString();
      }));
    },
  });

  if (Crypto.prototype.randomUUID) {
    hidden(Crypto.prototype, 'randomUUID', function randomUUID() {
      const bytes = fill(new Uint8Array(16));
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
    });
  }

  // Tells what keeps the browser's own time or randomness, once each.
  const tell = window[toldBy];
  delete window[toldBy];
  const told = new Set();
  const note = (name) => {
    if (told.has(name)) return;
    told.add(name);
    tell?.(name);
  };
  const noteCalls = (object, name, what, isIt = () => true) => {
    const native = object?.[name];
    if (typeof native !== 'function') return;
    hidden(object, name, { [name](...args) {
      if (isIt(...args)) note(what);
      return native.apply(this, args);
    } }[name]);
  };
  const noteNew = (name, what) => {
    const Native = window[name];
    if (!Native) return;
    hidden(window, name, new Proxy(Native, {
      construct(target, args, newTarget) {
        note(what);
        return Reflect.construct(target, args, newTarget);
      },
    }));
  };
  for (const name of ['Worker', 'SharedWorker']) noteNew(name, 'workers');
  noteCalls(window.ServiceWorkerContainer?.prototype, 'register', 'workers');
  noteCalls(window.Worklet?.prototype, 'addModule', 'worklets');
  for (const name of ['WebSocket', 'EventSource', 'WebTransport', 'RTCPeerConnection']) noteNew(name, 'sockets');
  noteNew('AudioContext', 'media');
  noteCalls(HTMLMediaElement.prototype, 'play', 'media');
  const nameOf = (algorithm) => String(algorithm?.name ?? algorithm).toUpperCase();
  const isAsymmetric = (algorithm) => /^(RSA|EC|ED|X25519|X448|ML-)/.test(nameOf(algorithm));
  for (const [name, place] of Object.entries({ generateKey: 0, sign: 0, encrypt: 0, wrapKey: 3 }))
    noteCalls(window.SubtleCrypto?.prototype, name, 'asymmetric keys', (...args) => isAsymmetric(args[place]));
  // A symmetric key is random bytes.
  const { generateKey } = window.SubtleCrypto?.prototype ?? {};
  const blockBits = { 'SHA-1': 512, 'SHA-256': 512, 'SHA-384': 1024, 'SHA-512': 1024 };
  if (generateKey) {
    hidden(SubtleCrypto.prototype, 'generateKey', async function (algorithm, extractable, usages) {
      const key = await generateKey.call(this, algorithm, extractable, usages);
      if (!/^(AES|HMAC)/.test(nameOf(algorithm))) return key;
      const bytes = (algorithm.length ?? blockBits[nameOf(algorithm.hash)] ?? 512) / 8;
      return this.importKey('raw', fill(new Uint8Array(bytes)), algorithm, extractable, usages);
    });
  }
  noteCalls(window.URL, 'createObjectURL', 'names of blobs');
  noteCalls(Atomics, 'waitAsync', 'Atomics.waitAsync');
}`;
