import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { GyreError } from '@gyre/protocol';

/**
 * The first process inside. No signal from inside ends it. It takes in orphans while it waits for the program that reads
 * its input, starts that again when somebody kills it, and ends, with all that is inside, when the input does.
 */
const keep = 'exec >/dev/null 2>&1; until cat <&0 & wait "$!"; do :; done';
const script = (text: string): readonly string[] => ['bash', '--noprofile', '--norc', '-c', text];

export const keeper = script(`echo standing; ${keep}`);

/** The same, but it does nothing before a line has come: so much has to be done to it from outside. */
export const waitingKeeper = script(
  `command -v env setpriv >/dev/null || { echo "no setpriv (util-linux) inside" >&2; exit 127; }
   echo standing; read -r line; ${keep}`,
);

/**
 * Resolves as soon as the first process says that it is there.
 *
 * @param child what builds the walls.
 * @param startMs how long it may take.
 * @param failure what to throw when it does not come to that: for what was said last, and the status.
 */
export async function standing(
  child: ChildProcess,
  startMs: number,
  failure: (reason: string, code: number | null) => GyreError,
): Promise<void> {
  const [, stdout, stderr] = child.stdio as unknown as [unknown, Readable, Readable];
  const texts = { said: '', errors: '' };
  stderr.on('data', (chunk: Buffer) => (texts.errors = (texts.errors + chunk.toString()).slice(-2_000)));
  let late = false;
  const timer = setTimeout(() => (late = child.kill('SIGKILL')), startMs);
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = (error: Error | null, code: number | null) =>
        reject(
          failure(
            texts.errors.trim() || error?.message || (late ? `it does not stand after ${startMs} ms` : 'it ends'),
            code,
          ),
        );
      child.once('error', (error) => fail(error, null));
      child.once('close', (code) => fail(null, code));
      stdout.on('data', (chunk: Buffer) => {
        texts.said += chunk.toString();
        if (texts.said.includes('standing\n')) resolve();
      });
    });
  } finally {
    clearTimeout(timer);
    // Whoever takes over the first process could write there for ever.
    for (const stream of [stdout, stderr]) stream.destroy();
  }
}
