import type {
  EpisodeAnswer,
  EpisodePage,
  EpisodeQuery,
  EpisodeRow,
  Facets,
  Failure,
  RunEntry,
  SqlAnswer,
} from '../src/server/wire.js';

const tokenName = 'gyre-studio-token';

/** Reads the token behind `#`, and removes it from the address. */
function takeToken(): string {
  const fresh = new URLSearchParams(location.hash.slice(1)).get('token');
  if (fresh !== null) {
    sessionStorage.setItem(tokenName, fresh);
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return fresh ?? sessionStorage.getItem(tokenName) ?? '';
}

const token = takeToken();

export class RequestFailure extends Error {
  readonly fix: string | undefined;
  readonly status: number;

  constructor(status: number, { error: { message, fix } }: Failure) {
    super(message);
    this.status = status;
    this.fix = fix;
  }
}

export async function send(
  path: string,
  /** JSON, or bytes as they are. */
  body?: object,
  signal?: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const bytes = body instanceof Blob ? body : undefined;
  const type = bytes ? bytes.type : 'application/json';
  const response = await fetch(path, {
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': type }), ...headers },
    ...(body && { method: 'POST', body: bytes ?? JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  if (response.ok) return response;
  const failure = (await response.json().catch(() => undefined)) as Failure | undefined;
  throw new RequestFailure(response.status, failure ?? { error: { code: 'infra', message: response.statusText } });
}

export const read = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
  (await send(path, undefined, signal)).json() as Promise<T>;

export const pathOf = (run: string): string => `/api/runs/${encodeURIComponent(run)}`;

export const api = {
  runs: (signal: AbortSignal) => read<RunEntry[]>('/api/runs', signal),
  policies: (signal: AbortSignal) => read<string[]>('/api/policies', signal),
  damage: (run: string, signal: AbortSignal) => read<string[]>(`${pathOf(run)}/damage`, signal),
  facets: (run: string, signal: AbortSignal) => read<Facets>(`${pathOf(run)}/facets`, signal),
  running: (run: string, signal: AbortSignal) => read<EpisodeRow[]>(`${pathOf(run)}/running`, signal),
  episodes: (run: string, query: Partial<EpisodeQuery>, signal: AbortSignal) =>
    read<EpisodePage>(`${pathOf(run)}/episodes?${searchOf(query)}`, signal),
  episode: (run: string, id: string, signal: AbortSignal) =>
    read<EpisodeAnswer>(`${pathOf(run)}/episodes/${encodeURIComponent(id)}`, signal),
  sql: async (run: string, sql: string) => (await send(`${pathOf(run)}/sql`, { sql })).json() as Promise<SqlAnswer>,
  screenshot: async (run: string, hash: string, width: number | undefined, signal: AbortSignal): Promise<Blob> =>
    (
      await send(`${pathOf(run)}/screenshots/${hash}${width === undefined ? '' : `?width=${width}`}`, undefined, signal)
    ).blob(),
};

/** Posts, and yields the JSON lines of the answer as they come. */
export async function* lines<Line>(
  run: string,
  id: string,
  verb: 'verify' | 'fork',
  body: object,
  signal: AbortSignal,
): AsyncGenerator<Line> {
  const response = await send(`${pathOf(run)}/episodes/${encodeURIComponent(id)}/${verb}`, body, signal);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield JSON.parse(part) as Line;
  }
}

function searchOf(query: Partial<EpisodeQuery>): string {
  const search = new URLSearchParams();
  const entries: [string, string | number | readonly string[] | undefined][] = Object.entries(query);
  for (const [name, value] of entries) {
    for (const each of [value ?? []].flat()) search.append(name, String(each));
  }
  return search.toString();
}
