import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Files, type SandboxSession } from '@gyre/sandbox';
import { expect } from 'vitest';
import type { BoardState } from '../../hybrid/board.js';
import { Cast } from './cast.js';
import { Evidence } from './evidence.js';
import type { Drawn, Template } from './template.js';

/** A fake machine without isolation, windows or browser. */
export class Home {
  readonly path = mkdtempSync(join(tmpdir(), 'gyre-home-'));
  board: BoardState = { pressed: [], requests: 0 };
  clipboard = '';
  windows: { title: string; focused: boolean }[] = [];
  answer: string | undefined;
  onPage: (expression: string) => void = () => undefined;

  write(path: string, data: string | Uint8Array): void {
    mkdirSync(dirname(join(this.path, path)), { recursive: true });
    writeFileSync(join(this.path, path), data);
  }

  read(path: string): string {
    return readFileSync(join(this.path, path), 'utf8');
  }

  bytes(path: string): Uint8Array {
    return readFileSync(join(this.path, path));
  }

  edit(path: string, change: (text: string) => string): void {
    this.write(path, change(this.read(path)));
  }

  move(from: string, to: string): void {
    renameSync(join(this.path, from), join(this.path, to));
  }

  remove(path: string): void {
    rmSync(join(this.path, path), { recursive: true });
  }

  link(path: string, target: string): void {
    symlinkSync(target, join(this.path, path));
  }

  run(
    command: string,
    { env = {}, stdin = '' }: { env?: Record<string, string>; stdin?: string } = {},
  ): Promise<{ stdout: string; exitCode: number }> {
    return new Promise((resolve) => {
      const child = execFile(
        'bash',
        ['-c', command],
        { cwd: this.path, env: { ...process.env, ...env } },
        (error, stdout) => resolve({ stdout, exitCode: error ? 1 : 0 }),
      );
      child.stdin?.on('error', () => undefined).end(stdin);
    });
  }

  async prepare({ folders = [], files = {}, commands = [], programs = [] }: Drawn): Promise<void> {
    this.windows = programs.map(({ window }, index) => ({ title: window, focused: index === programs.length - 1 }));
    for (const folder of folders) mkdirSync(join(this.path, folder), { recursive: true });
    for (const [path, content] of Object.entries(files)) {
      this.write(path, typeof content === 'string' ? content : Buffer.from(content.base64, 'base64'));
    }
    for (const command of commands) await this.run(command);
  }

  async judge(drawn: Drawn): Promise<Record<string, boolean>> {
    const files = await Files.open(this.path);
    const titles = (drawn.programs ?? []).map(({ window }) => window);
    // Window numbers are indices of initial titles.
    const withId = (id: number) => this.windows.find(({ title }) => title === titles[id - 1]);
    const machine = {
      home: this.path,
      files,
      shell: { run: (command: string, options: object) => this.run(command, options) },
      desktop: {
        windows: async () => titles.map((title, index) => ({ id: index + 1, title })),
        windowFacts: async (ids: readonly number[]) => ({
          there: ids.map((id) => withId(id) !== undefined),
          keysTo: ids.find((id) => withId(id)?.focused) ?? 0,
        }),
        readClipboard: async () => this.clipboard,
      },
      browser: {
        evaluate: async (guarded: string) => {
          const [, expression = guarded] = / \? (.*) : null$/s.exec(guarded) ?? [];
          if (expression === 'gyreTask.state()') return this.board;
          if (expression !== guarded) this.onPage(expression);
          return undefined;
        },
      },
    };
    const evidence = new Evidence(machine as unknown as SandboxSession);
    await evidence.begin();
    if (this.answer !== undefined) evidence.finish(this.answer);
    try {
      await drawn.attend?.(evidence);
      return await drawn.judge(evidence);
    } finally {
      await files.close();
    }
  }
}

export type HomeChange = (home: Home) => void | Promise<void>;

export function taskWith(
  templates: readonly Template[],
  name: string,
  pattern: RegExp,
): { drawn: Drawn; groups: readonly string[] } {
  const template = templates.find((each) => each.name === name);
  for (let seed = 0; template && seed < 400; seed++) {
    const drawn = template.draw(new Cast(name, 'train', seed));
    const match = pattern.exec(drawn.instruction);
    if (match) return { drawn, groups: match.slice(1) };
  }
  throw new Error(`no task of ${name} says ${pattern}`);
}

export async function accepts(drawn: Drawn, deed: HomeChange): Promise<boolean> {
  const home = new Home();
  try {
    await home.prepare(drawn);
    await deed(home);
    return Object.values(await home.judge(drawn)).every(Boolean);
  } finally {
    rmSync(home.path, { recursive: true, force: true });
  }
}

/** Expects a verifier to accept the right deed only. */
export async function expectJudged(
  task: Drawn | (() => Drawn),
  right: HomeChange,
  wrong: Readonly<Record<string, HomeChange>>,
): Promise<void> {
  const drawn = typeof task === 'function' ? task : () => task;
  expect(await accepts(drawn(), right), 'the right deed').toBe(true);
  expect(await accepts(drawn(), () => undefined), 'nothing at all').toBe(false);
  for (const [name, deed] of Object.entries(wrong)) expect(await accepts(drawn(), deed), name).toBe(false);
}
