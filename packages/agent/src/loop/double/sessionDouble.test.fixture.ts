import type { Action, Task } from '@gyre/protocol';
import { type Session, SessionEnvironment, type Verifier } from '@gyre/sandbox';
import { frameOf } from '../frame.test.fixture.js';
import type { Job } from '../episodes.js';

const size = { width: 160, height: 160 };

/** Shows the number of past actions. */
export function sessionDouble(onAct: (action: Action) => void = () => undefined): Session & { acted: Action[] } {
  const acted: Action[] = [];
  return {
    id: 'double',
    state: 'leased',
    broken: new Promise(() => undefined),
    acted,
    screen: {
      size,
      act: async (action) => {
        onAct(action);
        acted.push(action);
      },
      observe: async () => frameOf(new Uint8Array([acted.length]), size),
    },
    release: async () => undefined,
  };
}

/** Pays 1 per action and ends after `goal`. */
export function countTask(session: { acted: Action[] }, { stepBudget = 9, goal = Infinity } = {}): Job {
  const task: Task = {
    id: 'count/train/1',
    family: 'count',
    split: 'train',
    seed: 1,
    instruction: 'act',
    surfaces: ['screen'],
    screen: size,
    stepBudget,
  };
  let counted = 0;
  const verifier: Verifier = {
    task,
    step: async () => {
      const reward = session.acted.length - counted;
      counted = session.acted.length;
      return { reward, done: counted >= goal };
    },
    verdict: async () => ({ success: true, score: 1, source: 'verifier', evidence: { acted: session.acted.length } }),
    oracle: async () => ({ actions: [] }),
  };
  const setUp = () => Promise.resolve(verifier);
  return { task, open: (machines) => new SessionEnvironment({ task, machines, setUp }), purpose: 'test', seed: 1 };
}
