import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import type { OsworldTask } from './task.js';

/** RFC 4122's namespace of URLs. */
const urlNamespace = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');

/** Returns the name-based UUID of version 5, as OSWorld names the files of its cache by. */
export function uuidOfUrl(url: string): string {
  const hash = createHash('sha1').update(urlNamespace).update(url).digest().subarray(0, 16);
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const isUrl = (text: unknown): text is string => typeof text === 'string' && /^https?:/.test(text);

/** Returns the paths in OSWorld's cache of all files that a task downloads. */
export function downloadsOf(task: OsworldTask): string[] {
  const { config, evaluator } = task;
  const steps = [...config, ...evaluator.postconfig].flatMap(({ type, parameters }) => {
    if (type === 'update_browse_history') return ['history_empty.sqlite'];
    if (type !== 'download' || !Array.isArray(parameters.files)) return [];
    const files = parameters.files as { url?: unknown; path?: unknown }[];
    return files.flatMap(({ url, path }) =>
      isUrl(url) && typeof path === 'string' ? [`${uuidOfUrl(url)}_${basename(path)}`] : [],
    );
  });
  const getters = [evaluator.result, evaluator.expected].flat().flatMap((getter) => {
    if (getter?.type !== 'cloud_file') return [];
    return [getter.dest].flat().filter((name) => typeof name === 'string');
  });
  return [...steps, ...getters].map((name) => join(task.id, name));
}

/** Getters that ask live web sites, in the task's browser or from outside. */
const webGetters: ReadonlySet<string> = new Set([
  'active_tab_html_parse',
  'active_tab_url_parse',
  'gotoRecreationPage_and_get_html_content',
  'info_from_website',
  'page_info',
  'pdf_from_url',
  'url_dashPart',
  'url_path_parse',
]);

const accountSteps: ReadonlySet<string> = new Set(['googledrive', 'login']);

/** Programs by the words of `related_apps`. Others, such as `os` and `terminal`, are parts of any desktop. */
const programs: readonly (readonly [apps: RegExp, names: readonly string[], reason: string])[] = [
  [/^chrome$/i, ['google-chrome', 'google-chrome-stable'], 'Google Chrome'],
  [/^(libreoffice.*|calc|writer)$/i, ['libreoffice'], 'LibreOffice'],
  [/^gimp$/i, ['gimp'], 'GIMP'],
  [/^vs_?code$/i, ['code'], 'VS Code'],
  [/^thunderbird$/i, ['thunderbird'], 'Thunderbird'],
  [/^vlc$/i, ['vlc'], 'VLC'],
  [/^picard$/i, ['picard'], 'Picard'],
];

const scoredAtStart = 'its evaluator scores 1 on the fresh desktop of gyre/debian';

/** Tasks whose scores on a desktop of Debian say nothing of the agent, by id. */
const unjudgeable: ReadonlyMap<string, string> = new Map([
  // VLC is the only player.
  ['937087b6-f668-4ba6-9110-60682ee33441', scoredAtStart],
  // The volume is full.
  ['28cc3b7e-b194-4bc9-8353-d04c0f4d56d2', scoredAtStart],
  // Chromium's own settings are what the evaluator looks for.
  ['99146c54-4f37-4ab8-9327-5f3291665e1e', scoredAtStart],
  ['b6781586-6346-41cd-935a-a6b1487918fc', 'its evaluator needs timedatectl, which answers nothing without systemd'],
  ['ec4e3f68-9ea4-4c18-a5c9-69f89d1178b3', "needs GNOME Shell's settings, which gyre/debian lacks"],
]);

export interface Place {
  /** OSWorld's cache of downloaded files. */
  readonly cache: string;
  /** Whether OSWorld may download what the cache lacks. */
  readonly download: boolean;
  /** Getters and metrics of the installed desktop-env: a clone's tasks may be newer. Default: all. */
  readonly evaluators?: ReadonlySet<string>;
  readonly isInstalled?: (program: string) => boolean;
  /** The machine is OSWorld's own, with its applications and the web. Default: a desktop of gyre. */
  readonly official?: boolean;
}

/** Returns why a task cannot be judged there; undefined if it can. */
export function reasonToLeaveOut(
  task: OsworldTask,
  { cache, download, evaluators, official = false, isInstalled = onPath }: Place,
): string | undefined {
  const { config, evaluator, related_apps: apps, id } = task;
  const getters = [evaluator.result, evaluator.expected].flat().flatMap((getter) => getter ?? []);
  const metrics = [evaluator.func].flat().filter((metric) => metric !== null);
  if (config.some(({ type }) => accountSteps.has(type)) || getters.some(({ type }) => type === 'googledrive_file'))
    return "needs a Google account of one's own";
  if (!official && needsWeb(task, getters)) return 'needs live web sites';
  const missing = programs.find(
    ([words, names]) => apps.some((app) => words.test(app)) && !names.some((name) => isInstalled(name)),
  );
  if (!official && missing) return `needs ${missing[2]}, which this machine lacks`;
  if (metrics.includes('compare_image_text')) return 'its metric needs easyocr, which is not installed';
  const functions = [...getters.map(({ type }) => `get_${type}`), ...metrics.filter((name) => name !== 'infeasible')];
  const lacking = evaluators && functions.find((name) => !evaluators.has(name));
  if (lacking !== undefined) return `needs ${lacking}, which the installed desktop-env lacks`;
  if (!download && !downloadsOf(task).every((path) => existsSync(join(cache, path))))
    return 'needs files that are not in the cache (--download)';
  return official ? undefined : unjudgeable.get(id);
}

function needsWeb({ config, evaluator, proxy }: OsworldTask, getters: readonly { type: string }[]): boolean {
  const opensWeb = config.some(
    ({ type, parameters }) => type === 'chrome_open_tabs' && [parameters.urls_to_open].flat().some(isUrl),
  );
  // The address of a browser's settings needs no web.
  const expectsWeb = /"https?:/.test(JSON.stringify(evaluator.expected ?? null));
  const asksWeb = getters.some(
    ({ type }) => webGetters.has(type) || (type === 'active_url_from_accessTree' && expectsWeb),
  );
  return proxy || opensWeb || asksWeb;
}

function onPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}
