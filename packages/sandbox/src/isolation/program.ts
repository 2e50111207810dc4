import { hostEnv } from './hostEnv.js';
import { startOnHost } from './starter.js';

export interface Outcome {
  /** 127 if not started, 128 if killed. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Outputs may contain file names that a session controls. */
const maxText = 2 ** 21;

/** Runs a host program. Never throws. */
export async function runOnHost(file: string, args: readonly string[], timeoutMs = 60_000): Promise<Outcome> {
  const texts = ['', ''];
  const onText = (text: string, descriptor: number) => {
    const previous = texts[descriptor - 1] ?? '';
    texts[descriptor - 1] = previous + text.slice(0, maxText - previous.length);
  };
  try {
    const program = await startOnHost({ file, args, env: hostEnv, cwd: '/', outputs: [1, 2], onText });
    const timer = setTimeout(() => program.kill(), timeoutMs);
    const code = await program.ended;
    clearTimeout(timer);
    return { code: code ?? 128, stdout: texts[0]!, stderr: texts[1] || (code === null ? `${file} was killed` : '') };
  } catch (error) {
    return { code: 127, stdout: '', stderr: (error as Error).message };
  }
}
