import { benchmarkCode, officialCodeNames, uvVersion } from '@gyre/benchmarks';
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
import { checkPath } from '../flags/checkPath.js';
import type { ProbeReply } from './webgpuProbe.js';

export interface Check {
  name: string;
  /** False only if a requirement is missing. */
  ok: boolean;
  finding: string;
  /** Advice; empty if there is nothing to do. */
  fix: string;
  debian?: string[];
  /** PyPI packages for the system's Python. */
  pypi?: string[];
}

export const checkStates = ['ready', 'optional', 'missing'] as const;

export function stateOf({ ok, fix }: Pick<Check, 'ok' | 'fix'>): (typeof checkStates)[number] {
  if (!ok) return 'missing';
  return fix === '' ? 'ready' : 'optional';
}

const gigabyte = 2 ** 30;
const gigabytes = (bytes: number) => `${(bytes / gigabyte).toFixed(1)} GB`;

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

/** @param directory for runs; it need not exist. */
export async function allChecks(directory: string): Promise<Check[]> {
  return [
    checkNode(process.versions.node),
    await checkOnnxRuntime(),
    ...(await systemChecks()),
    ...(await checkConfinement()),
    ...(await checkWebgpu()),
    ...(await checkVm()),
    ...(await checkPodman()),
    await checkBenchmarks(),
    checkCores(),
    checkMemory(),
    await checkDisk(directory),
    await checkWriting(directory),
  ];
}

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return { name: 'node', ok, finding: `Node ${version}`, fix: ok ? '' : 'Install Node 20.19 or later.' };
}

