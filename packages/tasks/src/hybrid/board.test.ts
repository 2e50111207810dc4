import { BrowserPool, type Session } from '@gyre/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { machineFamilies } from '../family/machine/families.js';
import { hybridTemplates } from './families.js';

const state = 'gyreTask.state()';

describe('pages of hybrid tasks', () => {
  let pool: BrowserPool;
  let session: Session;
  beforeAll(async () => {
    pool = await BrowserPool.launch();
    session = await pool.lease({ size: { width: 640, height: 480 } });
  });
  afterAll(() => pool.close());

  const names = hybridTemplates.filter(({ kind }) => kind === 'browser').map(({ name }) => name);
  const open = async (name: string, seed: number) => {
    const { page } = machineFamilies[name]!.create('train', seed).setup;
    await session.browser!.open(page!);
    return page!;
  };
  const evaluate = <T>(expression: string) => session.browser!.evaluate<T>(expression);
  const press = async (name: string) => {
    await session.screen.act({ type: 'click', point: await evaluate(`gyreTask.point(${JSON.stringify(name)})`) });
  };

  it.each(names)('%s fits its screen, has no script, and counts nothing that no hand has done', async (name) => {
    for (let seed = 0; seed < 5; seed++) {
      const { html } = await open(name, seed);
      expect(html).not.toMatch(/<script|\son\w+=|javascript:/i);
      const bottom = `Math.max(...[...document.querySelectorAll('main > *')].map((part) => part.getBoundingClientRect().bottom))`;
      expect(await evaluate(`${bottom} <= innerHeight && document.documentElement.scrollWidth <= innerWidth`)).toBe(
        true,
      );
      await evaluate(`document.querySelectorAll('button').forEach((button) => button.click())`);
      await evaluate(
        `document.querySelectorAll('input').forEach((input) => { input.value = 'x'; input.dispatchEvent(new Event('input', { bubbles: true })); })`,
      );
      expect(await evaluate(state)).toEqual({ pressed: [], requests: 0 });
    }
  });

  it('stay where they are when something is pressed, and take a press back', async () => {
    await open('hybrid.stock', 1);
    const rows = await evaluate<string[]>(
      `[...document.querySelectorAll('[data-press]')].map(({ dataset }) => dataset.press)`,
    );
    const places = () =>
      evaluate(
        `[...document.querySelectorAll('button')].map((button) => { const { x, y, width } = button.getBoundingClientRect(); return [x, y, width]; })`,
      );
    const before = await places();
    for (const row of rows) await press(row);
    expect(await places()).toEqual(before);
    expect(await evaluate(state)).toEqual({ pressed: [...rows].sort(), requests: 0 });
    await press(rows[0]!);
    expect(await evaluate(state)).toEqual({ pressed: rows.slice(1).sort(), requests: 0 });
  });

  it('keep what was in their fields when the button was pressed last', async () => {
    await open('hybrid.connect', 1);
    await press('host');
    await session.screen.act({ type: 'type', text: 'one' });
    expect(await evaluate(state)).toEqual({ pressed: [], requests: 0 });
    await press('connect');
    await press('port');
    await session.screen.act({ type: 'type', text: '2' });
    expect(await evaluate(state)).toMatchObject({ submitted: { host: 'one', port: '' } });
    await press('connect');
    expect(await evaluate(state)).toMatchObject({ submitted: { host: 'one', port: '2' } });
  });

  it('ask for checks, and show what came of them', async () => {
    await open('hybrid.fixTest', 1);
    await press('checks');
    expect(await evaluate(state)).toMatchObject({ requests: 1 });
    expect(await evaluate(`document.querySelector('[data-results]').textContent`)).toBe('running …');
    await evaluate(`gyreTask.tell('✗ 1 of 8 cases pass', false)`);
    expect(await evaluate(`document.querySelector('pre.bad').textContent`)).toBe('✗ 1 of 8 cases pass');
  });
});
