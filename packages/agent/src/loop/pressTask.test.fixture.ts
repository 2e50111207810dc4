import type { Action, Environment, Size, Surface, Task } from '@gyre/protocol';
import {
  type Session,
  SessionEnvironment,
  type SessionEnvironmentOptions,
  type Verifier,
  browserOf,
} from '@gyre/sandbox';
import { sessionSdk } from '../tools/sdk.js';
import type { SearchService } from '../tools/searchService.js';
import type { Job } from './episodes.js';

const html = `<!doctype html><body style="margin:0;font:14px sans-serif">
<button style="position:absolute;left:25%;top:25%;width:50%;height:50%">press</button><output>0</output>`;

/** Out of the page's reach. */
const listen = `(() => {
  globalThis.presses = 0;
  document.querySelector('button').addEventListener('click', (event) => {
    if (event.isTrusted) document.querySelector('output').textContent = String(++globalThis.presses);
  });
})()`;

const press: Action = { type: 'click', point: { x: 0.5, y: 0.5 } };

export function pressTask({
  presses = 2,
  stepBudget = 4,
  screen = { width: 160, height: 160 },
  seed = 1,
  surfaces = ['screen'],
  read,
  locate,
}: { presses?: number; stepBudget?: number; screen?: Size; seed?: number; surfaces?: Surface[] } & Pick<
  SessionEnvironmentOptions,
  'read' | 'locate'
> = {}): Job {
  const task: Task = {
    id: `press/train/${seed}`,
    family: 'press',
    split: 'train',
    seed,
    instruction: `press the button ${presses} times`,
    surfaces,
    screen,
    stepBudget,
  };
  const setUp = async (session: Session): Promise<Verifier> => {
    const browser = browserOf(session);
    await browser.open({ html, seed });
    await browser.evaluate(listen);
    const pressed = () => browser.evaluate<number>('globalThis.presses');
    return {
      task,
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
  return {
    task,
    open: (machines) => new SessionEnvironment({ task, machines, setUp, read, locate }),
    purpose: 'test',
    seed,
  };
}

export function inSession(job: Job, session: Session, search?: SearchService): Environment {
  return job.open({ lease: async () => session, giveBack: async () => undefined, sdk: sessionSdk(search) });
}
