import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEnclosure, type Enclosure, Shell, Tools } from '@gyre/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCell } from './jupyter.js';

/** Another Python may precede the one with test dependencies. */
const paths = [process.env.PATH ?? '', `/usr/bin:${process.env.PATH ?? ''}`];
const whyNots = paths.map(reason);
const PATH = paths[whyNots.indexOf(undefined)] ?? paths[0] ?? '';
const [whyNot] = whyNots.includes(undefined) ? [] : whyNots;

function reason(path: string): string | undefined {
  try {
    const env = { ...process.env, PATH: path };
    execFileSync('python3', ['-c', 'import ipykernel, jupyter_client'], { stdio: 'pipe', env });
    return undefined;
  } catch (error) {
    const stderr = String((error as { stderr?: unknown }).stderr ?? error).trim();
    return stderr.split('\n').at(-1);
  }
}

interface Place {
  readonly enclosure: Enclosure;
  readonly tools: Tools;
  readonly shell: Shell;
}

async function place(env: Readonly<Record<string, string>> = {}): Promise<Place> {
  const enclosure = await createEnclosure({ isolation: 'none', env: { PATH, ...env } });
  return { enclosure, tools: new Tools(enclosure), shell: new Shell(enclosure) };
}

async function leave({ enclosure, tools, shell }: Place): Promise<void> {
  await Promise.all([tools.close(), shell.close()]);
  await enclosure.close();
}

describe.skipIf(whyNot !== undefined)(`cells${whyNot === undefined ? '' : ` (left out: ${whyNot})`}`, () => {
  let session: Place;
  beforeAll(async () => {
    session = await place();
  });
  afterAll(() => leave(session));

  const run = (code: string, seconds?: number) =>
    runCell({ type: 'jupyter', code, ...(seconds !== undefined && { seconds }) }, session);

  it('keep their variables, in the home of the session', async () => {
    expect(await run('import os\nx = 6')).toBe('(no output)');
    expect(await run("print(os.getcwd() == os.environ['HOME'])\nx * 7")).toBe('True\n42');
    expect(session.tools.servers).toHaveLength(1);
  });

  it('tell errors with their tracebacks, and go on', async () => {
    const text = await run('def f():\n  return 1 / 0\nf()');
    expect(text).toMatch(/^-+\nZeroDivisionError.*Traceback.*return 1 \/ 0.*ZeroDivisionError: division by zero$/s);
    expect(text).not.toContain('\u001b');
    expect(await run('x')).toBe('6');
    expect(await run('input()')).toContain('StdinNotImplementedError');
  });

  it('are run also where the one before has just failed', async () => {
    for (let i = 0; i < 100; i++) {
      await run('1 / 0');
      expect(await run('6 * 7')).toBe('42');
    }
  });

  it('say that something is a picture', async () => {
    const code = `
class Picture:
    def _repr_png_(self): return b'\\x89PNG'
    def __repr__(self): return '<a picture>'
Picture()`;
    expect(await run(code)).toMatch(/^<a picture>\n\(a picture, image\/png, which is not shown here/);
  });

  it('leave the middle of a long output out', async () => {
    const text = await run('for i in range(20000): print(i)');
    expect(text.length).toBeLessThan(17_000);
    expect(text).toMatch(/^0\n1\n.*characters left out.*19999$/s);
  });

  it('are interrupted when their time is over, and the next goes on', async () => {
    expect(await run('import time\ntime.sleep(600)', 0.5)).toMatch(/KeyboardInterrupt.*\(interrupted after 0.5 s\)$/s);
    expect(await run('x')).toBe('6');
  });

  it('end in time where they write without end', async () => {
    const text = await run("while True: print('x' * 100)", 0.5);
    expect(text.length).toBeLessThan(17_000);
    expect(text).toMatch(/\(interrupted after 0.5 s\)$|could not be interrupted.*$/);
    expect(await run('1 + 1')).toBe('2');
  });

  it('may kill their kernel, and have another then', async () => {
    expect(await run('os._exit(1)')).toContain('the kernel has died');
    expect(await run("'x' in globals()")).toBe('False');
  });

  it('may be anything', async () => {
    expect(await run("print('ü\\U0001f600', '\\x1b[31mred\\x1b[0m')")).toBe('ü\u{1f600} red');
    expect(await run('a b')).toContain('SyntaxError');
    expect(await run("'\ud83d'")).toMatch(/./);
  });
});

it('without a kernel is one clear error that says what to install', async () => {
  const session = await place();
  const python = execFileSync('which', ['python3'], { encoding: 'utf8' }).trim();
  const bin = join(session.enclosure.homeOnHost, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'python3'), `#!/bin/sh\nexec ${python} -S -E "$@"\n`, { mode: 0o755 });
  const bare = await place({ PATH: `${bin}:${process.env.PATH ?? ''}` });
  await expect(runCell({ type: 'jupyter', code: '1' }, bare)).rejects.toMatchObject({
    code: 'missing',
    message: expect.stringContaining('its Python has no ipykernel') as string,
    detail: { fix: expect.stringContaining('python3-ipykernel') as string },
  });
  await leave(bare);
  await leave(session);
});

it('without a Python is one clear error too', async () => {
  const session = await place({ PATH: '/nowhere' });
  await expect(runCell({ type: 'jupyter', code: '1' }, session)).rejects.toMatchObject({
    code: 'missing',
    message: expect.stringContaining('python3 is not installed') as string,
  });
  await leave(session);
});
