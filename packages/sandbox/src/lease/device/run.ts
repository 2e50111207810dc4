import { GyreError } from '@gyre/protocol';
import { CappedOutput } from '../../shell/cappedOutput.js';
import type { DeviceRunOptions } from './device.js';

const maxMs = 2 ** 31 - 10_000;

/** Throws `bad_input` for unsupported options, such as `cwd`. */
export function checkedRun({ timeoutMs = 120_000, maxOutput = 2 ** 20, ...rest }: DeviceRunOptions): {
  readonly timeoutMs: number;
  readonly maxOutput: number;
} {
  const [unknown] = Object.entries(rest).find(([, value]) => value !== undefined) ?? [];
  if (unknown !== undefined) {
    throw new GyreError('bad_input', `a command on a device does not support ${unknown}`, {
      field: unknown,
      fix: 'write it into the command: cd FOLDER && …, or … < FILE',
    });
  }
  for (const [field, value] of Object.entries({ timeoutMs, maxOutput })) {
    if (value >= 1 && value <= maxMs) continue;
    throw new GyreError('bad_input', `invalid ${field}: ${value}`, { field, fix: `use a number from 1 to ${maxMs}` });
  }
  return { timeoutMs, maxOutput };
}

export function capped(text: string, maxOutput: number): { readonly text: string; readonly leftOut: number } {
  const output = new CappedOutput(maxOutput);
  output.push(Buffer.from(text));
  output.end();
  return { text: output.text(), leftOut: output.leftOut };
}
