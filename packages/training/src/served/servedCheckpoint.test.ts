import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { saveCheckpoint, serveTinker, TinkerClient, TinkerEngine } from '@gyre/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Journal } from '../flywheel/journal.js';
import { CueEngine } from './cueEngine.test.fixture.js';
import { adapterOf, copyCheckpoint, ServedCheckpoints } from './servedCheckpoint.js';

let run: string;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  run = await mkdtemp(join(tmpdir(), 'gyre-checkpoints-'));
  closing.push(() => rm(run, { recursive: true }));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface OpenOptions {
  readonly cue?: CueEngine;
  readonly rank?: number;
  readonly deletes?: boolean;
  readonly pulls?: boolean;
  /** Answers requests for archives. */
  readonly archive?: RequestListener;
}

async function open({ cue = new CueEngine(), rank = 4, deletes = true, pulls = true, archive }: OpenOptions = {}) {
  const server = await serveTinker({ engine: cue, discard: deletes ? (name) => cue.discard(name) : undefined });
  const url = archive ? await inFrontOf(server.url, archive) : server.url;
  const client = await TinkerClient.open({ url, retries: 0, apiKey: 'secret' });
  const model = { baseModel: 'cue', rank };
  const engine = await TinkerEngine.open({ client, model, vocabulary: 'eight' });
  closing.push(
    () => server.close(),
    () => engine.close(),
  );
  const notices: string[] = [];
  const notify = (notice: string) => void notices.push(notice);
  const checkpoints = new ServedCheckpoints({ engine, folder: run, pulls, notify });
  return { cue, engine, server, url, checkpoints, notices };
}

/** Passes requests on, except those for archives. */
async function inFrontOf(target: string, archive: RequestListener): Promise<string> {
  return listen((request, response) => {
    const { url = '', method = '', headers } = request;
    if (url.endsWith('/archive')) return archive(request, response);
    void (async () => {
      const body = method === 'POST' ? Buffer.concat((await request.toArray()) as Buffer[]) : undefined;
      const type = headers['content-type'];
      const passed = await fetch(`${target}${url}`, { method, body, headers: type ? { 'content-type': type } : {} });
      response.writeHead(passed.status, { 'content-type': passed.headers.get('content-type') ?? '' });
      response.end(Buffer.from(await passed.arrayBuffer()));
    })();
  });
}

/** Archives an adapter by the system's tar. */
async function archiveOf(rank: number): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-archived-'));
  const tensors = {
    'base_model.model.q_proj.lora_A.weight': { shape: [rank, 3], data: new Float32Array(rank * 3).fill(0.5) },
    'base_model.model.q_proj.lora_B.weight': { shape: [2, rank], data: new Float32Array(2 * rank).fill(2) },
  };
  await saveCheckpoint(join(folder, 'adapter_model.safetensors'), { tensors, metadata: {} });
  const config = { peft_type: 'LORA', base_model_name_or_path: 'cue', r: 4, lora_alpha: 8 };
  await writeFile(join(folder, 'adapter_config.json'), JSON.stringify(config));
  const tar = execFileSync('tar', ['-cf', '-', '-C', folder, '.']);
  await rm(folder, { recursive: true });
  return tar;
}

const nameOf = async (file: string): Promise<string> => {
  const { path } = JSON.parse(await readFile(file, 'utf8')) as { path: string };
  return path.replace('tinker://', '').replace('/weights/', '.');
};