async function checkOnnxRuntime(): Promise<Check> {
  try {
    // The runtime is a dependency of the engine.
    const engine = createRequire(import.meta.resolve('@gyre/engine'));
    const runtime: unknown = await import(pathToFileURL(engine.resolve('onnxruntime-node')).href);
    const version = versionOf(runtime);
    return { name: 'onnxruntime', ok: true, finding: `onnxruntime-node ${version} loads`, fix: '' };
  } catch (error) {
    return {
      name: 'onnxruntime',
      ok: false,
      finding: `cannot load onnxruntime-node: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`,
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
    return { name: 'browser', ok: true, finding: `${browser.path} (${browser.source})`, fix: '' };
  } catch (error) {
    if (!(error instanceof GyreError)) throw error;
    return {
      name: 'browser',
      ok: false,
      finding: error.message,
      fix:
        error.detail.fix ??
        'Install chromium-headless-shell: apt install chromium-headless-shell, or npx playwright-core install chromium-headless-shell.',
      debian: ['chromium-headless-shell'],
    };
  }
}

/** Launches a browser to report its confinement. */
async function checkConfinement(): Promise<Check[]> {
  if (!checkBrowser().ok) return [];
  const check = (ok: boolean, finding: string, fix: string): Check[] => [{ name: 'browser sandbox', ok, finding, fix }];
  try {
    await (await BrowserPool.launch()).close();
  } catch (error) {
    if (!(error instanceof GyreError)) throw error;
    return check(false, error.message, `${capitalise(error.detail.fix ?? 'see the message')}.`);
  }
  const { ownUser, sandbox, filter } = hostConfinement()!;
  const weakness = weaknessOf({ ownUser, sandbox, filter });
  if (weakness) return check(true, weakness.message, `${capitalise(weakness.fix)}.`);
  const protections = [
    ...(ownUser ? ['its own user'] : []),
    "Chromium's sandbox",
    ...(filter ? ['a seccomp filter'] : []),
  ];
  const fix = ownUser && !filter ? 'To add a seccomp filter, install perl.' : '';
  return check(true, `each browser has ${protections.join(', ')}`, fix);
}

export function checkDesktop(find: () => Requirement[] = missingForDesktop): Check[] {
  if (platform() !== 'linux') return [];
  const missing = find();
  const debian = missing.map((requirement) => requirement.debian);
  if (missing.length === 0) return [{ name: 'desktop', ok: true, finding: 'an X server and applications', fix: '' }];
  return [
    {
      name: 'desktop',
      ok: true,
      finding: `missing: ${missing.map(({ name }) => name).join(', ')}`,
      fix: `To run desktop sessions: apt install ${debian.join(' ')}.`,
      debian,
    },
  ];
}

export function checkAdb(installed: boolean = adbIsInstalled()): Check {
  if (installed) return { name: 'adb', ok: true, finding: 'on the PATH', fix: '' };
  return {
    name: 'adb',
    ok: true,
    finding: 'not installed',
    fix: "To drive phones: apt install adb, or install Android's platform tools.",
    debian: ['adb'],
  };
}

export function checkFfmpeg(find: () => string = findFfmpeg): Check {
  try {
    return { name: 'ffmpeg', ok: true, finding: find(), fix: '' };
  } catch (error) {
    if (!(error instanceof GyreError)) throw error;
    return {
      name: 'ffmpeg',
      ok: true,
      finding: 'not installed',
      fix: 'To record sessions as videos: apt install ffmpeg.',
      debian: ['ffmpeg'],
    };
  }
}

export async function checkJupyter(imports: () => Promise<unknown> = importKernel): Promise<Check> {
  try {
    await imports();
    return { name: 'Jupyter', ok: true, finding: 'ipykernel', fix: '' };
  } catch {
    return {
      name: 'Jupyter',
      ok: true,
      finding: 'not installed for the python3 on the PATH',
      fix: 'To let agents run Python cells: apt install python3-ipykernel python3-jupyter-client, or pip install ipykernel.',
      debian: ['python3-ipykernel', 'python3-jupyter-client'],
    };
  }
}

const importKernel = (): Promise<unknown> =>
  promisify(execFile)('python3', ['-c', 'import ipykernel, jupyter_client'], { timeout: 20_000 });

export async function checkPyautogui(find: () => Promise<unknown> = findPyautogui): Promise<Check> {
  try {
    await find();
    return { name: 'pyautogui', ok: true, finding: 'pyautogui and pyperclip', fix: '' };
  } catch {
    return {
      name: 'pyautogui',
      ok: true,
      finding: 'not installed for /usr/bin/python3',
      fix: 'To let clients of OSWorld run any program: apt install python3-tk xclip, then pip install pyautogui pyperclip, or pip install --target FOLDER for gyre serve sandbox --python-packages FOLDER.',
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

export async function checkVulkan(find?: () => Vulkan): Promise<Check[]> {
  if (platform() !== 'linux') return [];
  const engine = await loadEngine();
  if (!engine) return [];
  const { findVulkan, missingVulkan } = engine;
  const vulkan = (find ?? findVulkan)();
  const missing = missingVulkan(vulkan);
  if (!missing) {
    const drivers = vulkan.drivers.map((path) => basename(path)).join(', ');
    return [{ name: 'vulkan', ok: true, finding: `${vulkan.loader} with ${drivers}`, fix: '' }];
  }
  return [
    {
      name: 'vulkan',
      ok: true,
      finding: `${missing.problem}: models train on the CPU`,
      fix: `To train on a GPU, ${missing.fix}.`,
      ...(vulkan.loader ? {} : { debian: ['libvulkan1'] }),
    },
  ];
}

async function checkWebgpu(): Promise<Check[]> {
  const engine = await loadEngine();
  if (!engine) return [];
  const { describeVulkan, findVulkan, missingVulkan } = engine;
  const vulkan = findVulkan();
  if (missingVulkan(vulkan)) return [];
  const program = fileURLToPath(new URL('./webgpuProbe.js', import.meta.url));
  const check = (finding: string, fix: string): Check[] => [{ name: 'webgpu', ok: true, finding, fix }];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 30_000 });
    const reply = JSON.parse(stdout) as ProbeReply;
    if ('problem' in reply) return check(reply.problem, `${capitalise(reply.fix)}.`);
    const where = platform() === 'linux' ? describeVulkan(vulkan) : 'the GPU';
    if (reply.difference < 1e-4) return check(`results match those of the CPU: ${where}`, '');
    return check(`results differ from those of the CPU: ${where}`, 'Use the backend cpu, or try another driver.');
  } catch (error) {
    return check(
      `the driver does not work: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`,
      'Use the backend cpu, or try another driver.',
    );
  }
}

/** Builds a sandbox to report its isolation. */
export async function checkIsolation(probe: () => Promise<Isolation> = probeIsolation): Promise<Check> {
  const isolation = await probe();
  const check = (finding: string, fix: string) => ({ name: 'isolation', ok: true, finding, fix });
  if (isolation.kind === 'none') {
    const { missing, reason, fix } = isolation;
    return {
      ...check(`none: ${reason.split('\n')[0]}`, `For isolated sessions, ${fix}.`),
      ...(missing ? { debian: ['bubblewrap', 'util-linux'] } : {}),
    };
  }
  const { kind, holds, filtered, apart } = isolation;
  const weak = Object.entries({ memory: holds.memoryBytes, cpu: holds.cpus, disk: holds.diskBytes })
    .filter(([, hold]) => hold !== 'session')
    .map(([limit, hold]) => `${limit} ${holdWords[hold]}`);
  const bounded = weak.length === 0 ? 'all limits are enforced' : `not all limits are enforced (${weak.join(', ')})`;
  const limits = apart ? bounded : `${bounded}; agents and verifiers share a user`;
  if (!filtered) return check(`${kind}; ${limits}; system calls are not filtered`, 'Install perl.');
  const wants = [
    ...(weak.length === 0 ? [] : ['To enforce all limits, run as root or delegate control groups to this user.']),
    ...(apart ? [] : ['To keep agents with a shell from forging verdicts, run as root.']),
  ];
  const fix = wants.join(' ');
  return check(`${kind}; ${limits}`, fix);
}

export async function checkPodman(
  probe: () => Promise<Isolation> = () => probeIsolation({ builder: 'podman' }),
): Promise<Check[]> {
  if (platform() !== 'linux') return [];
  const check = await checkIsolation(probe);
  // Setup does not install it: bubblewrap suffices.
  delete check.debian;
  return [
    { ...check, name: 'podman', fix: check.fix.replace(/^For isolated sessions, /, 'For isolation with podman, ') },
  ];
}

export async function checkVm(
  missing: readonly Requirement[] = missingForVm(),
  probe: () => Promise<VmAcceleration> = probeVmAcceleration,
): Promise<Check[]> {
  if (platform() !== 'linux') return [];
  const check = (finding: string, fix: string): Check[] => [{ name: 'vm', ok: true, finding, fix }];
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ');
    // Setup does not install it: large and rarely needed.
    return check(
      `missing: ${names}`,
      `To run virtual machines: apt install ${missing.map(({ debian }) => debian).join(' ')}.`,
    );
  }
  const qemu = `QEMU ${await qemuVersion().catch(() => '(unknown version)')}`;
  const acceleration = await probe();
  if (acceleration.kind === 'kvm') return check(`${qemu}; a guest booted on KVM`, '');
  return check(`${qemu}; without KVM: ${acceleration.why}`, acceleration.fix ? `${capitalise(acceleration.fix)}.` : '');
}

