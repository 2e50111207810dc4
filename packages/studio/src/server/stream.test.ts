import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderLock, Lake } from '@gyre/lake';
import { createParser } from 'eventsource-parser';
import { expect, onTestFinished, test, vi } from 'vitest';
import { theRecordedRun } from '../recordedRun/recordedRun.test.fixture.js';
import { aStudio } from './studio.test.fixture.js';
import type { StudioEvent } from './trainingWire.js';

type Studio = Awaited<ReturnType<typeof aStudio>>;
type Told = StudioEvent & { readonly eventId: number };

/** Reads the stream until the test ends, or `leave` is called. */
async function reader({ url, token }: Studio, after?: number) {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const headers = { authorization: `Bearer ${token}`, ...(after !== undefined && { 'last-event-id': String(after) }) };
  const response = await fetch(`${url}/api/stream`, { headers, signal: gone.signal });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const events: Told[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      const parsed = JSON.parse(data) as StudioEvent;
      expect(parsed.type).toBe(event);
      events.push({ ...parsed, eventId: Number(id) });
    },
  });
  void (async () => {
    for await (const bytes of response.body!) parser.feed(Buffer.from(bytes).toString());
  })().catch(() => undefined);
  if (after === undefined) await vi.waitFor(() => expect(events[0]?.type).toBe('following'), { timeout: 5_000 });
  return { events, leave: () => gone.abort() };
}

const types = (events: readonly Told[]): string[] => events.map(({ type }) => type);

test('updates, stages and episodes are told as they happen, and a reader that comes back misses none', async () => {
  const { root, directory, episodes } = await theRecordedRun();
  const studio = await aStudio(root);
  const first = await reader(studio);
  const { end, verdict, turns, ...start } = episodes[0]!;
  const lake = await Lake.open(join(directory, 'lake'));
  onTestFinished(() => lake.close());
  const writer = await lake.begin({ ...start, id: 'new' });
  await writer.append(turns[0]!);
  await vi.waitFor(() => expect(types(first.events)).toEqual(['following', 'episode.begin', 'episode.turn']));
  expect(first.events[2]).toMatchObject({
    run: 'clicks',
    id: 'new',
    turn: 0,
    words: [expect.stringMatching(/^click /)],
    reward: 1,
  });
  const lines = (await readFile(join(directory, 'updates.jsonl'), 'utf8')).trim().split('\n');
  const next = JSON.stringify({ ...(JSON.parse(lines.at(-1)!) as object), environmentSteps: 9_999 });
  await appendFile(join(directory, 'updates.jsonl'), next.slice(0, 100));
  await appendFile(join(directory, 'updates.jsonl'), `${next.slice(100)}\n`);
  await vi.waitFor(() =>
    expect(first.events.at(-1)).toMatchObject({ type: 'update', update: { environmentSteps: 9_999 } }),
  );
  first.leave();

  await writer.finish(end, verdict);
  const state = await readFile(join(directory, 'state.json'), 'utf8');
  await writeFile(join(directory, 'state.json'), state);
  const back = await reader(studio, first.events.at(-1)!.eventId);
  await vi.waitFor(() => expect(types(back.events).sort()).toEqual(['episode.end', 'run.progress']));
  expect(back.events.find(({ type }) => type === 'episode.end')).toMatchObject({ id: 'new', success: true, turns: 1 });
  const ids = [...first.events, ...back.events].map(({ eventId }) => eventId);
  expect([...new Set(ids)].sort((a, b) => a - b)).toEqual(ids);

  const foreign = await reader(studio, 7);
  await vi.waitFor(() => expect(foreign.events[0]).toMatchObject({ type: 'missed', count: null }));
});

test(
  'a run whose process is killed is told as killed, with the command that resumes it',
  { timeout: 30_000 },
  async () => {
    const { root, directory } = await theRecordedRun();
    const lakeModule = import.meta.resolve('@gyre/lake');
    const program = `import { FolderLock } from ${JSON.stringify(lakeModule)};
await FolderLock.take(process.argv.at(-1)); console.log('taken'); setInterval(() => undefined, 1000);`;
    const path = join(root, 'gyre.mjs');
    await writeFile(path, program);
    const child = spawn(process.execPath, [path, 'flywheel', directory], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    expect(await FolderLock.look(directory)).toMatchObject({ state: 'held' });
    const studio = await aStudio(root);
    const { events } = await reader(studio);
    child.kill('SIGKILL');
    await vi.waitFor(() => expect(events.at(-1)).toMatchObject({ type: 'run.progress' }), {
      timeout: 10_000,
      interval: 100,
    });
    const { summary } = events.at(-1) as Extract<StudioEvent, { type: 'run.progress' }>;
    expect(summary.progress.state).toBe('killed');
    expect(summary.progress.resume).toMatch(/^npx gyre flywheel --resume .*clicks$/);
  },
);

test('a run that begins later is followed, too', { timeout: 20_000 }, async () => {
  const { root, directory, episodes } = await theRecordedRun();
  const studio = await aStudio(root);
  const { events } = await reader(studio);
  const { turns: _, end: __, verdict: ___, ...start } = episodes[0]!;
  const lake = await Lake.open(join(root, 'later', 'lake'));
  onTestFinished(() => lake.close());
  await vi.waitFor(() => expect(events.at(-1)).toMatchObject({ type: 'run.progress', run: 'later' }), {
    timeout: 8_000,
  });
  await lake.begin({ ...start, id: 'there' });
  await vi.waitFor(() => expect(events.at(-1)).toMatchObject({ type: 'episode.begin', run: 'later' }));
  expect(directory).toContain('clicks');
});
