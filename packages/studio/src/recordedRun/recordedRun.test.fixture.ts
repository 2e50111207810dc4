import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Lake } from '@gyre/lake';
import { type Episode, EpisodeEnd, Task } from '@gyre/protocol';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

const source = fileURLToPath(new URL('../../src/recordedRun/', import.meta.url));
const size = { width: 160, height: 160 };

const Recorded = z.object({
  id: z.string(),
  task: Task.omit({ surfaces: true, screen: true }),
  ...{ policy: z.string(), purpose: z.string(), seed: z.int(), startedAt: z.string() },
  turns: z.array(z.object({ actions: z.array(z.any()), reward: z.number(), version: z.int().optional() })),
  end: EpisodeEnd,
  verdict: z.object({ success: z.boolean(), score: z.number() }).optional(),
});

/** Makes a folder of runs with the recorded one, named `clicks`. See README.md beside it. */
export async function theRecordedRun(): Promise<{ root: string; directory: string; episodes: Episode[] }> {
  const root = await mkdtemp(join(tmpdir(), 'gyre-recorded-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const directory = join(root, 'clicks');
  for (const name of ['updates.jsonl', 'state.json', 'settings.json', 'routes'])
    await cp(join(source, name), join(directory, name), { recursive: true });
  const lake = await Lake.open(join(directory, 'lake'));
  const screenshot = await lake.putScreenshot(await readFile(join(source, 'screen.png')));
  const episodes: Episode[] = [];
  for (const line of (await readFile(join(source, 'episodes.jsonl'), 'utf8')).trim().split('\n')) {
    const { task, turns, end, verdict, ...start } = Recorded.parse(JSON.parse(line));
    const observation = { screenshot, size };
    const writer = await lake.begin({
      ...start,
      task: { ...task, surfaces: ['screen'], screen: size },
      observation,
    });
    for (const [index, { actions, reward, version }] of turns.entries()) {
      const sample = version === undefined ? {} : { sample: { tokens: [], logprobs: [], policyVersion: version } };
      await writer.append({ index, actions, ...sample, observation, reward });
    }
    episodes.push(await writer.finish(end, verdict && { ...verdict, source: 'verifier', evidence: {} }));
  }
  await lake.close();
  return { root, directory, episodes };
}
