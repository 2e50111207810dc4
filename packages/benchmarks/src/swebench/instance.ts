import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';

/** Lists of tests, as JSON text in the data set. */
const Tests = z.union([z.array(z.string()), z.string()]);

/** A row of the data set. Only `problem_statement` is the agent's to read. */
export const SwebenchInstance = z.looseObject({
  /** Names folders. */
  instance_id: z.string().regex(/^[\w.-]*\w[\w.-]*$/),
  repo: z.string().regex(/^\w[\w.-]*\/\w[\w.-]*$/),
  base_commit: z.string().regex(/^[0-9a-f]{7,40}$/),
  problem_statement: z.string().min(1),
  image: z.string().min(1),
  eval_script: z.string().min(1),
  log_parser: z.string().min(1),
  eval_type: z.string().min(1),
  version: z.string(),
  FAIL_TO_PASS: Tests,
  PASS_TO_PASS: Tests,
});
export type SwebenchInstance = z.infer<typeof SwebenchInstance>;

export interface Instances {
  readonly instances: readonly SwebenchInstance[];
  /** First 12 digits of the file's SHA-256. */
  readonly hash: string;
}

/** Reads a data set of SWE-bench: JSON lines, or a list in JSON. Throws `bad_input` for another file. */
export async function readInstances(file: string): Promise<Instances> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw notInstances(file, 'cannot be read', cause);
  });
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  return { instances: parseInstances(bytes.toString('utf8'), file), hash };
}

export function parseInstances(text: string, file: string): SwebenchInstance[] {
  const trimmed = text.trim();
  const rows = trimmed.startsWith('[')
    ? jsonOf(trimmed, file)
    : trimmed.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [jsonOf(line, file)]));
  const parsed = z.array(SwebenchInstance).min(1).safeParse(rows);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw notInstances(file, `has an invalid ${issue?.path.join('.') || 'list'}: ${issue?.message}`, parsed.error);
  }
  const ids = parsed.data.map((instance) => instance.instance_id);
  const twice = ids.find((id, index) => ids.indexOf(id) < index);
  if (twice !== undefined) throw notInstances(file, `has the instance ${twice} twice`);
  return parsed.data;
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notInstances(file, 'is neither JSON nor JSON lines', cause);
  }
}

const notInstances = (file: string, problem: string, cause?: unknown) =>
  new GyreError('bad_input', `the instances ${file} ${problem}`, {
    field: '--swebench',
    fix: "write them with load_dataset('SWE-bench/SWE-bench_Verified', split='test').to_json(FILE)",
    cause,
  });
