import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import picomatch from 'picomatch';
import type { Change, Watch } from '../../../files/watch.js';
import { jsonFields, numberField, textField } from '../../served/request.js';
import type { SessionPaths } from './paths.js';
import { done, optionalTexts, Unsuccessful, type Routes } from '../route.js';

const maxWatchers = 16;
const maxEvents = 10_000;
const defaultExcluded = [
  '.git',
  'node_modules',
  '__pycache__',
  '.venv',
  '*.pyc',
  '*.pyo',
  '.DS_Store',
  '*.swp',
  '*.swo',
];
const types = { created: 'create', changed: 'write', removed: 'remove' } as const;

interface WatchEvent {
  readonly seq: number;
  readonly type: 'create' | 'write' | 'remove' | 'overflow';
  readonly path: string;
  readonly is_directory: boolean;
  readonly timestamp: string;
}

class Watcher {
  readonly id = randomUUID();
  readonly events: WatchEvent[] = [];
  #seq = 0;
  #wake: () => void = () => {};

  constructor(
    readonly path: string,
    readonly isRecursive: boolean,
    readonly watch: Watch,
    place: (path: string) => string,
    isWanted: (path: string) => boolean,
  ) {
    void this.#follow(place, isWanted);
  }

  after(cursor: number): WatchEvent[] {
    return this.events.filter(({ seq }) => seq > cursor);
  }

  async next(ms: number): Promise<void> {
    const stop = new AbortController();
    const event = new Promise<void>((resolve) => (this.#wake = resolve));
    const late = pause(ms, undefined, { signal: stop.signal }).catch(() => undefined);
    await Promise.race([event, late]);
    stop.abort();
  }

  async #follow(place: (path: string) => string, isWanted: (path: string) => boolean): Promise<void> {
    for await (const change of this.watch) {
      if (change.type !== 'overflow' && !isWanted(change.path)) continue;
      this.events.push(this.#event(change, place));
      this.events.splice(0, this.events.length - maxEvents);
      this.#wake();
    }
  }

  #event(change: Change, place: (path: string) => string): WatchEvent {
    const common = { seq: ++this.#seq, timestamp: new Date().toISOString() };
    if (change.type === 'overflow') return { ...common, type: 'overflow', path: this.path, is_directory: true };
    const is_directory = change.entry === 'folder';
    return { ...common, type: types[change.type], path: place(change.path), is_directory };
  }
}

/** Serves folders in the home only. */
export function watchRoutes(paths: SessionPaths): Routes {
  const watchers = new Map<string, Watcher>();
  const infoOf = ({ id, path, isRecursive, events }: Watcher) => ({
    watcher_id: id,
    path,
    recursive: isRecursive,
    event_count: events.length,
  });

  return {
    'GET /v1/file/watch': () => done({ watchers: [...watchers.values()].map(infoOf) }),
    'POST /v1/file/watch': async (request) => {
      const fields = await jsonFields(request);
      if (watchers.size >= maxWatchers) throw new Unsuccessful(`${maxWatchers} watchers run: stop some first`);
      const excluded = picomatch([...(optionalTexts(fields, 'exclude') ?? defaultExcluded)], { dot: true });
      const globs = optionalTexts(fields, 'include_patterns') ?? [];
      const included = globs.length === 0 ? () => true : picomatch([...globs], { dot: true });
      const watcher = await startWatcher(textField(fields, 'path'), fields.recursive !== false, (path) => {
        const names = path.split('/');
        return !names.some((name) => excluded(name)) && (included(path) || included(names.at(-1)!));
      });
      watchers.set(watcher.id, watcher);
      return done(infoOf(watcher));
    },
    'GET /v1/file/watch/:id/events': (_, { id = '' }) => done({ events: watcherOf(id).events }),
    'POST /v1/file/watch/:id/poll': async ({ query = {}, ...request }, { id = '' }) => {
      const watcher = watcherOf(id);
      const fields = request.body?.length ? await jsonFields({ ...request, query }) : {};
      const number = (name: string) => numberField(fields, name) ?? (Number(query[name]) || undefined);
      // Version 0.0.30 of the client says `since`.
      const cursor = number('cursor') ?? number('since') ?? 0;
      if (watcher.after(cursor).length === 0) await watcher.next((number('timeout') ?? 0) * 1_000);
      const events = watcher.after(cursor).slice(0, number('limit') ?? 100);
      return done({ events, cursor: events.at(-1)?.seq ?? cursor });
    },
    'POST /v1/file/watch/wait': async (request) => {
      const fields = await jsonFields(request);
      const path = paths.absolute(textField(fields, 'path'));
      const eventTypes = optionalTexts(fields, 'event_types') ?? Object.values(types);
      const deadline = performance.now() + (numberField(fields, 'timeout') ?? 30) * 1_000;
      const folder = path.slice(0, path.lastIndexOf('/'));
      const watcher = await startWatcher(folder, false, () => true);
      try {
        for (;;) {
          const event = watcher.events.find((each) => each.path === path && eventTypes.includes(each.type));
          const remainingMs = deadline - performance.now();
          if (event !== undefined || remainingMs <= 0)
            return done({ triggered: event !== undefined, path, event: event ?? null });
          await watcher.next(remainingMs);
        }
      } finally {
        watcher.watch.close();
      }
    },
    'DELETE /v1/file/watch/:id': (_, { id = '' }) => {
      const watcher = watcherOf(id);
      watchers.delete(id);
      watcher.watch.close();
      return done(infoOf(watcher));
    },
  };

  function watcherOf(id: string): Watcher {
    const watcher = watchers.get(id);
    if (watcher === undefined) throw new Unsuccessful(`there is no watcher ${JSON.stringify(id)}`);
    return watcher;
  }

  async function startWatcher(
    path: string,
    isRecursive: boolean,
    isWanted: (path: string) => boolean,
  ): Promise<Watcher> {
    if (!paths.isInHome(path)) throw new Unsuccessful(`only folders in ${paths.home} can be watched`);
    const watch = await paths.files.watch(paths.absolute(path), { recursive: isRecursive });
    return new Watcher(paths.absolute(path), isRecursive, watch, (name) => paths.absolute(name), isWanted);
  }
}
