import type { Lake } from '@gyre/lake';
import { GyreError, Split } from '@gyre/protocol';
import { type RecordedAttempt, type RecordedRun, recordedAttempts, selectRun } from '@gyre/training';
import { openLake } from '@gyre/studio';
import { UsageError } from '../command.js';

/** Directories with lakes, and which of their episodes are meant. */
export interface RunChoice {
  readonly name: string;
  readonly directories: readonly string[];
  readonly policy?: string;
  readonly purpose?: string;
  readonly split?: Split;
  readonly budget?: number;
}

const keys = ['policy', 'purpose', 'split', 'budget'] as const;

/**
 * Parses `DIRECTORY[,DIRECTORY...][:KEY=VALUE...]`.
 * @throws UsageError for an unknown key or an invalid value
 */
export function parseRun(argument: string, text: string): RunChoice {
  const [directories = '', ...conditions] = text.split(':');
  const refused = (message: string) =>
    new UsageError(message, { field: argument, fix: 'write runs/a, runs/a,runs/b or runs/a:policy=nano:split=test' });
  if (directories.split(',').includes('')) throw refused(`the run "${text}" names no directory`);
  const values: Partial<Record<(typeof keys)[number], string>> = {};
  for (const condition of conditions) {
    const [key = '', ...parts] = condition.split('=');
    const name = keys.find((known) => known === key);
    if (name === undefined || parts.length === 0)
      throw refused(`"${condition}" in the run "${text}" is none of ${keys.map((known) => `${known}=...`).join(', ')}`);
    values[name] = parts.join('=');
  }
  const { split, budget, ...rest } = values;
  const parsedSplit = Split.optional().safeParse(split);
  if (!parsedSplit.success) throw refused(`split=${split} is none of ${Split.options.join(', ')}`);
  if (budget !== undefined && !/^[1-9]\d{0,8}$/.test(budget)) throw refused(`budget=${budget} is no number of turns`);
  return {
    ...{ name: text, directories: directories.split(','), ...rest },
    ...(parsedSplit.data && { split: parsedSplit.data }),
    ...(budget !== undefined && { budget: Number(budget) }),
  };
}

/**
 * Reads a run from its lakes.
 * @throws GyreError `bad_input` if nothing matches, or several evaluations do; `corrupt` if a file cannot be read
 */
export async function readRun(choice: RunChoice, families: readonly string[] | undefined): Promise<RecordedRun> {
  const recorded: RecordedAttempt[] = [];
  for (const directory of choice.directories)
    recorded.push(...(await readLake(directory, (lake) => recordedAttempts(lake, choice.purpose))));
  return selectRun(choice.name, recorded, { ...choice, families });
}

/** Reads a lake whole: a result without its damaged files would be another result. */
export async function readLake<T>(directory: string, read: (lake: Lake) => Promise<T>): Promise<T> {
  const damaged = new Map<string, string>();
  const lake = await openLake(directory, { onDamage: ({ file, reason }) => damaged.set(file, reason) });
  try {
    const result = await read(lake).catch((error: unknown) => {
      if (damaged.size === 0) throw error;
      return undefined;
    });
    const [first] = damaged;
    if (first) {
      const [file, reason] = first;
      throw new GyreError(
        'corrupt',
        `${damaged.size} files of the lake of ${directory} cannot be read; ${file}: ${reason}`,
        {
          field: directory,
          fix: `run gyre lake check --directory ${directory}, and read a newer lake with the gyre that wrote it`,
        },
      );
    }
    return result as T;
  } finally {
    await lake.close();
  }
}
