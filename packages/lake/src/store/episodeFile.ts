import { type ContentHash, Episode, type EpisodeEnd, type Split, isCopied, independentVerdict } from '@gyre/protocol';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer';
import { z } from 'zod';

export interface Row {
  readonly id: string;
  readonly family: string;
  readonly split: Split;
  readonly policy: string;
  readonly purpose: string;
  readonly state: EpisodeEnd['state'];
  readonly success: boolean | undefined;
  /** ms since 1970. */
  readonly startedAt: number;
}

/**
 * Encodes one row per episode. Turns are JSON text: as nested structs, the union of actions would be mostly nulls, and
 * missing fields would become null.
 */
export function encodeEpisodes(episodes: readonly Episode[]): Uint8Array {
  const rows = episodes.map(flatten);
  const data = columns.map(({ name, type, text }): ColumnSource => ({
    name,
    data: rows.map((row) => row[name]),
    type,
    // Long distinct texts gain nothing from dictionaries or statistics.
    ...(text && { encoding: 'PLAIN', statistics: false }),
  }));
  return new Uint8Array(parquetWriteBuffer({ columnData: data, pageSize: 64 << 10, createdBy }));
}

const createdBy = 'gyre lake 2';

/** Returns whether a manifest lists the file, and its number of rows. */
export function originOf(bytes: Uint8Array): { listed: boolean; episodes: number } {
  const { created_by: by, num_rows: rows } = parquetMetadata(bufferOf(bytes));
  return { listed: by !== 'gyre lake 1', episodes: Number(rows) };
}

export function rowOf({ id, task: { family, split }, policy, purpose, end, verdict, startedAt }: Episode): Row {
  return {
    ...{ id, family, split, policy, purpose, state: end.state, success: verdict?.success },
    startedAt: Date.parse(startedAt),
  };
}

export function columnsOf(episode: Episode): Record<string, string | number | bigint | boolean | null> {
  return { ...flatten(episode), started_at: episode.startedAt };
}

export async function decodeRows(bytes: Uint8Array): Promise<Row[]> {
  const names = ['episode_id', 'family', 'split', 'policy', 'purpose', 'state', 'success', 'started_at'];
  return (await columnReader(bytes, names)()).map((row) => IndexRow.parse(row));
}

export interface Reference {
  readonly id: string;
  readonly screenshots: ReadonlySet<ContentHash>;
  /** Characters of JSON. */
  readonly length: number;
}

/** Finds screenshot names without parsing episodes; may find one too many. */
export async function decodeReferences(bytes: Uint8Array): Promise<Reference[]> {
  const rows = await columnReader(bytes, ['episode_id', 'record', 'turns'])();
  return rows.map(({ episode_id: id, record, turns }) => {
    const text = `${String(record)} ${String(turns)}`;
    return { id: String(id), screenshots: screenshotsIn(text), length: text.length };
  });
}

/** Counts `PAR1`, footer, its length in four bytes, `PAR1`. */
export function frameLength(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(bytes.length - 8, true) + 12;
}

/** Quotes inside strings are escaped and do not match. */
export function screenshotsIn(json: string): Set<ContentHash> {
  return new Set([...json.matchAll(/"screenshot":"([0-9a-f]{64})"/g)].map(([, hash]) => hash!));
}

export type Found = { episode: Episode } | { damage: string };

export async function decodeEpisodes(bytes: Uint8Array, rows?: ReadonlySet<number>): Promise<Found[]> {
  const read = columnReader(bytes, ['record', 'turns']);
  if (rows && rows.size <= 8) {
    const entries: Found[] = [];
    for (const number of [...rows].sort((a, b) => a - b)) {
      const [row] = await read(number);
      entries.push(row ? restore(row, number) : { damage: `row ${number} does not exist` });
    }
    return entries;
  }
  return (await read()).flatMap((row, number) => (!rows || rows.has(number) ? [restore(row, number)] : []));
}

type Column = { name: ColumnName; type: NonNullable<ColumnSource['type']>; text?: true };
type ColumnName = keyof ReturnType<typeof flatten>;