/** @param prepared tells whether the official code of a benchmark is installed */
export async function checkBenchmarks(
  prepared: (name: (typeof officialCodeNames)[number]) => boolean = (name) => benchmarkCode(name).prepared,
  findUv: () => Promise<string | undefined> = uvVersion,
): Promise<Check> {
  const installed = officialCodeNames.filter(prepared);
  const missing = officialCodeNames.filter((name) => !installed.includes(name));
  const uv = missing.length === 0 ? undefined : await findUv();
  const commands = missing.map((name) => `gyre bench prepare ${name}`).join(', ');
  return {
    name: 'benchmarks',
    ok: true,
    finding: installed.length === 0 ? 'none installed' : `installed: ${installed.join(', ')}`,
    fix:
      missing.length === 0
        ? ''
        : `To evaluate on official benchmarks: ${uv === undefined ? 'pip install uv, then ' : ''}${commands}.`,
  };
}

const holdWords: Readonly<Record<EnclosureHold, string>> = {
  session: 'enforced',
  each: 'per process only',
  watched: 'watched',
  none: 'unlimited',
};

async function loadEngine() {
  return import('@gyre/engine').catch(() => undefined);
}

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const fontFamilies = [
  { name: 'DejaVu', debian: 'fonts-dejavu-core' },
  { name: 'Liberation', debian: 'fonts-liberation' },
];

