import type { Task } from '@gyre/protocol';
import type { Frame, Session } from '@gyre/sandbox';

/** Shows the next picture after each action, as a new copy per observation. */
export function sessionDouble(pictures: readonly Frame[]): Session {
  let current = 0;
  const [{ size }] = pictures as [Frame];
  return {
    id: 'double',
    state: 'leased',
    broken: new Promise(() => undefined),
    screen: {
      size,
      act: () => {
        current = (current + 1) % pictures.length;
        return Promise.resolve();
      },
      observe: () => {
        const frame = pictures[current]!;
        return Promise.resolve({ ...frame, png: new Uint8Array(frame.png) });
      },
    },
    release: () => Promise.resolve(),
  };
}

export function taskDouble({ size: screen }: Frame, stepBudget: number): Task {
  const instruction = 'find the price of the red kettle and write it into the form';
  const surfaces: Task['surfaces'] = ['screen'];
  return { id: 'double/dev/0', family: 'double', split: 'dev', seed: 0, instruction, surfaces, screen, stepBudget };
}
