import type { Vulkan } from '@gyre/engine';
import {
  adbIsInstalled,
  BrowserPool,
  findBrowser,
  findFfmpeg,
  hostConfinement,
  missingForDesktop,
  missingForVm,
  probeVmAcceleration,
  probeIsolation,
  qemuVersion,
  weaknessOf,
  type VmAcceleration,
  type EnclosureHold,
  type Isolation,
  type Requirement,
} from '@gyre/sandbox';
import { GyreError } from '@gyre/protocol';
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, freemem, homedir, platform, tmpdir, totalmem } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expectPlace } from '../flags/place.js';
import type { ProbeReply } from './webgpuProbe.js';

/** One thing that gyre needs of a machine. */
export interface Check {
  name: string;
  /** False only where something that is required is missing. */
  ok: boolean;
  /** What is there. */
  found: string;
  /** What to do about it; empty where nothing has to be done. */
  fix: string;
  /** Debian packages that mend it. */
  debian?: string[];
  /** Packages of PyPI that mend it, once those are there, for the system's Python. */
  pypi?: string[];
}

export const checkStates = ['ready', 'optional', 'missing'] as const;

/** `ready`: nothing has to be done. `optional`: something is not there that gyre runs without. `missing`: something required is not. */
export function stateOf({ ok, fix }: Pick<Check, 'ok' | 'fix'>): (typeof checkStates)[number] {
  if (!ok) return 'missing';
  return fix === '' ? 'ready' : 'optional';
}

const gigabyte = 2 ** 30;
const gigabytes = (bytes: number) => `${(bytes / gigabyte).toFixed(1)} GB`;

/** The checks that a package of the operating system can mend: the browser, the fonts, desktops, adb, ffmpeg, Vulkan and isolation. */
export async function systemChecks(): Promise<Check[]> {
  return [
    checkBrowser(),
    await checkFonts(),
    await checkMoreFonts(),
    ...checkDesktop(),
    checkAdb(),
    checkFfmpeg(),
    await checkJupyter(),
    await checkPyautogui(),
    ...(await checkVulkan()),
    await checkIsolation(),
  ];
}

/**
 * Every check of `gyre doctor`.
 *
 * @param directory where runs would be written; it need not exist.
 */
export async function allChecks(directory: string): Promise<Check[]> {
  return [
    checkNode(process.versions.node),
    await checkOnnxRuntime(),
    ...(await systemChecks()),
    ...(await checkConfinement()),
    ...(await checkWebgpu()),
    ...(await checkVm()),
    ...(await checkPodman()),
    checkCores(),
    checkMemory(),
    await checkDisk(directory),
    await checkWriting(directory),
  ];
}

/** @param version as in `process.versions.node`. */
export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return { name: 'node', ok, found: `Node ${version}`, fix: ok ? '' : 'Install Node 20.19 or later.' };
}

async function checkOnnxRuntime(): Promise<Check> {
  try {
    // The runtime belongs to the engine, so it is looked up from there.
    const engine = createRequire(import.meta.resolve('@gyre/engine'));
    const runtime: unknown = await import(pathToFileURL(engine.resolve('onnxruntime-node')).href);
    const version = versionOf(runtime);
    return { name: 'onnxruntime', ok: true, found: `onnxruntime-node ${version} loads`, fix: '' };
  } catch (error) {
    return {
      name: 'onnxruntime',
      ok: false,
      found: `onnxruntime-node does not load: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`,
      fix: 'Run npm install --ignore-scripts; it needs Linux (glibc 2.28 or later), macOS or Windows on x64 or arm64.',
    };
  }
}

function versionOf(runtime: unknown): string {
  const module = runtime as {
    env?: { versions?: { node?: string } };
    default?: { env?: { versions?: { node?: string } } };
  };
  return module.env?.versions?.node ?? module.default?.env?.versions?.node ?? '';
}

