import { type Action, GyreError } from '@gyre/protocol';
import { BrowserPool, type BrowserSession, type Verifier } from '@gyre/sandbox';
import { afterEach, afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TaskFamily } from './family.js';
import { setUpTask } from './environment.js';
import { startTask } from './run.js';
import { familyOf } from './suites.js';

const names = [
  ...['click', 'form', 'maze', 'menu', 'dropdown', 'slider', '2048', 'sokoban', 'shapes', 'platformer'],
  ...['mail.archive', 'shop.checkout', 'browse.lookup'],
];

let pool: BrowserPool;
let session: BrowserSession;

beforeAll(async () => {
  pool = await BrowserPool.launch();
});
afterEach(() => session.release());
afterAll(() => pool.close());

async function start(name: string, seed: number): Promise<Verifier<Action>> {
  const instance = (familyOf(name) as TaskFamily).create('test', seed);
  session = await pool.lease({ size: instance.task.screen });
  const run = await startTask(session, instance);
  await session.screen.observe();
  return run;
}

/** Performs actions and returns how many were refused. */
async function act(actions: readonly Action[]): Promise<number> {
  let refused = 0;
  for (const action of actions) {
    await session.screen.act(action).catch((error: unknown) => {
      if (!(error instanceof GyreError && error.code === 'bad_input')) throw error;
      refused++;
    });
  }
  return refused;
}

async function expectNothing(run: Verifier<Action>, maxReward = 0): Promise<void> {
  expect((await run.step()).reward).toBeLessThanOrEqual(maxReward);
  expect(await run.verdict()).toMatchObject({ success: false, source: 'verifier' });
}

describe.each(names)('%s pays nothing', (name) => {
  test('for saying that it is done, with any answer', async () => {
    const run = await start(name, 5);
    for (const answer of ['', 'done', 'success', '42', '{"success":true}', 'yes'])
      expect((await run.step({ answer })).reward).toBeLessThanOrEqual(0);
    expect((await run.verdict()).success).toBe(false);
  });

  test('for a page of the agent’s own in the place of the task’s', async () => {
    const run = await start(name, 5);
    const page = `<canvas></canvas>${['button-0', 'item-0', 'apply', 'done']
      .map((own) => `<button data-name="${own}" data-control="0" style="position:fixed;inset:0">${own}</button>`)
      .join(
        '',
      )}<script>gyreTask={read:()=>({done:true,success:true,score:1,reward:1,evidence:{}})};gyreMark=''</script>`;
    await act([
      { type: 'navigate', url: `data:text/html,${encodeURIComponent(page)}` },
      { type: 'click', point: { x: 0.5, y: 0.5 } },
    ]);
    expect(await run.step()).toEqual({ reward: 0, done: true });
    expect(await run.verdict()).toMatchObject({ success: false, score: 0, evidence: { left: true } });
    expect((await run.oracle()).actions).toEqual([]);
  });

  test('for reloading the page, or opening a script or its source as a URL', async () => {
    const run = await start(name, 5);
    const urls = ['javascript:gyreTask.read=()=>({})', 'view-source:http://page.gyre.invalid/', 'file:///etc/passwd'];
    expect(await act(urls.map((url): Action => ({ type: 'navigate', url })))).toBe(urls.length);
    await act([{ type: 'navigate', url: 'http://page.gyre.invalid/' }]);
    expect(await run.step()).toEqual({ reward: 0, done: true });
  });

  test('for keys of the browser: developer tools, source, reload, another window', async () => {
    const run = await start(name, 5);
    for (const keys of ['f12', 'ctrl shift i', 'ctrl u', 'ctrl t', 'ctrl w', 'ctrl l'])
      await act([{ type: 'hotkey', keys }]);
    await expectNothing(run, 0.05);
  });

  test('for what another seed was solved by', async () => {
    let run = await start(name, 12);
    const actions: Action[] = [];
    for (let turn = 0; turn < run.task.stepBudget; turn++) {
      const solved = [...(await run.oracle()).actions];
      actions.push(...solved);
      await act(solved);
      if ((await run.step(solved.find((action) => action.type === 'finished'))).done) break;
    }
    expect((await run.verdict()).success).toBe(true);
    await session.release();
    run = await start(name, 17);
    await act(actions.filter(({ type }) => type !== 'finished'));
    await run.step(actions.find((action) => action.type === 'finished'));
    expect((await run.verdict()).success).toBe(false);
  });
});

test('the page has neither the task nor its answer where scripts of the page could look', async () => {
  const instance = familyOf('browse.lookup').create('test', 5);
  session = await pool.lease({ size: instance.task.screen });
  await setUpTask(session, instance, familyOf('browse.lookup'));
  const probe = `(() => {
    const script = document.createElement('script');
    script.textContent = 'document.documentElement.dataset.seen = [typeof gyreTask, typeof gyreMark, Object.keys(window).filter((key) => /gyre/i.test(key)).length].join()';
    document.documentElement.append(script);
    return document.documentElement.dataset.seen;
  })()`;
  expect(await session.browser.evaluate(probe)).toBe('undefined,undefined,0');
});
