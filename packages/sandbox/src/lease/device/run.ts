import { GyreError } from '@gyre/protocol';
import { CappedOutput } from '../../shell/cappedOutput.js';
import type { DeviceRunOptions } from './device.js';

const most = 2 ** 31 - 10_000;

/** Checks options of a command. Throws `bad_input` for those that devices do not have, such as `cwd`. */
export function checkedRun({ timeoutMs = 120_000, maxOutput = 2 ** 20, ...rest }: DeviceRunOptions): {
  readonly timeoutMs: number;
  readonly maxOutput: number;
} {
  const [other] = Object.entries(rest).find(([, value]) => value !== undefined) ?? [];
  if (other !== undefined) {
    throw new GyreError('bad_input', `a command on a device takes no ${other}`, {
      field: other,
      fix: 'say it in the command: cd FOLDER && …, or … < FILE',
    });
  }
  for (const [field, value] of Object.entries({ timeoutMs, maxOutput })) {
    if (value >= 1 && value <= most) continue;
    throw new GyreError('bad_input', `${field} is ${value}`, { field, fix: `give a number from 1 to ${most}` });
  }
  return { timeoutMs, maxOutput };
}

/** Returns the first and last bytes of a text. */
export function capped(text: string, maxOutput: number): { readonly text: string; readonly leftOut: number } {
  const output = new CappedOutput(maxOutput);
  output.push(Buffer.from(text));
  output.end();
  return { text: output.text(), leftOut: output.leftOut };
}
