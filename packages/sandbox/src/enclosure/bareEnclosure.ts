import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import type { Command, CommandOptions, Enclosure } from './enclosure.js';

/** No walls at all: a home, and the user's own rights. Programs are ended by who started them. For hosts where nothing else works, and for those who ask. */
export class BareEnclosure implements Enclosure {
  readonly kind = 'none';
  readonly ended: Promise<void>;
  #end: () => void = () => undefined;
  #closed: Promise<void> | undefined;

  private constructor(readonly home: string) {
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  static async create(): Promise<BareEnclosure> {
    return new BareEnclosure(await mkdtemp(join(tmpdir(), 'gyre-home-')));
  }

  get homeOnHost(): string {
    return this.home;
  }

  command(program: string, args: readonly string[] = [], { cwd = this.home, env = {} }: CommandOptions = {}): Command {
    if (this.#closed) throw new GyreError('infra', 'the enclosure has ended', { fix: 'lease another session' });
    const { PATH = '/usr/bin:/bin', LANG = 'C.UTF-8' } = process.env;
    return { file: program, args, env: { PATH, LANG, HOME: this.home, ...env }, cwd };
  }

  close(): Promise<void> {
    this.#end();
    return (this.#closed ??= rm(this.home, { recursive: true, force: true }));
  }
}
