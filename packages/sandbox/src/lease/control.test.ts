import type { Action } from '@gyre/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { SessionControl } from './control.js';

let done: Action[];
let control: SessionControl;
let agent: { act(action: Action): Promise<void>; readonly size: number };
const screen = {
  size: { width: 1, height: 1 },
  act: async (action: Action) => void done.push(action),
  observe: () => Promise.reject(new Error('nobody looks')),
};
beforeEach(() => {
  done = [];
  control = new SessionControl(screen);
  agent = control.guard({ act: screen.act, size: 3 });
});

const click: Action = { type: 'click', point: { x: 0.5, y: 0.5 } };

describe('a session that a person has taken over', () => {
  it('names its holder to others, and refuses their actions', async () => {
    await agent.act(click);
    const takeover = control.take('Anna');
    expect(control.holder).toBe('Anna');
    await expect(agent.act(click)).rejects.toMatchObject({ code: 'held', message: 'Anna has taken over the session' });
    expect(() => control.take('Ben')).toThrow('Anna');
    await takeover.act(click);
    expect(done).toEqual([click, click]);
    expect(agent.size).toBe(3);
  });

  it('is given back with nothing held down', async () => {
    const takeover = control.take('Anna');
    await takeover.act({ type: 'mouse_down', button: 'right' });
    await takeover.act({ type: 'press', key: 'shift' });
    await takeover.act({ type: 'press', key: 'a' });
    await takeover.act({ type: 'release', key: 'a' });
    done = [];
    await Promise.all([takeover.end(), takeover.end()]);
    await takeover.ended;
    expect(done).toEqual([
      { type: 'mouse_up', button: 'right' },
      { type: 'release', key: 'shift' },
    ]);
    expect(control.holder).toBeUndefined();
    await agent.act(click);
    await expect(takeover.act(click)).rejects.toMatchObject({ code: 'bad_input' });
  });

  it('emits events', async () => {
    const holders: (string | undefined)[] = [];
    const unlisten = control.listen(() => holders.push(control.holder));
    await control.take('Anna').end();
    unlisten();
    await control.take('Ben').end();
    expect(holders).toEqual(['Anna', undefined]);
  });

  it('ends with the session, and cannot be taken over after it', async () => {
    const takeover = control.take('Anna');
    control.close();
    await takeover.ended;
    expect(() => control.take('Ben')).toThrow(expect.objectContaining({ code: 'infra' }));
  });
});
