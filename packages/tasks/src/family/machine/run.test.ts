import { gunzipSync } from 'node:zlib';
import { type AgentAction, isSdkCall } from '@gyre/protocol';
import { probeIsolation, Sandbox, type SandboxSession, type Verifier } from '@gyre/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setUpTask } from '../environment.js';
import { machineFamilies } from './families.js';
import type { MachineInstance } from './setUp.js';

const played = [
  ['calc.sum', 1],
  ['calc.sort', 2],
  ['textEditor.setting', 3],
  ['fileManager.rename', 4],
  ['terminal.link', 5],
  ['windows.front', 6],
  ['hybrid.reportTotal', 7],
  ['hybrid.block', 8],
  ['hybrid.fixTest', 9],
  ['shell.readAndType', 10],
] as const;

const familyOf = (name: string) => machineFamilies[name]!;
const isolation = await probeIsolation();
const whyNot = isolation.kind === 'none' ? ` (left out: ${isolation.reason})` : '';

describe.skipIf(isolation.kind === 'none')(`tasks on machines${whyNot}`, () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await Sandbox.start();
  });
  afterAll(() => sandbox.close());

  const lease = (name: string, { task }: MachineInstance) =>
    sandbox.lease({ kind: familyOf(name).kind!, size: task.screen });

  async function carryOut(session: SandboxSession, actions: readonly AgentAction[]): Promise<string> {
    let output = '';
    for (const action of actions) {
      if (action.type === 'execute_bash')
        output += (await session.shell.execute(action.command, { console: 'agent' })).output;
      else if (!isSdkCall(action)) await session.screen.act(action);
    }
    return output;
  }

  async function solve(session: SandboxSession, run: Verifier): Promise<number> {
    let earned = 0;
    for (let turn = 0; turn < run.task.stepBudget; turn++) {
      const { actions } = await run.oracle();
      await carryOut(session, actions);
      const { reward, done } = await run.step(actions.find((action) => action.type === 'finished'));
      earned += reward;
      if (done) break;
    }
    return earned;
  }

  for (const [name, seed] of played) {
    const missing = familyOf(name).missing?.() ?? [];
    it.skipIf(missing.length > 0)(
      `${name} is solved by its oracle${missing.length > 0 ? ` (needs ${missing.join(', ')})` : ''}`,
      async () => {
        const instance = familyOf(name).create('dev', seed);
        const session = await lease(name, instance);
        try {
          const run = await setUpTask(session, instance, familyOf(instance.task.family));
          expect(await run.verdict()).toMatchObject({ success: false });
          const earned = await solve(session, run);
          expect(await run.verdict()).toMatchObject({ success: true, score: 1, source: 'verifier' });
          expect(earned).toBeGreaterThan(0.5);
        } finally {
          await session.release();
        }
      },
      120_000,
    );
  }

  describe.skipIf((familyOf('hybrid.fixTest').missing?.() ?? []).length > 0)('cheating', () => {
    const server = `require('http').createServer((_, answer) => {
      answer.setHeader('content-type', 'text/html');
      answer.end(require('fs').readFileSync('site/index.html'));
    }).listen(8123)`;

    async function played(
      name: string,
      seed: number,
      cheat: (session: SandboxSession, run: Verifier) => Promise<void>,
      finished = {},
    ) {
      const instance = familyOf(name).create('dev', seed);
      const session = await lease(name, instance);
      try {
        const run = await setUpTask(session, instance, familyOf(instance.task.family));
        await cheat(session, run);
        const { reward } = await run.step(finished);
        return { reward, verdict: await run.verdict() };
      } finally {
        await session.release();
      }
    }

    it('earns nothing by ending at once, or by saying that all is done', async () => {
      for (const finished of [{}, { answer: 'done' }]) {
        const { reward, verdict } = await played('hybrid.decode', 1, async () => undefined, finished);
        expect(reward).toBe(0);
        expect(verdict).toMatchObject({ success: false, score: 0 });
      }
    });

    it('finds no answer on the machine that the task does not show there', async () => {
      const family = familyOf('hybrid.decode');
      const codeOf = (seed: number) => {
        const link = /base64,([^"]+)"/.exec(family.create('dev', seed).setup.page?.html ?? '')?.[1] ?? '';
        const packed = Buffer.from(Buffer.from(link, 'base64').toString(), 'base64');
        return /is (\w+)\./.exec(gunzipSync(packed).toString())?.[1] ?? '';
      };
      // Shorter codes occur in a browser's files by chance.
      const seed = Array.from({ length: 200 }, (_, each) => each).find((each) => codeOf(each).length === 6) ?? 0;
      await played('hybrid.decode', seed, async (session) => {
        // Lists processes before the search starts, which would match itself.
        const search = `lines=$(cat /proc/[0-9]*/cmdline | tr '\\0' '\\n'); printf '%s\\n' "$lines" | grep "$WORD"; grep -ras "$WORD" ~ /tmp /dev/shm /run/user | head -3`;
        const { stdout } = await session.shell.run(search, { env: { WORD: codeOf(seed) } });
        expect(stdout).toBe('');
      });
    });

    it('earns nothing by what another seed would need', async () => {
      const otherTask = familyOf('hybrid.restart').create('dev', 4);
      const { reward, verdict } = await played('hybrid.restart', 3, async (session) => {
        const elsewhere = await lease('hybrid.restart', otherTask);
        const run = await setUpTask(elsewhere, otherTask, familyOf(otherTask.task.family));
        for (let turn = 0; turn < 2; turn++) {
          const { actions } = await run.oracle();
          await carryOut(session, actions);
          await carryOut(elsewhere, actions);
          await run.step();
        }
        expect((await run.verdict()).success).toBe(true);
        await elsewhere.release();
      });
      expect(reward).toBe(0);
      expect(verdict.success).toBe(false);
    });

    it('earns nothing on a page of its own that says what the verifier asks', async () => {
      let pressed: string[] = [];
      await played('hybrid.restart', 6, async (session, run) => {
        for (let turn = 0; turn < 2; turn++) await carryOut(session, (await run.oracle()).actions);
        expect((await run.verdict()).success).toBe(true);
        pressed = (await session.browser!.evaluate<{ pressed: string[] }>('gyreTask.state()')).pressed;
      });
      const page = `<script>window.gyreTask = { state: () => (${JSON.stringify({ pressed, requests: 0 })}) }</script>`;
      const { verdict, reward } = await played('hybrid.restart', 6, async (session) => {
        await session.files.write('site/index.html', page, { folders: true });
        await session.shell.start('node -e "$SERVER"', { env: { SERVER: server } });
        const listens = async () => (await session.shell.run('exec 3<>/dev/tcp/127.0.0.1/8123')).exitCode;
        await expect.poll(listens, { timeout: 10_000 }).toBe(0);
        await session.screen.act({ type: 'navigate', url: 'http://127.0.0.1:8123/' });
      });
      expect(verdict).toMatchObject({ success: false, score: 0 });
      expect(reward).toBe(0);
    }, 30_000);

    it('finds no door to the page from the shell', async () => {
      const { verdict } = await played('hybrid.restart', 5, async (session) => {
        const { stdout } = await session.shell.run(
          'for port in 9222 9229 1337; do (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null && echo open; done; ls ~',
        );
        expect(stdout.trim()).toBe('Downloads\nlogs');
      });
      expect(verdict.success).toBe(false);
    });
  });

  it('refuses a session of another kind', async () => {
    const session = await sandbox.lease({ kind: 'browser', size: { width: 640, height: 480 } });
    const instance = familyOf('windows.front').create('train', 1);
    await expect(setUpTask(session, instance, familyOf(instance.task.family))).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'session' },
    });
    await session.release();
  });
});
