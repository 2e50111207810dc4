import { type Columns, featuresYaml } from './parquetTable.js';

export interface DatasetContent {
  readonly name: string;
  /** Relative, such as `data/train-*.parquet`. */
  readonly files: string;
  readonly split: string;
  /** Absent: inferred by `datasets`. */
  readonly columns?: Columns;
  readonly episodes: number;
  readonly rows: number;
  readonly row: string;
  readonly licences: ReadonlyMap<string, number>;
}

/** Returns a README.md from which `datasets.load_dataset` loads the folder. */
export function datasetCard({ name, files, split, columns, episodes, rows, row, licences }: DatasetContent): string {
  const size = [1e3, 1e4, 1e5, 1e6, 1e7].findIndex((limit) => rows < limit);
  const category = ['n<1K', '1K<n<10K', '10K<n<100K', '100K<n<1M', '1M<n<10M', '10M<n<100M'].at(size)!;
  const listed = [...licences].map(([licence, count]) => `- ${licence}: ${count}`);
  return `---
pretty_name: ${JSON.stringify(name)}
tags:
  - computer-use
  - gui-agent
size_categories:
  - ${category}
configs:
  - config_name: default
    data_files:
      - split: ${split}
        path: ${files}
${columns ? `dataset_info:\n  features:\n${featuresYaml(columns)}\n` : ''}---

# ${name}

${episodes} episodes of GUI agents, ${rows} rows in the split ${split}. ${row}

    python -c "import datasets; print(datasets.load_dataset('.', split='${split}')[0])"

Points are fractions (0..1) of the screen's width and height, except in the text of actions, which uses the action format's own notation.
${listed.length > 0 ? `\n## Licences of imported episodes\n\nEpisodes by licence:\n\n${listed.join('\n')}\n` : ''}`;
}