function checkBrowser(): Check {
  try {
    const browser = findBrowser();
    return { name: 'browser', ok: true, found: `${browser.path} (${browser.source})`, fix: '' };
  } catch (error) {
    if (!(error instanceof GyreError)) throw error;
    return {
      name: 'browser',
      ok: false,
      found: error.message,
      fix:
        error.detail.fix ??
        'Install chromium-headless-shell: apt install chromium-headless-shell, or npx playwright-core install chromium-headless-shell.',
      debian: ['chromium-headless-shell'],
    };
  }
}

/** What holds a browser that runs on the host, by having started one; nothing where there is none. */
async function checkConfinement(): Promise<Check[]> {
  if (!checkBrowser().ok) return [];
  const check = (ok: boolean, found: string, fix: string): Check[] => [{ name: 'browser sandbox', ok, found, fix }];
  try {
    await (await BrowserPool.launch()).close();
  } catch (error) {
    if (!(error instanceof GyreError)) throw error;
    return check(false, error.message, `${capital(error.detail.fix ?? 'see what it says')}.`);
  }
  const { ownUser, sandbox, filter } = hostConfinement()!;
  const weakness = weaknessOf({ ownUser, sandbox, filter });
  if (weakness) return check(true, weakness.message, `${capital(weakness.fix)}.`);
  const held = [
    ...(ownUser ? ['a user of its own'] : []),
    "Chromium's sandbox",
    ...(filter ? ['a seccomp filter'] : []),
  ];
  const fix = ownUser && !filter ? 'For the filter, install perl.' : '';
  return check(true, `each browser has ${held.join(', ')}`, fix);
}

/** What desktop sessions need on Linux; nothing elsewhere. Everything else works without it. */
export function checkDesktop(find: () => Requirement[] = missingForDesktop): Check[] {
  if (platform() !== 'linux') return [];
  const missing = find();
  const debian = missing.map((requirement) => requirement.debian);
  if (missing.length === 0) return [{ name: 'desktop', ok: true, found: 'an X server and applications', fix: '' }];
  return [
    {
      name: 'desktop',
      ok: true,
      found: `without ${missing.map(({ name }) => name).join(', ')}`,
      fix: `Desktop sessions need it: apt install ${debian.join(' ')}.`,
      debian,
    },
  ];
}

/** What phones are driven by: 3 MB with its libraries. Everything else works without it. */
export function checkAdb(installed: boolean = adbIsInstalled()): Check {
  if (installed) return { name: 'adb', ok: true, found: 'on the PATH', fix: '' };
  return {
    name: 'adb',
    ok: true,
    found: 'not installed',
    fix: 'To drive phones, install it: apt install adb, or the platform tools of Android.',
    debian: ['adb'],
  };
}

/** What records sessions as videos. Everything else works without it. */
export function checkFfmpeg(find: () => string = findFfmpeg): Check {
  try {
    return { name: 'ffmpeg', ok: true, found: find(), fix: '' };
  } catch (error) {
    if (!(error instanceof GyreError)) throw error;
    return {
      name: 'ffmpeg',
      ok: true,
      found: 'not installed',
      fix: 'To record sessions as videos, install it: apt install ffmpeg.',
      debian: ['ffmpeg'],
    };
  }
}

/** What runs an agent's Python cells: that of the session's machine, which without walls is this one. Everything else works without it. */
export async function checkJupyter(imports: () => Promise<unknown> = importKernel): Promise<Check> {
  try {
    await imports();
    return { name: 'Jupyter', ok: true, found: 'ipykernel', fix: '' };
  } catch {
    return {
      name: 'Jupyter',
      ok: true,
      found: 'not installed for the python3 on the PATH',
      fix: 'To let agents run Python cells, install it: apt install python3-ipykernel python3-jupyter-client, or pip install ipykernel.',
      debian: ['python3-ipykernel', 'python3-jupyter-client'],
    };
  }
}

const importKernel = (): Promise<unknown> =>
  promisify(execFile)('python3', ['-c', 'import ipykernel, jupyter_client'], { timeout: 20_000 });

