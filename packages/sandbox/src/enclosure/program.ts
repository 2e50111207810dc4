import { execFile } from 'node:child_process';

/** A program of the host that was run to its end. */
export interface Outcome {
  /** 127 where it could not be started, 128 where it was killed. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What programs of the host get to see of this process's environment: nothing that a session may set. */
export const hostEnv = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' } as const;

/** Runs a program of the host. Never throws. */
export function runOnHost(file: string, args: readonly string[], timeoutMs = 60_000): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(file, args, { env: hostEnv, timeout: timeoutMs, cwd: '/' }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : error.code ? 127 : 128;
      resolve({ code, stdout, stderr: stderr || (error?.message ?? '') });
    });
  });
}
