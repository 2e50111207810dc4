import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type * as DuckDB from '@duckdb/node-api';
import { GyreError } from '@gyre/protocol';
import PQueue from 'p-queue';
import { columnsOf } from '../store/episodeFile.js';
import { type EpisodeFiles, messageOf } from '../store/episodeFiles.js';
import type { Layout } from '../store/layout.js';
import type { Records } from '../store/records.js';
import type { Waiting } from '../store/waiting.js';

type RecordFolder = 'updates' | 'reviews' | 'speech';

export interface Answer {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** JSON values: integers beyond 2^53 as text, times as ISO 8601, bytes in hex. */
  readonly rows: readonly (readonly unknown[])[];
  readonly more: boolean;
}

/**
 * Queries Parquet files and waiting episodes by DuckDB, in views `episodes`, `turns`, `screenshots`, `updates`, `reviews` and `speech`.
 * A statement is a single SELECT without access to other files, extensions, network or settings.
 */
export class Queries {
  readonly #layout: Layout;
  readonly #files: EpisodeFiles;
  readonly #records: Readonly<Record<RecordFolder, Records>>;

  #database: { instance: DuckDB.DuckDBInstance; connection: DuckDB.DuckDBConnection } | undefined;
  #views: readonly string[] = [];
  #waiting: string | undefined;
  readonly #queue = new PQueue({ concurrency: 1 });

  constructor(layout: Layout, files: EpisodeFiles, records: Readonly<Record<RecordFolder, Records>>) {
    this.#layout = layout;
    this.#files = files;
    this.#records = records;
  }

  ask(statement: string, maxRows: number, signal?: AbortSignal): Promise<Answer> {
    // The views may change between two statements.
    return this.#queue.add(() => this.#answer(statement, maxRows, signal));
  }

  close(): void {
    this.#database?.connection.closeSync();
    this.#database?.instance.closeSync();
    this.#database = undefined;
    this.#views = [];
    this.#waiting = undefined;
  }