/** Checks for what programs of OSWorld's agents import: in the system's Python, which sessions have. Everything else works without it. */
export async function checkPyautogui(find: () => Promise<unknown> = findPyautogui): Promise<Check> {
  try {
    await find();
    return { name: 'pyautogui', ok: true, found: 'pyautogui and pyperclip', fix: '' };
  } catch {
    return {
      name: 'pyautogui',
      ok: true,
      found: 'not installed for /usr/bin/python3',
      fix: 'To let clients of OSWorld run any program, install it: apt install python3-tk xclip, then pip install pyautogui pyperclip, or fill a folder for gyre serve sandbox --python-packages by pip install --target.',
      debian: ['python3-tk', 'xclip', 'python3-pip'],
      pypi: ['pyautogui', 'pyperclip'],
    };
  }
}

/** Importing them needs a display. */
const findPyautogui = (): Promise<unknown> =>
  promisify(execFile)(
    '/usr/bin/python3',
    [
      '-c',
      'from importlib.util import find_spec as find; assert find("pyautogui") and find("pyperclip") and find("tkinter")',
    ],
    { timeout: 20_000 },
  );

/** What WebGPU needs on Linux; nothing elsewhere. Everything works without it, on the CPU. */
export async function checkVulkan(find?: () => Vulkan): Promise<Check[]> {
  if (platform() !== 'linux') return [];
  const engine = await loadedEngine();
  if (!engine) return [];
  const { findVulkan, missingVulkan } = engine;
  const vulkan = (find ?? findVulkan)();
  const missing = missingVulkan(vulkan);
  if (!missing) {
    const drivers = vulkan.drivers.map((path) => basename(path)).join(', ');
    return [{ name: 'vulkan', ok: true, found: `${vulkan.loader} with ${drivers}`, fix: '' }];
  }
  return [
    {
      name: 'vulkan',
      ok: true,
      found: `${missing.problem}: models learn on the CPU`,
      fix: `To let them learn on a graphics processor, ${missing.fix}.`,
      ...(vulkan.loader ? {} : { debian: ['libvulkan1'] }),
    },
  ];
}

/** What computes where a graphics processor is asked for; nothing where Vulkan is known to be missing. */
async function checkWebgpu(): Promise<Check[]> {
  const engine = await loadedEngine();
  if (!engine) return [];
  const { describeVulkan, findVulkan, missingVulkan } = engine;
  const vulkan = findVulkan();
  if (missingVulkan(vulkan)) return [];
  const program = fileURLToPath(new URL('./webgpuProbe.js', import.meta.url));
  const check = (found: string, fix: string): Check[] => [{ name: 'webgpu', ok: true, found, fix }];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 30_000 });
    const reply = JSON.parse(stdout) as ProbeReply;
    if ('found' in reply) return check(reply.found, `${capital(reply.fix)}.`);
    const where = platform() === 'linux' ? describeVulkan(vulkan) : 'the graphics processor';
    if (reply.difference < 1e-4) return check(`computes as the CPU does: ${where}`, '');
    return check(`computes something else than the CPU: ${where}`, 'Use the backend cpu, or try another driver.');
  } catch (error) {
    return check(
      `the driver does not work: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`,
      'Use the backend cpu, or try another driver.',
    );
  }
}

/** Whether sessions can have walls around them, by having built some. Everything but hostile programs works without. */
export async function checkIsolation(probe: () => Promise<Isolation> = probeIsolation): Promise<Check> {
  const isolation = await probe();
  const check = (found: string, fix: string) => ({ name: 'isolation', ok: true, found, fix });
  if (isolation.kind === 'none') {
    const { missing, reason, fix } = isolation;
    return {
      ...check(`none: ${reason.split('\n')[0]}`, `For sessions with walls, ${fix}.`),
      ...(missing ? { debian: ['bubblewrap', 'util-linux'] } : {}),
    };
  }
  const { kind, holds, filtered, apart } = isolation;
  const weak = Object.entries({ memory: holds.memoryBytes, cpu: holds.cpus, disk: holds.diskBytes })
    .filter(([, hold]) => hold !== 'session')
    .map(([limit, hold]) => `${limit} ${holdWords[hold]}`);
  const bounded = weak.length === 0 ? 'all limits hold' : `limits hold but for ${weak.join(', ')}`;
  const limits = apart ? bounded : `${bounded}; the agent is the same user as what is judged`;
  if (!filtered) return check(`${kind}; ${limits}; system calls are not filtered`, 'Install perl.');
  const wants = [
    ...(weak.length === 0 ? [] : ['For all limits, run as root or have control groups delegated.']),
    ...(apart ? [] : ['For verdicts that an agent with a shell cannot forge, run as root.']),
  ];
  const fix = wants.join(' ');
  return check(`${kind}; ${limits}`, fix);
}

