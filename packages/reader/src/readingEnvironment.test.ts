import { EnvironmentWrapper, type Frame, type Reading, type StepOptions, type Task } from '@gyre/protocol';
import { BrowserPool, SessionEnvironment } from '@gyre/sandbox';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openInkReader } from './inkReader.test.fixture.js';
import { ReadingEnvironment } from './readingEnvironment.js';

const task: Task = {
  id: 'press/train/1',
  family: 'press',
  split: 'train',
  seed: 1,
  instruction: 'press the page',
  surfaces: ['screen'],
  screen: { width: 320, height: 240 },
  stepBudget: 4,
};
const press = { type: 'click', point: { x: 0.5, y: 0.5 } } as const;

/** Shows a bar for the letter B; a press appends one for C. */
const html = `
  <body style="margin:0;background:#fff;height:100vh">
    <style>i { position: absolute; top: 6px; width: 10px; height: 8px }</style>
    <i style="left:20px;background:#090909"></i>
    <script>
      onclick = () => {
        document.body.insertAdjacentHTML('beforeend', '<i style="left:32px;background:#121212"></i>');
      };
    </script>`;

let pool: BrowserPool;
beforeAll(async () => {
  pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
});
afterAll(() => pool.close());

const simulated: Reading = {
  reader: 'simulated',
  lines: [{ text: 'the answer', box: { x: 0, y: 0, width: 9, height: 9 }, centres: [...'the answer'].map(() => 4) }],
};

/** Adds readings that were derived from the page, as for training. */
class SimulatedEnvironment extends EnvironmentWrapper {
  override async reset(): Promise<Frame> {
    return { ...(await super.reset()), reading: simulated };
  }

  override async step(actions: Parameters<EnvironmentWrapper['step']>[0], options: StepOptions = {}) {
    const result = await super.step(actions, {
      onObservation: (frame) => options.onObservation?.({ ...frame, reading: simulated }),
    });
    return { ...result, observation: { ...result.observation, reading: simulated } };
  }

  override async observe(): Promise<Frame> {
    return { ...(await super.observe()), reading: simulated };
  }
}

function open(wrap = (environment: SessionEnvironment): SessionEnvironment | EnvironmentWrapper => environment) {
  const session = new SessionEnvironment({
    task,
    machines: { lease: (needs) => pool.lease(needs) },
    setUp: async ({ browser }) => {
      await browser!.open({ html, seed: 1 });
      return {
        task,
        step: async () => ({ reward: 0, done: false }),
        verdict: async () => ({ success: false, score: 0, source: 'verifier', evidence: {} }),
        oracle: async () => ({ actions: [press] }),
      };
    },
  });
  let decoded = 0;
  const decode = async ({ png }: Frame) => {
    decoded++;
    return sharp(png).removeAlpha().raw().toBuffer();
  };
  const { reader, detector } = openInkReader();
  const environment = new ReadingEnvironment(wrap(session), { reader, decode });
  onTestFinished(() => environment.close());
  return { environment, detector, decodings: () => decoded };
}

const textsOf = ({ reading }: Frame) => reading?.lines.map(({ text }) => text);

test('every observation has a reading, and each screen is read once', async () => {
  const { environment, detector, decodings } = open();
  expect(textsOf(await environment.reset())).toEqual(['B']);
  const { observation } = await environment.step([press]);
  expect(textsOf(observation)).toEqual(['BC']);
  expect(observation.reading?.reader).toBe('ink-1');
  expect(textsOf(await environment.observe())).toEqual(['BC']);
  expect(decodings()).toBe(2);
  // The second is of the changed part.
  expect(detector.views.map(({ width }) => width)).toEqual([320, 224]);
});

test('a reading that was derived from the page is replaced, also where the frame is stored', async () => {
  const { environment } = open((session) => new SimulatedEnvironment(session));
  expect(textsOf(await environment.reset())).toEqual(['B']);
  const early: Frame[] = [];
  const { observation } = await environment.step([press], { onObservation: (frame) => early.push(frame) });
  expect(textsOf(observation)).toEqual(['BC']);
  expect(textsOf(await environment.observe())).toEqual(['BC']);
  expect(early).toEqual([{ png: observation.png, hash: observation.hash, size: observation.size }]);
});

test('a frame that cannot be decoded fails, and is read again the next time', async () => {
  const { reader } = openInkReader();
  const failures = [new Error('cut off')];
  const { environment } = open();
  const flaky = new ReadingEnvironment(environment, {
    reader,
    decode: async ({ png }) => {
      const failure = failures.pop();
      if (failure) throw failure;
      return sharp(png).removeAlpha().raw().toBuffer();
    },
  });
  await expect(flaky.reset()).rejects.toThrow('cut off');
  expect(textsOf(await flaky.observe())).toEqual(['B']);
});
