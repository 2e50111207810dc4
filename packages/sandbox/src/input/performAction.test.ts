import type { Action, MouseButton } from '@gyre/protocol';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { desktopLimits } from './checkAction.js';
import { Keyboard, type RawKeyboard } from './keyboard.js';
import { Mouse, type RawMouse } from './mouse.js';
import { type ActionDriver, performAction } from './performAction.js';

class Recorder implements ActionDriver, RawMouse, RawKeyboard {
  readonly limits = desktopLimits;
  readonly pointer = new Mouse(this);
  readonly keyboard = new Keyboard(this);
  readonly size = { width: 100, height: 50 };
  readonly dragSteps = 2;
  readonly notches = 3;
  readonly log: string[] = [];
  failing = '';

  constructor(readonly unanswered: number) {}

  move = ({ x, y }: { x: number; y: number }) => this.#take(`move ${x},${y}`);
  down = (button: MouseButton, count: number) => this.#take(`down ${button} ${count}`);
  up = (button: MouseButton, count: number) => this.#take(`up ${button} ${count}`);
  wheel = (direction: string) => this.#take(`wheel ${direction}`);
  pause = (ms: number) => this.#take(`rest ${ms}`);
  glide = (before: number | 'end') => this.#take(`glide ${before}`);
  wait = (ms: number) => this.#take(`wait ${ms}`);
  type = (text: string) => this.#take(`type ${text}`);
  send: RawKeyboard['send'] = (events) =>
    this.#take(events.map(({ key, down, modifiers }) => `${down ? '+' : '-'}${key.name}/${modifiers}`).join(' '));

  async #take(event: string): Promise<void> {
    this.log.push(event);
    await pause(1);
    if (event === this.failing) throw new Error(`${event} fails`);
    this.log.push(`${event} done`);
  }
}

async function eventsOf(actions: Action[], machine = new Recorder(8)): Promise<string[]> {
  for (const action of actions) await performAction(action, machine);
  return machine.log.filter((entry) => !entry.endsWith(' done'));
}

const point = { x: 0.5, y: 0.5 };

describe('actions on raw devices', () => {
  it.each<[Action, string[]]>([
    [{ type: 'click', point }, ['move 50,25', 'down left 1', 'up left 1']],
    [{ type: 'right_click', point }, ['move 50,25', 'down right 1', 'up right 1']],
    [{ type: 'double_click', point }, ['move 50,25', 'down left 1', 'up left 1', 'down left 2', 'up left 2']],
    [{ type: 'long_press', point }, ['move 50,25', 'down left 1', 'rest 600', 'up left 1']],
    [{ type: 'mouse_down', point, button: 'middle' }, ['move 50,25', 'down middle 1']],
    [{ type: 'mouse_up' }, ['up left 1']],
    [{ type: 'scroll', direction: 'down' }, ['wheel down', 'wheel down', 'wheel down']],
    [
      { type: 'drag', start: { x: 0, y: 0 }, end: { x: 1, y: 1 } },
      ['move 0,0', 'down left 1', 'glide 1', 'move 50,25', 'glide 2', 'move 99,49', 'glide end', 'up left 1'],
    ],
    [{ type: 'hotkey', keys: 'ctrl shift t' }, ['+ctrl/2 +shift/10 +t/10', '-t/10 -shift/2 -ctrl/0']],
    [{ type: 'type', text: 'a' }, ['type a']],
    [{ type: 'wait' }, ['wait 5000']],
    [{ type: 'finished' }, []],
  ])('%j', async (action, events) => {
    expect(await eventsOf([action])).toEqual(events);
  });

  it('hold keys until they are released', async () => {
    const machine = new Recorder(1);
    await eventsOf([{ type: 'press', key: 'shift' }], machine);
    expect(machine.keyboard.modifiers).toBe(8);
    expect(await eventsOf([{ type: 'release', key: 'Shift_L' }], machine)).toEqual(['+shift/8', '-shift/0']);
  });

  it('are refused before anything is done', async () => {
    const machine = new Recorder(1);
    const refused = performAction({ type: 'navigate', url: 'https://example.org' }, machine);
    await expect(refused).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'type' } });
    expect(machine.log).toEqual([]);
  });

  it('are sent event by event, or in one go where the machine takes that', async () => {
    const click: Action = { type: 'click', point };
    const [oneByOne, inOneGo] = [new Recorder(1), new Recorder(8)];
    await performAction(click, oneByOne);
    await performAction(click, inOneGo);
    const events = ['move 50,25', 'down left 1', 'up left 1'];
    expect(oneByOne.log).toEqual(events.flatMap((event) => [event, `${event} done`]));
    expect(inOneGo.log).toEqual([...events, ...events.map((event) => `${event} done`)]);
  });

  it('stop when an event fails', async () => {
    const machine = new Recorder(1);
    machine.failing = 'down left 1';
    await expect(performAction({ type: 'double_click', point }, machine)).rejects.toThrow('down left 1 fails');
    expect(machine.log.at(-1)).toBe('down left 1');
  });
});
