import { GyreError } from '@gyre/protocol';
import type { JudgeOptions } from '@gyre/tasks';
import { androidWorldCode, openAndroidWorld } from './androidworld/benchmark.js';
import type { Benchmark } from './benchmark.js';
import type { OfficialCode } from './bridge/officialCode.js';
import { browseCompCode, openBrowseComp } from './browsecomp/benchmark.js';
import { browserGymCode, openBrowserGym } from './browsergym/benchmark.js';
import { openCube } from './cube/benchmark.js';
import { harborCode } from './harbor/code.js';
import { lmgameCode, openLmgame } from './lmgame/benchmark.js';
import { mind2webCode, openMind2web } from './mind2web/benchmark.js';
import { mobileGymCode, openMobileGym } from './mobilegym/benchmark.js';
import { openOsworld, osworldCode } from './osworld/benchmark.js';
import type { OsworldProvider } from './osworld/seat.js';
import { openSwebench, swebenchCode } from './swebench/benchmark.js';
import { openWebarena, webarenaCode } from './webarena/benchmark.js';
import { openWindowsArena, windowsArenaCode } from './windowsarena/benchmark.js';

const installedNames = [
  'browsergym-miniwob',
  'mobilegym',
  'osworld',
  'windowsagentarena',
  'androidworld',
  'lmgame',
  'browsecomp',
  'online-mind2web',
  'swebench',
  'webarena-verified',
] as const;
/** The last is a server's, with code of its own. */
export const benchmarkNames = [...installedNames, 'cube'] as const;
export type BenchmarkName = (typeof benchmarkNames)[number];

export interface OpenOptions {
  /** Folder for files that the benchmark's own programs read. Default: none. */
  readonly results?: string | undefined;
  /** Names the agent in the results. */
  readonly player?: string | undefined;
  /** The most machines at a time. */
  readonly parallel?: number | undefined;
  /** A clone of MobileGym with its apps built. */
  readonly mobilegym?: string | undefined;
  /** A clone of OSWorld. */
  readonly osworld?: string | undefined;
  /** Source of OSWorld's machines. Default: desktops of gyre. */
  readonly provider?: OsworldProvider | undefined;
  /** Image or machine of OSWorld's own provider. */
  readonly vm?: string | undefined;
  /** Region of a cloud. */
  readonly region?: string | undefined;
  /** A clone of WindowsAgentArena or its V2. */
  readonly windowsagentarena?: string | undefined;
  /** Hosts of machines with WindowsAgentArena's server. */
  readonly machines?: readonly string[] | undefined;
  /** Shell command that restarts such a machine before every task. */
  readonly restart?: string | undefined;
  /** A clone of AndroidWorld. */
  readonly androidworld?: string | undefined;
  /** Phones that AndroidWorld's tasks are played on, by adb's serials. */
  readonly phones?: readonly string[] | undefined;
  /** A clone of GamingAgent. */
  readonly lmgame?: string | undefined;
  /** Shows the text of LMGame-Bench's games in addition to the picture. */
  readonly lmgameText?: boolean | undefined;
  /** The official file of BrowseComp's or BrowseComp-ZH's questions. */
  readonly browsecomp?: string | undefined;
  /** A clone of simple-evals, for BrowseComp's English questions. */
  readonly simpleEvals?: string | undefined;
  /** The task list of Online-Mind2Web. */
  readonly mind2web?: string | undefined;
  /** A clone of Online-Mind2Web. */
  readonly onlineMind2web?: string | undefined;
  /** A data set of SWE-bench. */
  readonly swebench?: string | undefined;
  /** Folder of unpacked images of SWE-bench's instances. */
  readonly roots?: string | undefined;
  /** WebArena-Verified's configuration. */
  readonly webarena?: string | undefined;
  /** Server of a benchmark of the CUBE standard. */
  readonly cube?: string | undefined;
  /** Judges every answer, in benchmarks where a model does. */
  readonly judge?: JudgeOptions | undefined;
  /** Whether official code may download what its tasks need. */
  readonly download?: boolean | undefined;
}

interface Entry {
  /** The beginning of its families' names. */
  readonly prefix: string;
  readonly open: (options: OpenOptions) => Promise<Benchmark>;
}

/** Returns what a flag names. Throws 'bad_input' with what the benchmark needs if it is missing. */
function needed<T>(value: T | undefined, benchmark: string, part: string, flag: string, fix: string): T {
  if (value !== undefined) return value;
  throw new GyreError('bad_input', `${benchmark} needs ${part}`, { field: flag, fix: `add ${flag} with ${fix}` });
}

const cloneOf = (repository: string): string => `a clone of https://github.com/${repository}`;

const judgeOf = (judge: JudgeOptions | undefined, benchmark: string): JudgeOptions =>
  needed(judge, benchmark, 'a model that judges', '--judge', 'the URL of an OpenAI-compatible server');

const codes: Readonly<Record<OfficialCodeName, () => OfficialCode>> = {
  'browsergym-miniwob': browserGymCode,
  mobilegym: mobileGymCode,
  osworld: osworldCode,
  windowsagentarena: windowsArenaCode,
  androidworld: androidWorldCode,
  lmgame: lmgameCode,
  browsecomp: browseCompCode,
  'online-mind2web': mind2webCode,
  swebench: swebenchCode,
  'webarena-verified': webarenaCode,
  harbor: harborCode,
};