/** Optional for perception data: other looks, and Chinese. 11 MB. */
const moreFontFamilies = [
  { name: 'OpenSans', debian: 'fonts-open-sans' },
  { name: 'Carlito', debian: 'fonts-crosextra-carlito' },
  { name: 'Cabin', debian: 'fonts-cabin' },
  { name: 'Cantarell', debian: 'fonts-cantarell' },
  { name: 'wqy-microhei', debian: 'fonts-wqy-microhei' },
  { name: 'wqy-zenhei', debian: 'fonts-wqy-zenhei' },
];

async function missingFonts<T extends { name: string }>(
  families: readonly T[],
  folders: readonly string[],
): Promise<T[]> {
  const files = (
    await Promise.all(folders.map((folder) => readdir(folder, { recursive: true }).catch(() => [])))
  ).flat();
  return families.filter(({ name }) => !files.some((file) => file.split(/[\\/]/).at(-1)?.startsWith(name)));
}

async function checkMoreFonts(folders: readonly string[] = fontFolders()): Promise<Check> {
  const missing = await missingFonts(moreFontFamilies, folders);
  if (missing.length === 0) return { name: 'more fonts', ok: true, finding: 'all fonts of perception data', fix: '' };
  const debian = missing.map((family) => family.debian);
  return {
    name: 'more fonts',
    ok: true,
    finding: `missing: ${missing.map((family) => family.name).join(', ')}`,
    fix: `For all fonts of perception data (wqy for Chinese): apt install ${debian.join(' ')}.`,
    debian,
  };
}

export async function checkFonts(folders: readonly string[] = fontFolders()): Promise<Check> {
  const missing = await missingFonts(fontFamilies, folders);
  if (missing.length === 0) return { name: 'fonts', ok: true, finding: 'DejaVu and Liberation', fix: '' };
  const debian = missing.map((family) => family.debian);
  return {
    name: 'fonts',
    ok: false,
    finding: `missing: ${missing.map((family) => family.name).join(', ')}`,
    fix: `Install the fonts of the tasks: apt install ${debian.join(' ')}.`,
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
  const fix = ok ? '' : 'Use a machine with two cores: one for the browsers, one for the model.';
  return { name: 'cores', ok, finding: `${cores} × ${model}`, fix };
}

function checkMemory(): Check {
  // A container's limit.
  const limit = process.constrainedMemory();
  const total = limit > 0 && limit < totalmem() ? limit : totalmem();
  const ok = total >= 3 * gigabyte;
  const finding = `${gigabytes(total)}, ${gigabytes(Math.min(freemem(), total))} free`;
  return {
    name: 'memory',
    ok,
    finding,
    fix: ok ? '' : 'Use a machine with 4 GB: the browsers and the model need about 3.',
  };
}

async function checkDisk(directory: string): Promise<Check> {
  const existing = await nearestExisting(directory);
  const { bavail, bsize } = await statfs(existing);
  const free = bavail * bsize;
  const ok = free >= 2 * gigabyte;
  return {
    name: 'disk',
    ok,
    finding: `${gigabytes(free)} free for ${directory}`,
    fix: ok ? '' : 'Free 2 GB, or choose another disk with --directory.',
  };
}

async function checkWriting(directory: string): Promise<Check> {
  try {
    checkPath('--directory', directory, 'write a folder');
  } catch (error) {
    if (!(error instanceof GyreError)) throw error;
    const fix = `${capitalise(error.detail.fix ?? 'choose another folder')} with --directory.`;
    return { name: 'writing', ok: false, finding: error.message, fix };
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
      const fix = `Make ${folder} writable, or choose another one with ${folder === existing ? '--directory' : 'TMPDIR'}.`;
      return { name: 'writing', ok: false, finding: `cannot write to ${folder}: ${reason}`, fix };
    }
  }
  return { name: 'writing', ok: true, finding: `${existing} and ${tmpdir()} are writable`, fix: '' };
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
