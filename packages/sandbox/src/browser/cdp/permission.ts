import { Refused } from './refused.js';

type Params = Readonly<Record<string, unknown>>;

/**
 * Domains that reach only the page, worker or storage addressed. The rest is refused, except for `Target` and
 * `Browser`. It reaches the browser (`Tracing`, `SystemInfo`, `Memory`), the machine (`Tethering`, `Extensions`,
 * `PWA`), or the session's frames (`HeadlessExperimental`).
 */
const domains: ReadonlySet<string> = new Set([
  'Accessibility',
  'Animation',
  'Audits',
  'CacheStorage',
  'Console',
  'CSS',
  'Debugger',
  'DeviceOrientation',
  'DOM',
  'DOMDebugger',
  'DOMSnapshot',
  'DOMStorage',
  'Emulation',
  'EventBreakpoints',
  'Fetch',
  'HeapProfiler',
  'IndexedDB',
  'Input',
  'Inspector',
  'IO',
  'LayerTree',
  'Log',
  'Media',
  'Network',
  'Overlay',
  'Page',
  'Performance',
  'PerformanceTimeline',
  'Profiler',
  'Runtime',
  'Schema',
  'Security',
  'ServiceWorker',
  'Storage',
  'WebAudio',
  'WebAuthn',
]);

const loading: ReadonlySet<string> = new Set([
  'Page.navigate',
  'Network.loadNetworkResource',
  'Fetch.continueRequest',
  'Network.continueInterceptedRequest',
]);

/** Throws `Refused` for all but web URLs: files and browser pages are off limits. */
export function checkUrl(url: unknown): void {
  if (typeof url === 'string' && /^\s*(https?:\/\/|data:|blob:|about:(blank|srcdoc)([?#]|$))/i.test(url)) return;
  throw new Refused(`cannot open ${String(url).slice(0, 100)}: use an http:, https: or data: URL`);
}

/** Throws `Refused` for a command that reaches beyond its page or worker. */
export function checkCommand(method: string, params: Params, isolated: boolean): void {
  const domain = method.slice(0, method.indexOf('.'));
  if (!domains.has(domain)) throw new Refused(`${method} is not available to clients of a session`);
  if (method === 'Page.crash') throw new Refused('Page.crash would end the session: release the session instead');
  if (loading.has(method) && params.url !== undefined) checkUrl(params.url);
  if (!isolated && readsFiles(method, params)) {
    throw new Refused(`${method}: the browser cannot read files without isolation`);
  }
}

function readsFiles(method: string, params: Params): boolean {
  if (method === 'DOM.setFileInputFiles') return true;
  if (method !== 'Input.dispatchDragEvent') return false;
  const { files } = (params.data ?? {}) as { files?: readonly unknown[] };
  return files !== undefined && files.length > 0;
}
