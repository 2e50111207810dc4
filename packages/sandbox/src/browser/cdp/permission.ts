import { Refused } from './refused.js';

type Params = Readonly<Record<string, unknown>>;

/**
 * Domains whose commands reach no further than the page, worker or storage that they are sent to. What is not here, or answered in a
 * way of its own (`Target`, `Browser`), is refused: it reaches the whole browser (`Tracing`, `SystemInfo`, `Memory`), the machine
 * (`Tethering`, `Extensions`, `PWA`), or the frames that the session draws (`HeadlessExperimental`).
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

/** Commands that load what a URL stands for. */
const loading: ReadonlySet<string> = new Set([
  'Page.navigate',
  'Network.loadNetworkResource',
  'Fetch.continueRequest',
  'Network.continueInterceptedRequest',
]);

/** Throws `Refused` for a URL that is not of the web: files and the browser's own pages are never shown. */
export function checkUrl(url: unknown): void {
  if (typeof url === 'string' && /^\s*(https?:\/\/|data:|blob:|about:(blank|srcdoc)([?#]|$))/i.test(url)) return;
  throw new Refused(`a session shows no ${String(url).slice(0, 100)}: use http:, https: or data:`);
}

/**
 * Throws `Refused` for a command to a page or worker that reaches beyond it.
 *
 * @param walled whether the browser can read nothing but the session's own files.
 */
export function checkCommand(method: string, params: Params, walled: boolean): void {
  const domain = method.slice(0, method.indexOf('.'));
  if (!domains.has(domain)) throw new Refused(`${method} is not open to clients of a session`);
  if (method === 'Page.crash') throw new Refused('Page.crash would end the session: release it');
  if (loading.has(method) && params.url !== undefined) checkUrl(params.url);
  if (!walled && readsFiles(method, params)) {
    throw new Refused(`${method}: without walls a session has no files that its browser may read`);
  }
}

function readsFiles(method: string, params: Params): boolean {
  if (method === 'DOM.setFileInputFiles') return true;
  if (method !== 'Input.dispatchDragEvent') return false;
  const { files } = (params.data ?? {}) as { files?: readonly unknown[] };
  return files !== undefined && files.length > 0;
}
