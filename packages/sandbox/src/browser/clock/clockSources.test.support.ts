/**
 * A page that reads every value reachable from `window`, including those of time and random functions. It shows a
 * digest; the lines are in `#all`.
 */
export const everySource = String.raw`<!doctype html><style>pre { font-size: 4px } #all { display: none }</style>
<pre id="shown"></pre><pre id="all"></pre><script>
  const deepest = 6;
  const lines = [];
  const seen = new Set();
  const walk = (value, path, depth) => {
    const isObject = value !== null && (typeof value === 'object' || typeof value === 'function');
    if (!isObject) return void lines.push(path + ' = ' + String(value).slice(0, 200));
    if (seen.has(value) || depth > deepest || (typeof value === 'function' && depth > 2) || value instanceof Promise) return;
    seen.add(value);
    for (let level = value; level && level !== Object.prototype && level !== Function.prototype; level = Object.getPrototypeOf(level)) {
      for (const name of Object.getOwnPropertyNames(level)) {
        const { get, value: own } = Object.getOwnPropertyDescriptor(level, name);
        try {
          walk(get ? get.call(value) : own, path + '.' + name, depth + 1);
        } catch {
          // What throws tells nothing.
        }
      }
    }
  };
  const format = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'full' });
  const calls = {
    Date: () => Date(),
    'new Date': () => new Date().toISOString(),
    'Date.now': () => Date.now(),
    toLocaleString: () => new Date().toLocaleString(),
    format: () => format.format(),
    formatToParts: () => format.formatToParts().map(({ value }) => value).join(''),
    'Temporal.Now.instant': () => window.Temporal && String(Temporal.Now.instant()),
    'Temporal.Now.zonedDateTimeISO': () => window.Temporal && String(Temporal.Now.zonedDateTimeISO('UTC')),
    'Temporal.Now.plainDateTimeISO': () => window.Temporal && String(Temporal.Now.plainDateTimeISO()),
    'Temporal.Now.plainDateISO': () => window.Temporal && String(Temporal.Now.plainDateISO()),
    'Temporal.Now.plainTimeISO': () => window.Temporal && String(Temporal.Now.plainTimeISO()),
    'performance.now': () => performance.now(),
    'performance.toJSON': () => JSON.stringify(performance),
    'performance.timing': () => JSON.stringify(performance.timing),
    getEntries: () => JSON.stringify(performance.getEntries()),
    mark: () => performance.mark('a').startTime,
    measure: () => JSON.stringify([performance.measure('b', 'a'), performance.measure('c'), performance.measure('d', { start: 1, duration: 2 }), performance.measure('e', { duration: 2 }), new PerformanceMark('f')]),
    timeStamp: () => new Event('x').timeStamp,
    lastModified: () => document.lastModified,
    File: () => new File([], 'x').lastModified,
    'File with a time': () => new File([], 'x', { lastModified: 5 }).lastModified,
    timeline: () => document.timeline.currentTime,
    'Math.random': () => Math.random(),
    getRandomValues: () => crypto.getRandomValues(new Uint16Array(4)).join(),
    supportedEntryTypes: () => PerformanceObserver.supportedEntryTypes.join(),
  };
  const digest = (text) => {
    let sum = 0;
    for (let index = 0; index < text.length; index++) sum = (Math.imul(sum, 31) + text.charCodeAt(index)) | 0;
    return sum;
  };
  const happened = [];
  const happen = (what) => happened.push(what + ' ' + performance.now());
  document.body.animate([{ opacity: 0.5 }, { opacity: 1 }], 200).finished.then((a) => happen('animation ' + a.startTime));
  AbortSignal.timeout(150).onabort = () => happen('abort');
  scheduler.postTask(() => happen('postTask'), { delay: 120 });
  requestIdleCallback(() => happen('idle'));
  new IntersectionObserver(([entry]) => happen('seen ' + entry.time)).observe(document.body);
  new PerformanceObserver((list) => happen(list.getEntries().map((entry) => entry.name + entry.startTime).join())).observe({ entryTypes: ['paint', 'longtask', 'mark'] });
  const beat = setInterval(() => happen('beat'), 70);
  const until = Date.now() + 30;
  while (Date.now() < until);
  setTimeout(() => {
    clearInterval(beat);
    walk(window, 'window', 0);
    for (const [name, read] of Object.entries(calls)) lines.push(name + '() = ' + read());
    document.getElementById('all').textContent = [...lines, ...happened].join('\n');
    document.getElementById('shown').textContent = digest(lines.join()) + '\n' + happened.join('\n') + '\n' + lines.slice(-30).join('\n');
  }, 500);
</script>`;