describe('a lasting checkpoint', () => {
  it('has the LoRA adapter beside it, which a redirect may store elsewhere, without the key', async () => {
    const archive = await archiveOf(4);
    const keys: unknown[] = [];
    const storage = await listen((request, response) => {
      keys.push(request.headers['x-api-key']);
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(archive);
    });
    const { checkpoints, notices } = await open({
      archive: (request, response) => {
        keys.push(request.headers['x-api-key']);
        response.writeHead(302, { location: `${storage}/signed` }).end();
      },
    });
    const file = join(run, 'trained.json');
    await checkpoints.save(file);
    expect(keys).toEqual(['secret', undefined]);
    expect(notices).toEqual([]);
    expect(await adapterOf(file)).toBe(join(run, 'trained.adapter'));
    expect((await readdir(join(run, 'trained.adapter'))).sort()).toEqual([
      'adapter_config.json',
      'adapter_model.safetensors',
    ]);
    await mkdir(join(run, 'copies'));
    const copy = join(run, 'copies', 'best.json');
    await copyCheckpoint(file, copy);
    expect(await adapterOf(copy)).toBe(join(run, 'copies', 'best.adapter'));
    expect(await readdir(join(run, 'copies', 'best.adapter'))).toHaveLength(2);
    await checkpoints.save(join(run, 'iteration-1.passing.json'));
    expect(await adapterOf(join(run, 'iteration-1.passing.json'))).toBeUndefined();
    expect(keys).toHaveLength(2);
  });

  const failures: [string, OpenOptions, string][] = [
    ['a server without archives', {}, 'there is no adapter to archive'],
    ['rank 0', { rank: 0 }, 'the server trains all weights'],
    [
      'an archive of another rank',
      { archive: (_, response) => void archiveOf(3).then((tar) => end(response, tar)) },
      'rank',
    ],
    ['a body that is no archive', { archive: (_, response) => end(response, Buffer.from('<html>')) }, 'archive'],
    [
      'a body that ends early',
      {
        archive: (_, response) => void archiveOf(4).then((tar) => end(response, tar.subarray(0, 1_500))),
      },
      'truncated',
    ],
    [
      'a lost connection',
      {
        archive: (_, response) => {
          response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': 9_999 });
          response.write('part');
          setTimeout(() => response.destroy(), 20);
        },
      },
      'does not answer',
    ],
  ];
  it.each(failures)('is saved without a copy, with one notice, for %s', async (_, options, words) => {
    const { checkpoints, notices, cue } = await open(options);
    const file = join(run, 'trained.json');
    await checkpoints.save(file);
    await checkpoints.save(join(run, 'sft.json'));
    expect(notices).toEqual([expect.stringContaining(words)]);
    expect(await adapterOf(file)).toBeUndefined();
    expect((await readdir(run)).sort()).toEqual(['sft.json', 'trained.json']);
    expect(cue.saved).toContain(await nameOf(file));
    await checkpoints.load(file);
  });
});

function end(response: Parameters<RequestListener>[1], body: Buffer): void {
  response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(body);
}

