import { execFile } from 'node:child_process';

export interface Ran {
  /** Negative for a signal, as in Python. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

export function program(words: readonly string[], timeoutMs: number): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const options = { timeout: timeoutMs, killSignal: 'SIGKILL' } as const;
    const child = execFile(words[0]!, words.slice(1), options, (error, stdout, stderr) => {
      if (error !== null && typeof error.code === 'string') return reject(new Error(error.message, { cause: error }));
      const signal = child.signalCode;
      const timedOut = error?.killed === true;
      const code = signal === null ? (child.exitCode ?? 0) : signal === 'SIGKILL' ? -9 : -15;
      resolve({ code, stdout, stderr, timedOut });
    });
  });
}
