import { createEnclosure, Shell } from '@gyre/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { executeBash, type BashOptions } from './bash.js';

let enclosure: Awaited<ReturnType<typeof createEnclosure>>;
beforeAll(async () => {
  enclosure = await createEnclosure({ isolation: 'none' });
});
afterAll(() => enclosure.close());

interface Fixtures {
  bash: (command: string, options?: BashOptions) => Promise<string>;
}
const it = test.extend<Fixtures>({
  bash: async ({ task: _ }, use) => {
    const shell = new Shell(enclosure);
    const bash: Fixtures['bash'] = (command, options) => executeBash(command, { shell }, options);
    expect(await bash('echo hi')).toBe('hi\n(exit code 0)');
    await use(bash);
    expect(await bash('echo hi')).toBe('hi\n(exit code 0)');
    await shell.close();
  },
});

describe('a command that still runs', { concurrent: true }, () => {
  it('is a pager, which a letter ends', async ({ bash }) => {
    expect(await bash('seq 1 500 | less')).toMatch(/^1\n2\n[^]*\n:\n\(still running, in full-screen mode\)$/);
    expect(await bash('G')).toMatch(/\n500\n/);
    expect(await bash('q')).toBe('(typed into the running command; exit code 0)');
  });

  it('is a prompt for a password, which is not shown', async ({ bash }) => {
    expect(await bash('read -sp "Password: " word && printf "\\n%s\\n" "${#word}"')).toBe(
      'Password:\n(still running, and seems to wait for input)',
    );
    expect(await bash('secret')).toBe('\n6\n(typed into the running command; exit code 0)');
  });

  it('is a program that reads lines, and shows only what is new', async ({ bash }) => {
    expect(await bash('bash --norc')).toMatch(/\(still running, and seems to wait for input\)$/);
    expect(await bash('echo $((40 + 2))')).toMatch(/^echo \$\(\(40 \+ 2\)\)\n42\n/);
    expect(await bash('C-d')).toMatch(/exit\n\(exit code 0\)$/);
  });

  it('is waited for, and told of when it has ended', async ({ bash }) => {
    expect(await bash('echo a; sleep 1; echo b; sleep 1; echo c', { seconds: 0.5 })).toBe('a\n(still running)');
    expect(await bash('', { seconds: 30 })).toBe('b\nc\n(exit code 0)');
    expect(await bash('')).toBe('(nothing is running in the shell)');
    await bash('sleep 0.4; echo late; false', { seconds: 0.1 });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await bash('echo next')).toBe('late\n(from the previous command; exit code 1)\nnext\n(exit code 0)');
  });

  it('that asks for nothing is interrupted, and no command is lost in it', async ({ bash }) => {
    await bash('sleep 1000', { seconds: 0.2 });
    await expect(bash('echo lost')).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'command' } });
    await expect(bash('y', { input: false })).rejects.toMatchObject({ code: 'bad_input' });
    expect(await bash('C-c')).toMatch(/\(exit code 130\)$/);
    expect(await bash('C-c')).toBe('(nothing is running in the shell)');
  });

  it('is typed into without having asked', async ({ bash }) => {
    await bash('cat; echo over', { seconds: 0.2 });
    expect(await bash('one', { input: true, seconds: 0.5 })).toMatch(/^one\none\n/);
    expect(await bash('C-d')).toMatch(/^over\n\(exit code 0\)$/);
  });

  it('is ended with its shell where it does not heed an interrupt', async ({ bash }) => {
    await bash('cd /tmp');
    await bash("trap '' INT; sleep 1000", { seconds: 0.2 });
    expect(await bash('C-c')).toMatch(/a second C-c in a row also ends the shell; still running/);
    expect(await bash('C-c')).toMatch(/the next command runs in a new shell/);
    expect(await bash('pwd')).toBe('/tmp\n(exit code 0)');
  });

  it('leaves nothing behind of what was typed and not read', async ({ bash }) => {
    await bash('sleep 3', { seconds: 0.2 });
    await bash('ahead=1', { input: true, seconds: 0.1 });
    await bash('C-d', { seconds: 0.1 });
    expect(await bash('', { seconds: 30 })).toMatch(/\(exit code 0\)$/);
    expect(await bash('echo "<$ahead>"')).toBe('<>\n(exit code 0)');
  });
});