describe('weights that no file names any more', () => {
  const stages = ['one', 'two', 'three', 'four'];

  const journalOf = (checkpoints: ServedCheckpoints, resume = false) =>
    Journal.open(join(run, 'practice'), {
      ...{ run: { seed: 1 }, resume },
      weights: {
        extension: 'json',
        save: (path) => checkpoints.save(path),
        load: (path) => checkpoints.load(path),
        discard: (path) => checkpoints.discard(path),
      },
    });

  async function play(journal: Journal, names: readonly string[]): Promise<void> {
    for (const name of names) {
      const keeps = name === 'two';
      await journal.stage(name, () => Promise.resolve({ turns: 1 }), { learns: true, keeps });
    }
  }

  const stored = (cue: CueEngine) => cue.saved.filter((name) => name !== 'initial').map((name) => name.split('.')[1]!);

  it('are deleted at the server with their file', async () => {
    const { cue, checkpoints, notices } = await open({ pulls: false });
    await play(await journalOf(checkpoints), stages);
    expect((await readdir(join(run, 'practice', 'weights'))).sort()).toEqual(['four.passing.json', 'two.json']);
    expect(stored(cue)).toEqual([expect.stringMatching(/^two-json/), expect.stringMatching(/^four-passing-json/)]);
    expect(notices).toEqual([]);
  });

  it('stay while another file of the run names them', async () => {
    const { cue, checkpoints } = await open({ pulls: false });
    const journal = await journalOf(checkpoints);
    await play(journal, ['one']);
    const passing = join(run, 'practice', 'weights', 'one.passing.json');
    const name = await nameOf(passing);
    await mkdir(join(run, 'best'));
    await writeFile(join(run, 'best', 'mine.json'), await readFile(passing));
    await play(journal, ['two']);
    expect(await readdir(join(run, 'practice', 'weights'))).toEqual(['two.json']);
    expect(cue.saved).toContain(name);
    await checkpoints.load(join(run, 'best', 'mine.json'));
  });

  it('are deleted again after a crash between the deletions, and the run resumes from the newest', async () => {
    const { cue, checkpoints } = await open({ pulls: false });
    const crashing = await Journal.open(join(run, 'practice'), {
      ...{ run: { seed: 1 }, resume: false },
      weights: {
        extension: 'json',
        save: (path) => checkpoints.save(path),
        load: (path) => checkpoints.load(path),
        discard: async (path) => {
          await checkpoints.discard(path);
          throw new Error('killed');
        },
      },
    });
    await play(crashing, ['one']);
    await expect(play(crashing, ['three'])).rejects.toThrow('killed');
    const folder = join(run, 'practice', 'weights');
    expect((await readdir(folder)).sort()).toEqual(['one.passing.json', 'three.passing.json']);
    expect(stored(cue)).toEqual([expect.stringMatching(/^three/)]);
    const resumed = await journalOf(checkpoints, true);
    await play(resumed, ['one', 'three']);
    await resumed.load();
    await play(resumed, ['four']);
    expect(await readdir(folder)).toEqual(['four.passing.json']);
    expect(stored(cue)).toEqual([expect.stringMatching(/^four/)]);
  });

  it('stay with one notice at a server that deletes none', async () => {
    const { cue, checkpoints, notices } = await open({ pulls: false, deletes: false });
    await play(await journalOf(checkpoints), stages);
    expect(await readdir(join(run, 'practice', 'weights'))).toHaveLength(2);
    expect(stored(cue)).toHaveLength(4);
    expect(notices).toEqual([expect.stringMatching(/deletes no weights.*tinker:/)]);
  });

  it('keep their file until the server answers again', async () => {
    const { cue, checkpoints, notices, server, url } = await open({ pulls: false });
    const file = join(run, 'one.passing.json');
    await checkpoints.save(file);
    const name = await nameOf(file);
    await server.close();
    expect(await checkpoints.discard(file)).toBe(false);
    expect(notices).toEqual([expect.stringContaining('does not answer')]);
    const port = Number(new URL(url).port);
    const again = await serveTinker({ engine: cue, port, discard: (saved) => cue.discard(saved) });
    closing.push(() => again.close());
    expect(cue.saved).toContain(name);
    expect(await checkpoints.discard(file)).toBe(true);
    expect(cue.saved).not.toContain(name);
  });

  it('are deleted when this process saves the same file again', async () => {
    const { cue, checkpoints } = await open({ pulls: false });
    const file = join(run, 'critic.json');
    for (let epoch = 0; epoch < 3; epoch++) await checkpoints.save(file);
    expect(cue.saved.filter((name) => name !== 'initial')).toEqual([await nameOf(file)]);
    const later = new ServedCheckpoints({
      ...{ engine: (await open()).engine, folder: run, pulls: false },
      notify: () => undefined,
    });
    await later.save(file);
    expect(stored(cue)).toHaveLength(1);
  });
});

it('a server that lacks weights is told apart, with the path, the file and the server that stored them', async () => {
  const [first, second] = [await open(), await open()];
  const file = join(run, 'trained.json');
  await first.checkpoints.save(file);
  const { path } = JSON.parse(await readFile(file, 'utf8')) as { path: string };
  const error = (await second.checkpoints.load(file).catch((thrown: unknown) => thrown)) as Error;
  expect(error).toMatchObject({
    code: 'bad_input',
    detail: { field: file, fix: expect.stringContaining(`saved at ${first.url}`) as string },
  });
  expect(error.message).toContain(`the server at ${second.url} did not load ${path}, which ${file} names`);
  await expect(second.checkpoints.load(path)).rejects.toMatchObject({ code: 'bad_input', detail: { field: path } });
  await first.checkpoints.load(file);
});
