import { conditionOf } from './server/episodeCondition.js';
import type { EpisodeQuery } from './server/wire.js';
import { shellWord } from './runs/shellWord.js';

/** A place on the studio's page. */
export interface Place {
  readonly page:
    'runs' | 'training' | 'episodes' | 'episode' | 'compare' | 'results' | 'live' | 'cockpit' | 'annotate' | 'review';
  /** The folder of its run. */
  readonly directory?: string | undefined;
  readonly episode?: string | undefined;
  /** Turns before the screen that is shown. */
  readonly turn?: number | undefined;
  readonly filter?: Partial<EpisodeQuery> | undefined;
  /** Evaluations as `gyre compare` names them. */
  readonly evaluations?: readonly [before: string, after: string] | undefined;
}

export interface PageCommand {
  readonly name: string;
  readonly command: string;
}

const gyre = (...words: readonly (string | number)[]): string =>
  ['npx', 'gyre', ...words.map((word) => shellWord(String(word)))].join(' ');

/** Returns the command lines that do what a page does. */
export function pageCommands({
  page,
  directory = 'runs',
  episode = '',
  turn = 0,
  filter = {},
  evaluations,
}: Place): PageCommand[] {
  const inLake = ['--directory', directory];
  const sql = (statement: string): string => gyre('lake', 'sql', statement, ...inLake);
  const episodeWord = `'${episode.replaceAll("'", "''")}'`;
  switch (page) {
    case 'runs':
      return [
        { name: 'Serve this page', command: gyre('studio') },
        { name: 'Train from nothing', command: 'npm start' },
      ];
    case 'training':
      return [
        {
          name: 'Updates',
          command: sql('SELECT environment_steps, success, entropy FROM updates ORDER BY updated_at DESC LIMIT 20'),
        },
        { name: 'Serve this page', command: gyre('studio', directory) },
      ];
    case 'episodes': {
      const columns = 'episode_id, family, policy, turn_count, score, started_at';
      const rest = `FROM episodes${conditionOf(filter)} ORDER BY started_at DESC LIMIT 20`;
      return [
        { name: 'This table', command: sql(`SELECT ${columns} ${rest}`) },
        {
          name: 'Export for fine-tuning',
          command: gyre('lake', 'export', ...inLake, '--format', 'sft', '--output', 'sft'),
        },
      ];
    }
    case 'episode':
      return [
        { name: 'Verify', command: gyre('replay', episode, ...inLake) },
        { name: 'Fork here', command: gyre('fork', episode, '--turn', turn, '--attempts', 4, ...inLake) },
        {
          name: 'Its turns',
          command: sql(`SELECT turn, thought, actions, reward FROM turns WHERE episode_id = ${episodeWord}`),
        },
      ];
    case 'compare':
      return [{ name: 'Fork here', command: gyre('fork', episode, '--turn', turn, '--attempts', 4, ...inLake) }];
    case 'results':
      return [
        ...(evaluations ? [{ name: 'Compare these', command: gyre('compare', ...evaluations) }] : []),
        { name: 'Evaluate', command: gyre('eval', '--policy', 'random', '--family', 'click', '--episodes', 20) },
      ];
    case 'live':
    case 'cockpit':
      return [
        { name: 'Play by hand', command: gyre('tasks', 'play', '2048/test/0') },
        { name: 'Watch a policy play', command: gyre('rollout', '--family', 'click', '--episodes', 20) },
      ];
    case 'annotate':
    case 'review':
      return [
        { name: 'Train on what people did', command: gyre('train', 'sft', ...inLake) },
        {
          name: 'Export it',
          command: gyre('lake', 'export', ...inLake, '--pool', 'sft', '--format', 'sft', '--output', 'sft'),
        },
      ];
  }
}
