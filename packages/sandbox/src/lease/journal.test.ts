import { GyreError } from '@gyre/protocol';
import { expect, it } from 'vitest';
import { Journal, replay, Step } from './journal.js';
import type { BrowserSurface, Screen } from './session.js';

const click = { type: 'click', point: { x: 0.5, y: 0.5 } } as const;
const refused = () => Promise.reject(new GyreError('bad_input', 'no'));

async function hear(journal: Journal, ...calls: [method: string, arg: unknown, result?: Promise<unknown>][]) {
  for (const [method, arg, result = Promise.resolve()] of calls) {
    journal.hear(method, [arg], result);
    await result.catch(() => undefined);
  }
}

it('stores all calls that change the page since its opening, as they were', async () => {
  const journal = new Journal();
  const action = { type: 'type', text: 'before' };
  await hear(journal, ['act', click], ['open', { html: 'a', seed: 1 }], ['observe', undefined], ['act', action]);
  action.text = 'changed since';
  await hear(journal, ['evaluate', 'throw 1', refused()], ['advance', 50], ['navigate', 'data:,x']);
  const dead = Promise.reject(new GyreError('infra', 'gone', { part: 'browser' }));
  await hear(journal, ['act', click, dead]);
  const { steps } = journal;
  expect(steps).toEqual([
    { do: 'open', page: { html: 'a', seed: 1 } },
    { do: 'act', action: { type: 'type', text: 'before' } },
    { do: 'evaluate', expression: 'throw 1', failed: true },
    { do: 'advance', ms: 50 },
    { do: 'navigate', url: 'data:,x' },
  ]);
  for (const step of steps) expect(Step.parse(JSON.parse(JSON.stringify(step)))).toEqual(step);
});

it('reports overflow, and starts over with the next opening', async () => {
  const journal = new Journal();
  await hear(journal, ['evaluate', 'x'.repeat(2 ** 25 + 1)]);
  expect(() => journal.steps).toThrow(expect.objectContaining({ code: 'bad_input' }));
  await hear(journal, ['act', click]);
  expect(() => journal.steps).toThrow();
  await hear(journal, ['open', { html: '', seed: 1 }], ['act', { type: 'dance' }, refused()]);
  expect(() => journal.steps).toThrow();
  await hear(journal, ['open', { html: '', seed: 1 }]);
  expect(journal.steps).toHaveLength(1);
});

it('is replayed only where every step ends as it did', async () => {
  const done: string[] = [];
  const screen = { act: () => Promise.resolve(void done.push('act')) } as unknown as Screen;
  const browser = { evaluate: refused } as unknown as BrowserSurface;
  const acted = { do: 'act', action: click } as const;
  const thrown = { do: 'evaluate', expression: 'x' } as const;
  await replay([acted, { ...thrown, failed: true }, acted], screen, browser);
  expect(done).toHaveLength(2);
  await expect(replay([acted, thrown, acted], screen, browser)).rejects.toMatchObject({ detail: { field: 'steps.1' } });
  await expect(replay([{ ...acted, failed: true }], screen, browser)).rejects.toMatchObject({ code: 'corrupt' });
});
