import { join } from 'node:path';
import { type FileSystem, removeFile, storageError } from './fileSystem.js';

/** Tells `datasets.load_dataset` which files are rows. */
const card = `---
configs:
  - config_name: default
    data_files: episodes/*.parquet
---

# A trajectory lake of gyre

Each row of \`episodes/*.parquet\` is one episode. \`turns\` is JSON text: a list of turns with thought, actions, sampled
tokens and log-probabilities, reward, and the next screenshot, stored under its SHA-256 as \`blobs/ab/abcdef....png\`.
\`record\` is the rest of the episode as JSON text. Files are never changed.

    duckdb -c "SELECT family, policy, avg(success::INT) FROM 'episodes/*.parquet' WHERE state <> 'infra_error' GROUP BY ALL"
    python -c "import datasets; print(datasets.load_dataset('.', split='train')[0]['instruction'])"

\`load_dataset\` caches rows by folder name, and returns the cached rows for another folder of that name or a folder that has
grown. \`load_dataset('parquet', data_files='episodes/*.parquet')\` reads the files.
`;

export async function writeCard(fs: FileSystem, root: string): Promise<void> {
  const path = join(root, 'README.md');
  const handle = await fs.open(path, 'wx').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined;
    throw storageError(error, path);
  });
  try {
    await handle?.writeFile(card);
  } catch (error) {
    await removeFile(fs, path);
    throw storageError(error, path);
  } finally {
    await handle?.close();
  }
}
