import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import type { Architecture } from './architecture.js';
import { EngineThread } from './engineThread.js';

const tiny: Architecture = {
  screenshots: 1,
  width: 16,
  heads: 2,
  imageLayers: 1,
  decoderLayers: 1,
  stem: 8,
  role: 'policy',
};

async function started(): Promise<{ thread: EngineThread; worker: Worker }> {
  const created = once(process, 'worker') as Promise<[Worker]>;
  const thread = await EngineThread.start({ architecture: tiny, seed: 1, threads: 1 });
  const [worker] = await created;
  return { thread, worker };
}

const shot = { hash: 'a', pixels: new Uint8Array(32 * 32 * 3), size: { width: 32, height: 32 } };

describe('an engine whose thread dies', () => {
  it.each<[string, (worker: Worker) => void, RegExp]>([
    ['is ended from outside', (worker) => void worker.terminate(), /has exited/],
    [
      'crashes',
      (worker) => {
        worker.postMessage(undefined);
      },
      /crashed: .*undefined/,
    ],
  ])(
    'because it %s fails every call, those under way and later ones, with one clear error',
    async (_, kill, message) => {
      const { thread, worker } = await started();
      const underWay = Array.from({ length: 50 }, () =>
        thread.readGlyphs([shot]).then(
          () => 'done',
          (error: unknown) => error,
        ),
      );
      kill(worker);
      const failed = (await Promise.all(underWay)).filter((result) => result !== 'done');
      expect(failed.length).toBeGreaterThan(0);
      for (const error of failed) expect(error).toMatchObject({ code: 'bug', message: expect.stringMatching(message) });
      await expect(thread.forward([])).rejects.toMatchObject({ code: 'bug' });
      await thread.close();
    },
  );

  it('because it runs out of memory does the same', async () => {
    const glutton = `import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ method }) => {
  const held = [];
  while (method === 'readGlyphs') held.push(new Array(1000).fill({}));
});`;
    const worker = new Worker(new URL('./engineWorker.js', import.meta.url), {
      workerData: { architecture: tiny, seed: 1, threads: 1 },
      resourceLimits: { maxOldGenerationSizeMb: 32 },
      execArgv: ['--import', `data:text/javascript,${encodeURIComponent(glutton)}`],
    });
    const thread = new EngineThread(worker);
    const calls = [thread.readGlyphs([shot]), thread.readGlyphs([shot])];
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({ code: 'bug', message: expect.stringContaining('out of memory') });
    }
    await thread.close();
  });
});
