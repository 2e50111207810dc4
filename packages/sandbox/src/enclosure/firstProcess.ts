import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { GyreError } from '@gyre/protocol';

/** How long the walls may take to stand. */
const startMs = 20_000;

/**
 * The first process inside. No signal from inside ends it. It takes in orphans while it waits for the program that reads
 * its input, starts that again when somebody kills it, and ends, with all that is inside, when the input does.
 */
export const keeper = [
  'bash',
  '--noprofile',
  '--norc',
  '-c',
  'echo standing; until cat <&0 >/dev/null & wait "$!"; do :; done',
];

const install = 'install bubblewrap and util-linux (apt-get install bubblewrap util-linux)';
const allow =
  'allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns; in a container: see its seccomp and AppArmor profiles)';

/** The number of the first process, as soon as it says that it is there. Throws what bubblewrap says when it does not come to that. */
export async function standing(child: ChildProcess): Promise<number> {
  const [, stdout, stderr, status] = child.stdio as unknown as [unknown, Readable, Readable, Readable];
  const texts = { status: '', said: '', errors: '' };
  stderr.on('data', (chunk: Buffer) => (texts.errors = (texts.errors + chunk.toString()).slice(-2_000)));
  const timer = setTimeout(() => child.kill('SIGKILL'), startMs);
  try {
    return await new Promise<number>((resolve, reject) => {
      const fail = (error: Error | null, code: number | null) => {
        const reason = texts.errors.trim() || error?.message || 'it does not answer';
        const missing = code === 127 || /(execvp?|bwrap).*No such file/.test(reason);
        const message = missing
          ? `what builds the walls is not installed: ${reason}`
          : `bubblewrap does not work: ${reason}`;
        reject(
          new GyreError(missing ? 'missing' : 'infra', message, { field: 'isolation', fix: missing ? install : allow }),
        );
      };
      child.once('error', (error) => fail(error, null));
      child.once('close', (code) => fail(null, code));
      const look = () => {
        const first = /"child-pid": (\d+)/.exec(texts.status)?.[1];
        if (first && texts.said.includes('standing\n')) resolve(Number(first));
      };
      status.on('data', (chunk: Buffer) => {
        texts.status += chunk.toString();
        look();
      });
      stdout.on('data', (chunk: Buffer) => {
        texts.said += chunk.toString();
        look();
      });
    });
  } finally {
    clearTimeout(timer);
    // Whoever takes over the first process could write there for ever.
    for (const stream of [stdout, stderr, status]) stream.destroy();
  }
}