const table: Readonly<Record<BenchmarkName, Entry>> = {
  'browsergym-miniwob': { prefix: 'browsergym.', open: openBrowserGym },
  mobilegym: {
    prefix: 'mobilegym.',
    open: async ({ mobilegym, parallel }) => {
      const fix = cloneOf('Purewhiter/mobilegym');
      return openMobileGym({
        directory: needed(mobilegym, 'MobileGym', 'its repository', '--mobilegym', fix),
        parallel,
      });
    },
  },
  osworld: {
    prefix: 'osworld.',
    open: async ({ osworld, ...options }) => {
      const directory = needed(osworld, 'OSWorld', 'its repository', '--osworld', cloneOf('xlang-ai/OSWorld'));
      return openOsworld({ directory, ...options });
    },
  },
  windowsagentarena: {
    prefix: 'windowsarena.',
    open: async ({ windowsagentarena, machines, ...options }) => {
      const name = 'WindowsAgentArena';
      const fix = cloneOf('GAIR-NLP/WindowsAgentArena-V2');
      const directory = needed(windowsagentarena, name, 'its repository', '--windowsagentarena', fix);
      const hosts = needed(machines, name, 'a machine', '--machines', 'hosts that run its server');
      return openWindowsArena({ directory, machines: hosts, ...options });
    },
  },
  androidworld: {
    prefix: 'androidworld.',
    open: async ({ androidworld, phones, ...options }) => {
      const name = 'AndroidWorld';
      const fix = cloneOf('google-research/android_world');
      const directory = needed(androidworld, name, 'its repository', '--androidworld', fix);
      const serials = needed(phones, name, 'a phone', '--phones', 'serials of `adb devices`, such as emulator-5554');
      return openAndroidWorld({ directory, phones: serials, ...options });
    },
  },
  lmgame: {
    prefix: 'lmgame.',
    open: async ({ lmgame, lmgameText: text, ...options }) => {
      const fix = cloneOf('lmgame-org/GamingAgent');
      const directory = needed(lmgame, 'LMGame-Bench', 'its repository', '--lmgame', fix);
      return openLmgame({ directory, text, ...options });
    },
  },
  browsecomp: {
    prefix: 'browsecomp.',
    open: async ({ browsecomp, simpleEvals, judge, ...options }) => {
      const name = 'BrowseComp';
      const fix = 'the official .csv, or data/browsecomp-zh-encrypted.xlsx in a clone of BrowseComp-ZH';
      const file = needed(browsecomp, name, 'its file of questions', '--browsecomp', fix);
      const grader = file.endsWith('.csv')
        ? needed(simpleEvals, name, "the grader's prompt", '--simple-evals', cloneOf('openai/simple-evals'))
        : undefined;
      return openBrowseComp({ file, simpleEvals: grader, judge: judgeOf(judge, name), ...options });
    },
  },
  'online-mind2web': {
    prefix: 'mind2web.',
    open: async ({ mind2web, onlineMind2web, judge, ...options }) => {
      const name = 'Online-Mind2Web';
      const tasks = needed(mind2web, name, 'its task list', '--mind2web', 'the JSON file of its data set');
      const fix = cloneOf('OSU-NLP-Group/Online-Mind2Web');
      const clone = needed(onlineMind2web, name, 'the repository of its judge', '--online-mind2web', fix);
      return openMind2web({ tasks, clone, judge: judgeOf(judge, name), ...options });
    },
  },
  swebench: {
    prefix: 'swebench.',
    open: async ({ swebench, roots, ...options }) => {
      const file = needed(swebench, 'SWE-bench', 'its instances', '--swebench', 'a .jsonl of its data set');
      const folder = needed(roots, 'SWE-bench', 'root file systems', '--roots', 'the folder of its unpacked images');
      return openSwebench({ file, roots: folder, ...options });
    },
  },
  'webarena-verified': {
    prefix: 'webarena.',
    open: async ({ webarena, ...options }) => {
      const fix = 'its JSON with the addresses of your sites';
      return openWebarena({
        config: needed(webarena, 'WebArena-Verified', 'its configuration', '--webarena', fix),
        ...options,
      });
    },
  },
  cube: {
    prefix: 'cube.',
    open: async ({ cube }) => {
      const fix = 'the address of its server, such as http://127.0.0.1:8765';
      return openCube({ url: needed(cube, 'CUBE', 'a benchmark', '--cube', fix) });
    },
  },
};

/** Returns the benchmark that a family, or a pattern of families, belongs to. */
export const benchmarkOfFamily = (pattern: string): BenchmarkName | undefined =>
  benchmarkNames.find((name) => pattern.startsWith(table[name].prefix));

/** Official code that gyre installs. Harbor is no suite: it runs gyre, not the other way round. */
export const officialCodeNames = [...installedNames, 'harbor'] as const;
export type OfficialCodeName = (typeof officialCodeNames)[number];

/** Returns official code, installed or not. */
export const benchmarkCode = (name: OfficialCodeName): OfficialCode => codes[name]();

/** Opens a benchmark. Throws `missing` if its code is not installed, `bad_input` for options that do not fit. */
export const openBenchmark = (name: BenchmarkName, options: OpenOptions): Promise<Benchmark> =>
  table[name].open(options);
