import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builders } from '../isolation/builders.test.support.js';
import { createEnclosure } from '../isolation/createEnclosure.js';
import type { Enclosure } from '../isolation/enclosure.js';
import { baseDirectory } from '../isolation/within.test.support.js';
import { Files } from '../files/files.js';
import { Shell } from './shell.js';

for (const { kind, isolation, label } of builders)
  describe.skipIf(isolation.kind === 'none')(`under isolation ${label}`, () => {
    let enclosure: Enclosure;
    let shell: Shell;
    let files: Files;

    beforeAll(async () => {
      enclosure = await createEnclosure({ isolation: kind, directory: baseDirectory() });
      shell = new Shell(enclosure);
      files = await Files.open(enclosure.homeOnHost, { home: enclosure.home });
    });
    afterAll(async () => {
      await files.close();
      await shell.close();
      await enclosure.close();
    });

    it('commands have their standard streams by name, in the home as they see it', async () => {
      const result = await shell.run('cat /dev/stdin | tee /dev/stderr > /dev/stdout; pwd; exit 3', { stdin: 'x\n' });
      expect(result).toMatchObject({ exitCode: 3, stdout: `x\n${enclosure.home}\n`, stderr: 'x\n' });
    });

    it('a timeout ends programs in their own session, too', async () => {
      const result = await shell.run('setsid -f sleep 119.5; trap "" TERM; sleep 119.5; sleep 119.5', {
        timeoutMs: 500,
      });
      expect(result.timedOut).toBe(true);
      expect(await shell.run('pgrep -f "^sleep 119.5"')).toMatchObject({ exitCode: 1, stdout: '' });
    });

    it('consoles see commands end, and are interrupted', async () => {
      expect(await shell.execute('cd /tmp; false')).toMatchObject({ exitCode: 1, cwd: '/tmp' });
      expect(await shell.execute('pwd; sleep 119', { timeoutMs: 300 })).toMatchObject({
        running: true,
        output: '/tmp\n',
      });
      expect(await (await shell.console()).interrupt()).toMatchObject({ running: false, exitCode: 130 });
    });

    it('terminals have their size, and show full-screen programs', async () => {
      const terminal = await shell.open({ command: 'stty size; read x; stty size; sleep 119' });
      expect((await terminal.wait({ until: { text: '24 80' } })).met).toBe(true);
      await terminal.resize({ columns: 100, rows: 30 });
      terminal.press('enter');
      expect((await terminal.wait({ until: { text: '30 100' } })).met).toBe(true);
      await terminal.close();
    });

    it('files are those of the shell, both ways, and nothing leads out', async () => {
      await shell.run('echo from the shell > a; ln -s "$HOME/a" link; ln -s /etc/passwd out');
      expect(await files.read('link')).toMatchObject({ text: 'from the shell\n' });
      await expect(files.read('out')).rejects.toMatchObject({ code: 'bad_input' });
      await files.write('folder/b', 'from outside', { folders: true });
      const script = 'cat folder/b; echo >> folder/b; rm -r folder; ls';
      expect(await shell.run(script)).toMatchObject({ exitCode: 0, stdout: 'from outsidea\nlink\nout\n', stderr: '' });
    });
  });