/** Whether podman can build walls too, by having built some, on Linux. Nothing needs it. */
export async function checkPodman(
  probe: () => Promise<Isolation> = () => probeIsolation({ builder: 'podman' }),
): Promise<Check[]> {
  if (platform() !== 'linux') return [];
  const check = await checkIsolation(probe);
  // Not among what the set-up installs: bubblewrap does as well.
  delete check.debian;
  return [{ ...check, name: 'podman', fix: check.fix.replace(/^For sessions with walls, /, 'For walls by podman, ') }];
}

/** What virtual machines need on Linux, and whether they run on KVM, by having booted one; nothing elsewhere. Everything else works without. */
export async function checkVm(
  missing: readonly Requirement[] = missingForVm(),
  probe: () => Promise<VmAcceleration> = probeVmAcceleration,
): Promise<Check[]> {
  if (platform() !== 'linux') return [];
  const check = (found: string, fix: string): Check[] => [{ name: 'vm', ok: true, found, fix }];
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ');
    // Not among what the set-up installs: it is large, and few need it.
    return check(
      `without ${names}`,
      `For virtual machines: apt install ${missing.map(({ debian }) => debian).join(' ')}.`,
    );
  }
  const qemu = `QEMU ${await qemuVersion().catch(() => 'that does not say its version')}`;
  const found = await probe();
  if (found.kind === 'kvm') return check(`${qemu}; a guest booted on KVM`, '');
  return check(`${qemu}; without KVM: ${found.why}`, found.fix ? `${capital(found.fix)}.` : '');
}

const holdWords: Readonly<Record<EnclosureHold, string>> = {
  session: 'held',
  each: 'of each process alone',
  watched: 'watched',
  none: 'not held at all',
};