const columns: readonly Column[] = [
  { name: 'episode_id', type: 'STRING' },
  { name: 'task_id', type: 'STRING' },
  { name: 'family', type: 'STRING' },
  { name: 'split', type: 'STRING' },
  { name: 'seed', type: 'INT64' },
  { name: 'instruction', type: 'STRING' },
  { name: 'policy', type: 'STRING' },
  { name: 'policy_seed', type: 'INT64' },
  { name: 'policy_version', type: 'INT64' },
  { name: 'purpose', type: 'STRING' },
  { name: 'started_at', type: 'TIMESTAMP' },
  { name: 'state', type: 'STRING' },
  { name: 'success', type: 'BOOLEAN' },
  { name: 'score', type: 'DOUBLE' },
  { name: 'verdict_source', type: 'STRING' },
  { name: 'turn_count', type: 'INT32' },
  { name: 'reward', type: 'DOUBLE' },
  { name: 'turns', type: 'STRING', text: true },
  { name: 'record', type: 'STRING', text: true },
];

function flatten(episode: Episode) {
  const { turns, ...rest } = episode;
  const { task, verdict, end } = rest;
  const versions = turns.flatMap((turn) => (turn.sample && !isCopied(rest, turn) ? [turn.sample.policyVersion] : []));
  return {
    episode_id: episode.id,
    task_id: task.id,
    family: task.family,
    split: task.split,
    seed: BigInt(task.seed),
    instruction: task.instruction,
    policy: episode.policy,
    policy_seed: BigInt(episode.seed),
    /** The oldest weights that sampled any turn. */
    policy_version: versions.length > 0 ? BigInt(Math.min(...versions)) : null,
    purpose: episode.purpose,
    started_at: new Date(episode.startedAt),
    state: end.state,
    // Agents' own verdicts never count.
    success: independentVerdict(episode)?.success ?? null,
    score: independentVerdict(episode)?.score ?? null,
    verdict_source: verdict?.source ?? null,
    turn_count: turns.length,
    reward: turns.reduce((sum, { reward }) => sum + reward, 0),
    turns: JSON.stringify(turns),
    record: JSON.stringify(rest),
  };
}

function restore({ record, turns }: Record<string, unknown>, number: number): Found {
  const rest = parseText(record);
  const parsed = Episode.safeParse({ ...(rest as object), turns: parseText(turns) });
  if (parsed.success) return { episode: parsed.data };
  const issue = parsed.error.issues[0]!;
  return { damage: `row ${number} is not an episode: ${issue.path.join('.')}: ${issue.message}` };
}

function parseText(text: unknown): unknown {
  return typeof text === 'string' ? JSON.parse(text) : undefined;
}

const IndexRow = z
  .object({
    episode_id: z.string(),
    family: z.string(),
    split: z.enum(['train', 'dev', 'test']),
    policy: z.string(),
    purpose: z.string(),
    state: z.enum(['finished', 'out_of_budget', 'stuck', 'agent_fault', 'infra_error', 'cut']),
    success: z.boolean().nullish(),
    started_at: z.date(),
  })
  .transform(({ episode_id, success, started_at, ...row }): Row => ({
    ...{ id: episode_id, success: success ?? undefined, startedAt: started_at.getTime() },
    ...row,
  }));

type ReadRows = (row?: number) => Promise<Record<string, unknown>[]>;

function columnReader(bytes: Uint8Array, names: readonly string[]): ReadRows {
  const file = bufferOf(bytes);
  const metadata = parquetMetadata(file);
  return (row) => {
    const range = row === undefined ? {} : { rowStart: row, rowEnd: row + 1, useOffsetIndex: true };
    return parquetReadObjects({ file, metadata, columns: [...names], ...range });
  };
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  const whole = bytes.byteLength === bytes.buffer.byteLength;
  const to = bytes.byteOffset + bytes.byteLength;
  return (whole ? bytes.buffer : bytes.buffer.slice(bytes.byteOffset, to)) as ArrayBuffer;
}
