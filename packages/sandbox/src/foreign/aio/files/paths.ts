import type { Files } from '../../../files/files.js';
import type { Shell } from '../../../shell/shell.js';
import { quotedWords } from '../../../shell/shellWords.js';
import { missing, Unsuccessful } from '../route.js';

const maxOutside = 12 * 2 ** 20;
const maxRead = 2 ** 28;

export interface Listed {
  readonly path: string;
  readonly name: string;
  /** Relative to the listed folder. */
  readonly below: string;
  readonly isFolder: boolean;
  readonly size: number;
  readonly modified: Date;
  /** Octal, such as 644. */
  readonly mode: string;
}

/** Uses `files` in the home, and shell programs elsewhere. */
export class SessionPaths {
  readonly #files: Files | undefined;
  readonly #shell: Shell | undefined;
  readonly home: string;

  constructor(files: Files | undefined, shell: Shell | undefined, home: string) {
    this.#files = files;
    this.#shell = shell;
    this.home = home;
  }

  /** Resolves `~` and relative paths against the home. */
  absolute(path: string): string {
    const rest = path.replace(/^~(?=\/|$)/, '').replace(/^\.\//, '');
    if (path.startsWith('/')) return path.length > 1 ? path.replace(/\/+$/, '') : path;
    return `${this.home}/${rest.replace(/^\/+/, '')}`.replace(/\/+$/, '');
  }

  isInHome(path: string): boolean {
    const whole = this.absolute(path);
    return whole === this.home || whole.startsWith(`${this.home}/`);
  }

  get files(): Files {
    return this.#files ?? missing('files');
  }

  get shell(): Shell {
    return this.#shell ?? missing('shell');
  }

  async read(path: string): Promise<Uint8Array> {
    const whole = this.absolute(path);
    if (this.isInHome(whole)) {
      const { stream, bytes } = await this.files.download(whole);
      if (bytes > maxRead) {
        stream.destroy();
        throw new Unsuccessful(`${whole} has ${bytes} bytes, more than the limit of ${maxRead}`);
      }
      const parts: Buffer[] = [];
      for await (const part of stream) parts.push(part as Buffer);
      return Buffer.concat(parts);
    }
    const encoded = await this.program(`base64 -w0 -- ${quotedWords([whole])}`, { maxOutput: 2 ** 24 });
    if (encoded.length > (maxOutside * 4) / 3) {
      throw new Unsuccessful(`${whole} is larger than ${maxOutside} bytes: copy it to ${this.home} first`);
    }
    return Buffer.from(encoded, 'base64');
  }

  async text(path: string): Promise<string> {
    return Buffer.from(await this.read(path)).toString('utf8');
  }

  async write(path: string, data: Uint8Array | string, { append = false } = {}): Promise<void> {
    const whole = this.absolute(path);
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    if (this.isInHome(whole)) {
      await this.files.write(whole, bytes, { mode: append ? 'append' : 'replace', folders: true });
      return;
    }
    const file = quotedWords([whole]);
    await this.program(`mkdir -p -- "$(dirname -- ${file})" && cat ${append ? '>>' : '>'} ${file}`, { stdin: bytes });
  }

  async exists(path: string): Promise<boolean> {
    return (await this.shell.run(`test -e ${quotedWords([this.absolute(path)])}`)).exitCode === 0;
  }

  async isFolder(path: string): Promise<boolean> {
    return (await this.shell.run(`test -d ${quotedWords([this.absolute(path)])}`)).exitCode === 0;
  }

  /** Lists folders before their contents. */
  async list(path: string, depth: number): Promise<Listed[]> {
    const root = this.absolute(path);
    if (!(await this.isFolder(root))) throw new Unsuccessful(`${root} is not a folder`);
    const format = String.raw`%y\t%s\t%T@\t%m\t%P\0`;
    const findCommand = `find -H ${quotedWords([root])} -mindepth 1 -maxdepth ${depth} -printf '${format}'`;
    // Omits unreadable entries.
    const { stdout } = await this.shell.run(`${findCommand} 2>/dev/null; true`, { maxOutput: 2 ** 24 });
    return stdout.split('\0').flatMap((line) => {
      const [type = '', size, time, mode = '', ...names] = line.split('\t');
      const below = names.join('\t');
      if (below === '') return [];
      const name = below.split('/').at(-1)!;
      const place = root === '/' ? `/${below}` : `${root}/${below}`;
      const modified = new Date(Number(time) * 1_000);
      return [{ path: place, name, below, isFolder: type === 'd', size: Number(size), modified, mode }];
    });
  }

  async program(
    line: string,
    options: { stdin?: string | Uint8Array; maxOutput?: number; timeoutMs?: number; cwd?: string } = {},
  ): Promise<string> {
    const { exitCode, stdout, stderr, timedOut } = await this.shell.run(line, options);
    if (exitCode === 0 && !timedOut) return stdout;
    throw new Unsuccessful(timedOut ? 'it took too long' : (stderr.trim().split('\n').at(-1) ?? 'it failed'));
  }
}