/** The engine; undefined where its runtime does not load, which is a check of its own. */
async function loadedEngine() {
  return import('@gyre/engine').catch(() => undefined);
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const fontFamilies = [
  { name: 'DejaVu', debian: 'fonts-dejavu-core' },
  { name: 'Liberation', debian: 'fonts-liberation' },
];

/** Families that perception data is drawn with where they are there: other looks, and Chinese. 11 MB in all. */
const moreFontFamilies = [
  { name: 'OpenSans', debian: 'fonts-open-sans' },
  { name: 'Carlito', debian: 'fonts-crosextra-carlito' },
  { name: 'Cabin', debian: 'fonts-cabin' },
  { name: 'Cantarell', debian: 'fonts-cantarell' },
  { name: 'wqy-microhei', debian: 'fonts-wqy-microhei' },
  { name: 'wqy-zenhei', debian: 'fonts-wqy-zenhei' },
];

/** Those of some families of which no file is in the folders. */
async function missingOf<T extends { name: string }>(families: readonly T[], folders: readonly string[]): Promise<T[]> {
  const files = (
    await Promise.all(folders.map((folder) => readdir(folder, { recursive: true }).catch(() => [])))
  ).flat();
  return families.filter(({ name }) => !files.some((file) => file.split(/[\\/]/).at(-1)?.startsWith(name)));
}

/** @param folders where the machine keeps its fonts; by default, the usual ones. */
export async function checkMoreFonts(folders: readonly string[] = fontFolders()): Promise<Check> {
  const missing = await missingOf(moreFontFamilies, folders);
  if (missing.length === 0) return { name: 'more fonts', ok: true, found: 'all that perception data uses', fix: '' };
  const debian = missing.map((family) => family.debian);
  return {
    name: 'more fonts',
    // Everything works without them, on fewer looks.
    ok: true,
    found: `without ${missing.map((family) => family.name).join(', ')}`,
    fix: `Perception data shows fewer fonts, and no Chinese without wqy: apt install ${debian.join(' ')}.`,
    debian,
  };
}

/** @param folders where the machine keeps its fonts; by default, the usual ones. */
export async function checkFonts(folders: readonly string[] = fontFolders()): Promise<Check> {
  const missing = await missingOf(fontFamilies, folders);
  if (missing.length === 0) return { name: 'fonts', ok: true, found: 'DejaVu and Liberation', fix: '' };
  const debian = missing.map((family) => family.debian);
  return {
    name: 'fonts',
    ok: false,
    found: `missing: ${missing.map((family) => family.name).join(', ')}`,
    fix: `Install the font families that the tasks are drawn with: apt install ${debian.join(' ')}.`,
    debian,
  };
}

function fontFolders(): string[] {
  if (platform() === 'darwin') return ['/Library/Fonts', join(homedir(), 'Library/Fonts')];
  if (platform() === 'win32') return [join(process.env.WINDIR ?? 'C:\\Windows', 'Fonts')];
  return [
    '/usr/share/fonts',
    '/usr/local/share/fonts',
    join(homedir(), '.fonts'),
    join(homedir(), '.local/share/fonts'),
  ];
}

function checkCores(): Check {
  const cores = availableParallelism();
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const ok = cores >= 2;
  const fix = ok ? '' : 'Two cores are needed: one for the browsers, one for the model.';
  return { name: 'cores', ok, found: `${cores} × ${model}`, fix };
}

function checkMemory(): Check {
  // A container's limit is below the machine's memory; Node knows it as the constrained memory.
  const limit = process.constrainedMemory();
  const total = limit > 0 && limit < totalmem() ? limit : totalmem();
  const ok = total >= 3 * gigabyte;
  const found = `${gigabytes(total)}, ${gigabytes(Math.min(freemem(), total))} free`;
  return { name: 'memory', ok, found, fix: ok ? '' : 'Give it 4 GB: the browsers and the model need about 3.' };
}

async function checkDisk(directory: string): Promise<Check> {
  const existing = await nearestExisting(directory);
  const { bavail, bsize } = await statfs(existing);
  const free = bavail * bsize;
  const ok = free >= 2 * gigabyte;
  return {
    name: 'disk',
    ok,
    found: `${gigabytes(free)} free for ${directory}`,
    fix: ok ? '' : 'Free 2 GB, or name another disk by --directory.',
  };
}

async function checkWriting(directory: string): Promise<Check> {
  try {
    expectPlace('--directory', directory, 'write a folder');
  } catch (error) {
    if (!(error instanceof GyreError)) throw error;
    const fix = `${capital(error.detail.fix ?? 'name another place')} by --directory.`;
    return { name: 'writing', ok: false, found: error.message, fix };
  }
  const existing = await nearestExisting(directory);
  for (const folder of [existing, tmpdir()]) {
    try {
      const probe = await mkdtemp(join(folder, '.gyre-probe-'));
      await mkdir(join(probe, 'folder'));
      await writeFile(join(probe, 'file'), 'x');
      await rm(probe, { recursive: true });
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? String(error);
      const fix = `Make ${folder} writable, or name another folder${folder === existing ? ' by --directory' : ' by TMPDIR'}.`;
      return { name: 'writing', ok: false, found: `${folder} cannot be written: ${reason}`, fix };
    }
  }
  return { name: 'writing', ok: true, found: `${existing} and ${tmpdir()} can be written`, fix: '' };
}

async function nearestExisting(directory: string): Promise<string> {
  let folder = resolve(directory);
  while (dirname(folder) !== folder) {
    try {
      await access(folder, constants.F_OK);
      return folder;
    } catch {
      folder = dirname(folder);
    }
  }
  return folder;
}
