import { GyreError } from '@gyre/protocol';
import type { CompatFiles, CompatRun, CompatShell } from '../served/machine.js';
import { quotedWords } from '../../shell/shellWords.js';

/** They leave the shell in base64. */
const maxRead = 2 ** 23;

const timeoutMs = 120_000;

const listingBytes = 2 ** 23;

const kinds: Readonly<Record<string, string>> = { d: 'folder', f: 'file' };

/** Accesses any files with the user's rights. Methods throw `bad_input` with the program's message. */
export class ShellFiles implements CompatFiles {
  readonly #shell: CompatShell;

  constructor(shell: CompatShell) {
    this.#shell = shell;
  }

  async readBytes(
    path: string,
    { offset = 0, length = maxRead }: { offset?: number; length?: number } = {},
  ): Promise<Uint8Array> {
    const bytes = Math.min(length, maxRead);
    const piece = `bs=1M iflag=skip_bytes,count_bytes skip=${offset} count=${bytes} status=none`;
    const read = `set -o pipefail; test -f "$1" && dd if="$1" ${piece} | base64 -w0`;
    const text = await this.#run(read, path, {
      maxOutput: Math.ceil(bytes / 3) * 4 + 4_096,
      fallback: 'it is not a file',
    });
    return Buffer.from(text, 'base64');
  }

  async write(
    path: string,
    data: Uint8Array,
    { mode = 'replace', folders = false }: { mode?: 'replace' | 'append'; folders?: boolean } = {},
  ): Promise<void> {
    const make = folders ? 'mkdir -p -- "$(dirname -- "$1")" && ' : '';
    await this.#run(`${make}cat ${mode === 'append' ? '>>' : '>'}"$1"`, path, { stdin: data });
  }

  /** Paths are relative to `path`. */
  async list(path: string, { depth = 1, limit = 1_000 }: { depth?: number; limit?: number } = {}) {
    const find = `test -d "$1" && find -L "$1" -mindepth 1 -maxdepth ${depth} -printf '%y %P\\0' 2>/dev/null | head -zn ${limit}`;
    const listed = await this.#run(find, path, { maxOutput: listingBytes, fallback: 'it is not a folder' });
    const entries = listed
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry) => ({ path: entry.slice(2), type: kinds[entry[0]!] ?? 'other' }));
    return { entries };
  }

  async #run(
    script: string,
    path: string,
    { fallback, ...options }: { stdin?: Uint8Array; maxOutput?: number; fallback?: string } = {},
  ): Promise<string> {
    const command = `set -- ${quotedWords([path])}; ${script}`;
    // The user's profile may print, too.
    const ran = await this.#shell.run(command, { timeoutMs, profile: false, ...options });
    if (ran.exitCode === 0) return ran.stdout;
    throw refused(
      path,
      `cannot be used: ${reasonOf(ran) || (fallback ?? 'the program failed')}`,
      'check its path and owner',
    );
  }
}

function reasonOf({ stderr, timedOut }: CompatRun): string {
  return timedOut ? `it took longer than ${timeoutMs} ms` : (stderr.trim().split('\n').at(-1) ?? '');
}

function refused(path: string, what: string, fix: string): GyreError {
  return new GyreError('bad_input', `${JSON.stringify(path.slice(0, 200))} ${what}`, { field: 'path', fix });
}