  async #answer(statement: string, maxRows: number, signal: AbortSignal | undefined): Promise<Answer> {
    const { StatementType } = await duckdb();
    const connection = await this.#open();
    const interrupt = () => connection.interrupt();
    signal?.addEventListener('abort', interrupt);
    try {
      signal?.throwIfAborted();
      const statements = statement.trim() === '' ? undefined : await connection.extractStatements(statement);
      const prepared = statements?.count === 1 ? await statements.prepare(0) : undefined;
      if (prepared?.statementType !== StatementType.SELECT) {
        throw refused('it is not a single SELECT', 'use one SELECT; the lake is read-only');
      }
      const reader = await prepared.streamAndRead();
      await reader.readUntil(maxRows === Infinity ? Number.MAX_SAFE_INTEGER : maxRows + 1);
      const types = reader.columnTypes();
      const columns = reader.deduplicatedColumnNames().map((name, i) => ({ name, type: String(types[i]) }));
      const isJson = types.map((type) => type.alias === 'JSON');
      const rows = reader.getRowsJS().map((row) => row.map((value, i) => plain(value, isJson[i])));
      return { columns, rows: rows.slice(0, maxRows), more: rows.length > maxRows };
    } catch (error) {
      if (error instanceof GyreError) throw error;
      const [reason = '', ...rest] = messageOf(error)
        .replace(/^Failed to extract statements: /, '')
        .split('\n');
      const hint = rest.find((line) => line.startsWith('Did you mean') || line.startsWith('Candidate'));
      throw refused(
        hint === undefined ? reason : `${reason} ${hint}`,
        'list the columns with DESCRIBE episodes (or turns, screenshots, updates, reviews, speech)',
        error,
      );
    } finally {
      signal?.removeEventListener('abort', interrupt);
    }
  }

  async #open(): Promise<DuckDB.DuckDBConnection> {
    const { views, waiting } = await this.#statements();
    if (!this.#database) {
      const { DuckDBInstance } = await duckdb();
      const instance = await DuckDBInstance.create(':memory:', {
        autoinstall_known_extensions: 'false',
        autoload_known_extensions: 'false',
        // Running out of memory must fail instead of writing to disk.
        temp_directory: '',
      });
      const connection = await instance.connect();
      const { episodes, blobs, updates, reviews, speech } = this.#layout;
      const folders = await Promise.all([episodes, blobs, updates, reviews, speech].map((folder) => realpath(folder)));
      await connection.run(
        `SET allowed_directories = [${folders.map((folder) => quoted(join(folder, '/'))).join(', ')}]`,
      );
      // The files never change.
      const settings = ['parquet_metadata_cache = true', 'enable_external_access = false', 'lock_configuration = true'];
      for (const setting of settings) {
        await connection.run(`SET ${setting}`);
      }
      this.#database = { instance, connection };
    }
    await this.#hold(waiting, this.#database.connection);
    if (views.join() !== this.#views.join()) {
      for (const view of views) await this.#database.connection.run(view);
      this.#views = views;
    }
    return this.#database.connection;
  }

  async #hold(waiting: readonly Waiting[], connection: DuckDB.DuckDBConnection): Promise<void> {
    const names = waiting.map(({ name }) => name).join();
    if (names === (this.#waiting ?? '')) return;
    if (this.#waiting === undefined) await connection.run(`CREATE TABLE waiting_rows AS ${noRows}`);
    await connection.run('DELETE FROM waiting_rows');
    const columns = [...flatColumns, 'turns', 'record'];
    const places = columns.map((_, i) => `$${i + 1}`).join(', ');
    const insert = await connection.prepare(`INSERT INTO waiting_rows (${columns.join(', ')}) VALUES (${places})`);
    for (const { episode } of waiting) {
      const values = columnsOf(episode);
      insert.bind(columns.map((name) => values[name] ?? null));
      await insert.run();
    }
    insert.destroySync();
    this.#waiting = names;
  }

  async #statements(): Promise<{ views: string[]; waiting: Waiting[] }> {
    const { files: outvoted, waiting } = await this.#files.outvoted();
    const folder = await realpath(this.#layout.episodes);
    const names = [...outvoted.keys()].map((name) => quoted(join(folder, name)));
    const losers = [...outvoted].flatMap(([name, numbers]) =>
      numbers.map((number) => `(${quoted(join(folder, name))}, ${number})`),
    );
    const options = losers.length === 0 ? '' : ', filename = true, file_row_number = true';
    const files = `read_parquet([${names.join(', ')}]${options})`;
    const vote = losers.length === 0 ? '' : ` WHERE (filename, file_row_number) NOT IN (${losers.join(', ')})`;
    const inFiles = names.length === 0 ? noRows : `SELECT ${rowColumns} FROM ${files}${vote}`;
    const rows = waiting.length === 0 ? inFiles : `${inFiles} UNION ALL SELECT ${rowColumns} FROM waiting_rows`;
    const updates = await this.#recordFiles('updates');
    const blobs = quoted(join(await realpath(this.#layout.blobs), '*/*.png'));
    const views = [
      `CREATE OR REPLACE VIEW lake_rows AS ${rows}`,
      `CREATE OR REPLACE VIEW episodes AS ${episodes}`,
      `CREATE OR REPLACE VIEW turns AS ${turns}`,
      `CREATE OR REPLACE VIEW screenshots AS SELECT parse_filename(filename, true) AS screenshot, size AS bytes, content FROM read_blob(${blobs})`,
      `CREATE OR REPLACE VIEW updates AS ${updates.length === 0 ? noUpdates : `FROM read_json([${updates.join(', ')}], union_by_name = true, sample_size = -1)`}`,
      `CREATE OR REPLACE VIEW reviews AS ${recordsView(reviewTypes, await this.#recordFiles('reviews'))}`,
      `CREATE OR REPLACE VIEW speech AS ${recordsView(speechTypes, await this.#recordFiles('speech'))}`,
    ];
    return { views, waiting };
  }

  async #recordFiles(name: RecordFolder): Promise<string[]> {
    const folder = await realpath(this.#layout[name]);
    return (await this.#records[name].files()).map((file) => quoted(join(folder, file)));
  }
}

const flatColumns = [
  ...['episode_id', 'task_id', 'family', 'split', 'seed', 'instruction', 'policy', 'policy_seed', 'policy_version'],
  ...['purpose', 'started_at', 'state', 'success', 'score', 'verdict_source', 'turn_count', 'reward'],
];

/** DuckDB rejects lone surrogates, which the lake stores; they become U+FFFD. */
const readable = (column: string) =>
  `CASE WHEN contains(${column}, '\\ud') THEN regexp_replace(${column}, '\\\\ud[89a-f][0-9a-f]{2}', '\\\\ufffd', 'g') ELSE ${column} END`;

const rowColumns = [...flatColumns, `${readable('turns')} AS turns`, `${readable('record')} AS record`].join(', ');

const noUpdates = 'SELECT NULL::TIMESTAMP AS updated_at, NULL::BIGINT AS environment_steps WHERE false';

/** Fields of records, with their columns' names and types. */
type RecordTypes = Readonly<Record<string, readonly [name: string, type: string]>>;

const reviewTypes: RecordTypes = {
  ...{ episode: ['episode_id', 'VARCHAR'], by: ['reviewer', 'VARCHAR'], at: ['reviewed_at', 'TIMESTAMP'] },
  ...{ success: ['success', 'BOOLEAN'], verdict: ['verdict', 'VARCHAR'], reason: ['reason', 'VARCHAR'] },
  ...{ lastGoodTurn: ['last_good_turn', 'INTEGER'], turns: ['turns', 'JSON'] },
};
const speechTypes: RecordTypes = {
  ...{ episode: ['episode_id', 'VARCHAR'], type: ['type', 'VARCHAR'], by: ['person', 'VARCHAR'] },
  ...{ at: ['recorded_at', 'TIMESTAMP'], hash: ['recording', 'VARCHAR'], durationMs: ['duration_ms', 'DOUBLE'] },
  ...{ turn: ['turn', 'INTEGER'], clips: ['clips', 'JSON'], transcript: ['transcript', 'VARCHAR'] },
  ...{ model: ['model', 'VARCHAR'], text: ['text', 'VARCHAR'] },
};

function recordsView(types: RecordTypes, files: readonly string[]): string {
  const fields = Object.entries(types);
  if (files.length === 0)
    return `SELECT ${fields.map(([, [name, type]]) => `NULL::${type} AS ${name}`).join(', ')} WHERE false`;
  const columns = fields.map(([field, [, type]]) => `'${field}': '${type}'`).join(', ');
  const names = fields.map(([field, [name]]) => `"${field}" AS ${name}`).join(', ');
  return `SELECT ${names} FROM read_json([${files.join(', ')}], columns = {${columns}})`;
}

const noRows = `SELECT ${[
  ...flatColumns.map((name) => `NULL::${noRowTypes()[name] ?? 'VARCHAR'} AS ${name}`),
  'NULL::VARCHAR AS turns',
  'NULL::VARCHAR AS record',
].join(', ')} WHERE false`;

function noRowTypes(): Readonly<Record<string, string>> {
  const columnsOf = (type: string, ...names: string[]) => Object.fromEntries(names.map((name) => [name, type]));
  return {
    ...columnsOf('BIGINT', 'seed', 'policy_seed', 'policy_version'),
    ...columnsOf('DOUBLE', 'score', 'reward'),
    ...{ started_at: 'TIMESTAMP', success: 'BOOLEAN', turn_count: 'INTEGER' },
  };
}

const episodes = `
SELECT ${flatColumns.join(', ')},
  (record->>'$.task.screen.width')::INTEGER AS width, (record->>'$.task.screen.height')::INTEGER AS height,
  (record->>'$.task.difficulty')::INTEGER AS difficulty, (record->>'$.task.stepBudget')::INTEGER AS step_budget,
  record->>'$.observation.screenshot' AS first_screenshot,
  record->>'$.end.message' AS message, (record->'$.verdict.evidence')::JSON AS evidence,
  record->>'$.fork.episode' AS fork_of, (record->>'$.fork.turn')::INTEGER AS fork_turn,
  record->>'$.origin.source' AS source, record->>'$.origin.licence' AS licence
FROM lake_rows`;

const turnShape = JSON.stringify([
  {
    ...{ index: 'INTEGER', by: 'VARCHAR', thought: 'VARCHAR', actions: 'JSON', text: 'VARCHAR', reward: 'DOUBLE' },
    ...{ candidates: 'JSON', edited: 'JSON', mark: 'JSON' },
    sample: { tokens: ['UINTEGER'], logprobs: ['DOUBLE'], policyVersion: 'BIGINT' },
    observation: { screenshot: 'VARCHAR', results: ['JSON'] },
  },
]);

const turns = `
SELECT episode_id, task_id, family, split, policy, purpose, state, success, t.index AS turn, screenshot, t.thought AS thought,
  t.actions AS actions, t.text AS text, t.sample.tokens AS tokens, t.sample.logprobs AS logprobs,
  t.sample.policyVersion AS policy_version, t.reward AS reward, t.by AS person, t.candidates AS candidates, t.edited AS edited, t.mark AS mark, list_transform(t.observation.results, lambda each: coalesce(each->>'$.text', each->>'$')) AS results,
  list_transform(t.observation.results, lambda each: each->>'$.kind') AS result_kinds,
  t.observation.screenshot AS screenshot_after
FROM (
  SELECT *, unnest(list) AS t, unnest(list_prepend(record->>'$.observation.screenshot',
    list_transform(list, lambda each: each.observation.screenshot))[:-2]) AS screenshot
  FROM (SELECT *, from_json(turns, '${turnShape}') AS list FROM lake_rows)
)`;

function plain(value: DuckDB.JS, isJson = false): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'string') return isJson ? (JSON.parse(value) as unknown) : value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map((each: DuckDB.JS) => plain(each));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
  }
  return value;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function refused(reason: string, fix: string, cause?: unknown): GyreError {
  return new GyreError('bad_input', `cannot run the statement: ${reason}`, { field: 'sql', fix, cause });
}

async function duckdb(): Promise<typeof DuckDB> {
  try {
    return await import('@duckdb/node-api');
  } catch (error) {
    throw new GyreError('missing', `cannot load DuckDB: ${messageOf(error)}`, {
      field: '@duckdb/node-api',
      fix: 'run npm install @duckdb/node-api; it supports Linux with glibc, macOS and Windows',
      cause: error,
    });
  }
}
