import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { GyreError } from '@gyre/protocol';
import writeFileAtomic from 'write-file-atomic';

const run = promisify(execFile);

const defaultPython = '>=3.11,<3.13';

/** Downloads can be slow. */
const installMs = 30 * 60_000;

export interface OfficialCodeOptions {
  readonly name: string;
  /** Pinned packages, for pip. */
  readonly requirements: URL;
  /** The program of gyre that uses the code. */
  readonly program: URL;
  /** Folder of a Python package of gyre, to be installed with the code. Default: none. */
  readonly local?: URL;
  /** Versions that the code runs on. Default: 3.11 and 3.12. */
  readonly versions?: string;
  /** Parent of the Python environments. Default: GYRE_BENCHMARKS, or the user's cache. */
  readonly directory?: string | undefined;
}

/** A benchmark's own Python code, in an environment of its own that is made once. */
export class OfficialCode {
  readonly name: string;
  /** Folder of the environment. Named by the requirements, so that new ones are installed apart. */
  readonly folder: string;
  readonly program: string;
  readonly #requirements: string;
  readonly #local: string | undefined;
  readonly #versions: string;

  constructor({ name, requirements, program, local, versions, directory }: OfficialCodeOptions) {
    this.name = name;
    this.#local = local && fileURLToPath(local);
    this.#versions = versions ?? defaultPython;
    this.program = fileURLToPath(program);
    this.#requirements = fileURLToPath(requirements);
    const hash = createHash('sha256').update(readFileSync(this.#requirements)).digest('hex').slice(0, 12);
    this.folder = join(directory ?? defaultDirectory(), `${name}-${hash}`);
  }

  get prepared(): boolean {
    return existsSync(this.#stamp);
  }

  /** The Python that has the official code. Throws `missing` before `prepare`. */
  get python(): string {
    if (this.prepared) return join(this.folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
    throw new GyreError('missing', `the official code of ${this.name} is not installed`, {
      field: '--suite',
      fix: `run gyre bench prepare ${this.name}`,
    });
  }

  /** Installs the pinned packages with uv. Throws `missing` without uv, `infra` if it fails. */
  async prepare(): Promise<void> {
    if (this.prepared) return;
    if (!(await uvVersion())) {
      throw new GyreError('missing', 'uv is not installed', { field: 'uv', fix: 'pip install uv' });
    }
    await rm(this.folder, { recursive: true, force: true });
    try {
      await run('uv', ['venv', '--quiet', '--python', this.#versions, this.folder], { timeout: installMs });
      const install = ['pip', 'sync', '--quiet', '--python', this.folder, this.#requirements];
      await run('uv', install, { timeout: installMs });
      if (this.#local !== undefined) {
        const local = ['pip', 'install', '--quiet', '--no-deps', '--python', this.folder, this.#local];
        await run('uv', local, { timeout: installMs });
      }
    } catch (cause) {
      await rm(this.folder, { recursive: true, force: true });
      const { stderr = '' } = cause as { stderr?: string };
      throw new GyreError('infra', `uv cannot install ${this.name}: ${stderr.trim().slice(-1_000)}`, {
        part: 'network',
        fix: `check that uv finds Python ${this.#versions} and reaches a package index`,
        cause,
      });
    }
    await writeFileAtomic(this.#stamp, readFileSync(this.#requirements));
  }

  /** Written last. */
  get #stamp(): string {
    return join(this.folder, 'installed.txt');
  }
}

/** Returns undefined if uv is not on the PATH. */
export async function uvVersion(): Promise<string | undefined> {
  try {
    return (await run('uv', ['--version'], { timeout: 20_000 })).stdout.trim();
  } catch {
    return undefined;
  }
}

function defaultDirectory(): string {
  const { GYRE_BENCHMARKS, XDG_CACHE_HOME } = process.env;
  return GYRE_BENCHMARKS || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'gyre', 'benchmarks');
}
