import type { Action, Size, Task } from '@gyre/protocol';
import { type Session, browserOf } from '@gyre/sandbox';
import type { Job } from './episodes.js';
import type { TaskRun } from './taskRun.js';

const html = `<!doctype html><body style="margin:0;font:14px sans-serif">
<button style="position:absolute;left:25%;top:25%;width:50%;height:50%">press</button><output>0</output>`;

/** Counts the presses, out of the page's reach, and shows them. */
const listen = `(() => {
  globalThis.presses = 0;
  document.querySelector('button').addEventListener('click', (event) => {
    if (event.isTrusted) document.querySelector('output').textContent = String(++globalThis.presses);
  });
})()`;

const press: Action = { type: 'click', point: { x: 0.5, y: 0.5 } };

/** A page with one button in the middle, to be pressed `presses` times. */
export function pressTask({
  presses = 2,
  stepBudget = 4,
  screen = { width: 160, height: 160 },
  seed = 1,
}: { presses?: number; stepBudget?: number; screen?: Size; seed?: number } = {}): Job {
  const task: Task = {
    id: `press/train/${seed}`,
    family: 'press',
    split: 'train',
    seed,
    instruction: `press the button ${presses} times`,
    surfaces: ['screen'],
    screen,
    stepBudget,
  };
  const start = async (session: Session): Promise<TaskRun> => {
    const browser = browserOf(session);
    await browser.open({ html, seed });
    await browser.evaluate(listen);
    const pressed = () => browser.evaluate<number>('globalThis.presses');
    return {
      step: async () => {
        const done = (await pressed()) >= presses;
        return { reward: done ? 1 : 0, done };
      },
      verdict: async () => {
        const success = (await pressed()) >= presses;
        return { success, score: success ? 1 : 0, source: 'verifier', evidence: { pressed: await pressed() } };
      },
      oracle: async () => ({ actions: [press] }),
    };
  };
  return { task, start, purpose: 'test', seed };
}
