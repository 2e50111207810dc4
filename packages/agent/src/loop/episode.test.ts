import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lake } from '@gyre/lake';
import { type Action, type Episode, Episode as EpisodeSchema, GyreError } from '@gyre/protocol';
import { BrowserPool, type Session } from '@gyre/sandbox';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { collected } from './collected.test.fixture.js';
import { type EpisodeOptions, runEpisode } from './episode.js';
import { forkOf } from './fork.js';
import { killBrowsers } from './killBrowsers.test.fixture.js';
import { oraclePolicy } from '../policy/oraclePolicy.js';
import type { Context, Decision, Policy } from '../policy/policy.js';
import { inSession, pressTask } from './pressTask.test.fixture.js';
import { randomPolicy } from '../policy/randomPolicy.js';

const screen = { width: 160, height: 160 };
const press: Action = { type: 'click', point: { x: 0.5, y: 0.5 } };
const away: Action = { type: 'mouse_move', point: { x: 0.9, y: 0.9 } };

function policyOf(decide: (context: Context) => Decision | Promise<Decision>): Policy & { contexts: Context[] } {
  const contexts: Context[] = [];
  return {
    name: 'scripted',
    contexts,
    decide: async (context) => {
      contexts.push(context);
      return decide(context);
    },
  };
}

describe('runEpisode', () => {
  let pool: BrowserPool;
  let session: Session;
  let dir: string;
  let lake: Lake;

  beforeAll(async () => {
    pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 2 });
  });
  afterAll(() => pool.close());
  beforeEach(async () => {
    session = await pool.lease({ size: screen });
    dir = await mkdtemp(join(tmpdir(), 'gyre-agent-'));
    lake = await Lake.open(dir);
  });
  afterEach(async () => {
    await session.release();
    await lake.close();
    await rm(dir, { recursive: true });
  });

  const play = (policy: EpisodeOptions['policy'], more: Partial<EpisodeOptions> = {}): Promise<Episode> =>
    runEpisode({ ...pressTask(), environment: inSession(pressTask(), session), lake, policy, ...more });

  const storedEpisodes = async (): Promise<Episode[]> => {
    await lake.flush();
    return collected(lake.episodes());
  };

  it('tells a policy once that it does the same in vain, and ends it where it goes on', async () => {
    const policy = policyOf(({ turns }) => ({ actions: turns.length === 1 ? [{ type: 'wait' }] : [away] }));
    const environment = inSession(pressTask({ stepBudget: 20 }), session);
    const episode = await play(policy, { environment, repeats: 3 });
    expect(EpisodeSchema.parse(episode)).toEqual(episode);
    expect(episode).toMatchObject({ end: { state: 'stuck' }, verdict: { success: false } });
    expect(episode.turns).toHaveLength(8);
    const reports = episode.turns.flatMap(({ index, observation }) =>
      observation.results ? [[index, observation.results]] : [],
    );
    expect(reports).toEqual([
      [4, [{ kind: 'notice', text: 'the screen has not changed after 3 identical turns: try something else' }]],
    ]);
    expect(policy.contexts[5]?.turns.at(-1)?.observation.results).toHaveLength(1);
    expect(await storedEpisodes()).toEqual([episode]);
  });

  it('records readings, targets and advice, of which a policy sees the readings only', async () => {
    const target = { x: 40, y: 40, width: 80, height: 80 };
    const { task, open } = pressTask({
      read: (_, { hash }) =>
        Promise.resolve({ reader: 'test', lines: [{ text: hash.slice(0, 1), box: target, centres: [50] }] }),
      locate: (_, points) => Promise.resolve(points.map(({ x }) => (x < 0.8 ? target : null))),
    });
    const environment = open({ lease: async () => session, giveBack: async () => undefined });
    const policy = policyOf(({ turns }) => ({ actions: [turns.length === 0 ? away : press] }));
    const episode = await play(policy, { environment, advise: true });
    expect(EpisodeSchema.parse(episode)).toEqual(episode);
    expect(episode.task).toEqual(task);
    expect(episode.turns.map(({ targets, advice }) => [targets, advice])).toEqual([
      [[null], { actions: [press], targets: [target] }],
      [[target], { actions: [press], targets: [target] }],
      [[target], { actions: [press], targets: [target] }],
    ]);
    const seen = [episode.observation, ...episode.turns.map((turn) => turn.observation)];
    for (const [index, { reading }] of episode.turns.entries())
      expect(reading?.lines[0]?.text).toBe(seen[index]?.screenshot.slice(0, 1));
    const [context] = policy.contexts.slice(-1);
    expect(context?.screenshots.every(({ reading }) => reading?.reader === 'test')).toBe(true);
    expect(context?.turns.every(({ reading }) => reading?.reader === 'test')).toBe(true);
    expect(JSON.stringify(context?.turns)).not.toMatch(/targets|advice/);
    expect(await storedEpisodes()).toEqual([episode]);
    const again = open({ lease: async () => session, giveBack: async () => undefined });
    const successor = policyOf(() => ({ actions: [press] }));
    const { policy: forking, fork } = forkOf(episode, 1, successor);
    const forked = await play(forking, { environment: again, fork, id: 'fork' });
    expect(JSON.stringify(successor.contexts[0]?.turns)).not.toMatch(/targets|advice/);
    expect(forked.turns.map(({ observation }) => observation)).toEqual(
      episode.turns.map(({ observation }) => observation),
    );
  });

  it('plays the oracle to the end, and the lake holds what happened', async () => {
    const episode = await play(oraclePolicy, { id: 'e1', seed: 7, now: () => new Date(0) });
    expect(EpisodeSchema.parse(episode)).toEqual(episode);
    expect(episode).toMatchObject({
      id: 'e1',
      policy: 'oracle',
      purpose: 'test',
      seed: 7,
      startedAt: '1970-01-01T00:00:00.000Z',
      end: { state: 'finished' },
      verdict: { success: true, score: 1, evidence: { pressed: 2 } },
    });
    expect(episode.turns.map(({ reward }) => reward)).toEqual([0, 1]);
    expect(await storedEpisodes()).toEqual([episode]);
    for (const { observation } of [episode, ...episode.turns]) {
      expect((await lake.screenshot(observation.screenshot)).length).toBeGreaterThan(0);
    }
  });

  it('plays without a lake', async () => {
    expect((await play(oraclePolicy, { lake: undefined })).end).toEqual({ state: 'finished' });
  });

  it('ends when the turns are used up, with a verdict', async () => {
    const episode = await play(policyOf(() => ({ actions: [away] })));
    expect(episode.turns).toHaveLength(4);
    expect(episode.end).toEqual({ state: 'out_of_budget' });
    expect(episode.verdict).toMatchObject({ success: false });
  });

  it('is finished, not out of budget, when the last turn does it', async () => {
    const episode = await play(oraclePolicy, pressTask({ presses: 4, stepBudget: 4 }));
    expect(episode.end).toEqual({ state: 'finished' });
  });

  it.each([{ type: 'finished', answer: 'done' }, { type: 'call_user' }] satisfies Action[])(
    'ends when the policy says %o, and judges what is there',
    async (last) => {
      const episode = await play(policyOf(() => ({ actions: [last, away], thought: 'enough', text: 'bye' })));
      expect(episode.end).toEqual({ state: 'finished' });
      expect(episode.turns).toMatchObject([{ actions: [last], thought: 'enough', text: 'bye', reward: 0 }]);
      expect(episode.verdict).toMatchObject({ success: false });
    },
  );

  it('carries out all actions of a turn before it looks', async () => {
    const [press] = (await play(oraclePolicy)).turns[0]!.actions;
    const episode = await play(policyOf(() => ({ actions: [press!, press!] })));
    expect(episode.turns).toHaveLength(1);
    expect(episode.verdict).toMatchObject({ success: true });
  });

  it.each([
    ['refused', { type: 'open_app', name: 'mail' }, [{ type: 'open_app', name: 'mail' }], /^refused open_app: /],
    ['malformed', { type: 'click', point: { x: 7, y: 0 } }, [], /^malformed action: point\.x /],
  ] satisfies [string, Action, Action[], RegExp][])(
    'wastes the turn of an action that is %s, and says so',
    async (kind, bad, recorded, note) => {
      const policy = policyOf(({ turns }) => ({ actions: turns.length === 0 ? [bad, { type: 'finished' }] : [away] }));
      const episode = await play(policy);
      expect(episode.turns).toHaveLength(4);
      expect(episode.turns[0]).toMatchObject({ actions: recorded });
      expect(episode.turns[0]!.observation.results).toEqual([{ kind, text: expect.stringMatching(note) }]);
      expect(policy.contexts[1]!.turns[0]!.observation.results).toEqual([{ kind, text: expect.stringMatching(note) }]);
      expect(episode.turns[1]!.observation.results).toBeUndefined();
      expect(EpisodeSchema.parse(episode)).toEqual(episode);
    },
  );

  it('tells what a text was taken for, before what its actions came to', async () => {
    const bad: Action = { type: 'open_app', name: 'mail' };
    const policy = policyOf(({ turns }) =>
      turns.length === 0 ? { actions: [bad], notices: ['it was taken for that'] } : { actions: [away] },
    );
    const [first] = (await play(policy)).turns;
    expect(first!.observation.results).toEqual([
      { kind: 'notice', text: 'it was taken for that' },
      { kind: 'refused', text: expect.stringMatching(/^refused open_app/) as string },
    ]);
  });

  it('shows a policy the last screenshots and the whole past, and nothing that gives the answer away', async () => {
    const policy = policyOf(() => ({ actions: [away], thought: 'hm' }));
    const episode = await play(policy, { screenshots: 2, ...pressTask({ stepBudget: 5, seed: 12345 }) });
    const hashes = [episode, ...episode.turns].map(({ observation }) => observation.screenshot);
    for (const [index, { screenshots, turns, task }] of policy.contexts.entries()) {
      expect(screenshots.map(({ hash }) => hash)).toEqual(hashes.slice(Math.max(0, index - 1), index + 1));
      expect(turns.map(({ thought }) => thought)).toEqual(Array(index).fill('hm'));
      expect(turns.every((turn) => !('reward' in turn))).toBe(true);
      expect(Object.keys(task).sort()).toEqual(['instruction', 'screen', 'stepBudget', 'surfaces']);
    }
    expect(JSON.stringify(policy.contexts)).not.toContain('12345');
    expect(policy.contexts.every((context) => !('run' in context))).toBe(true);
  });

  it('repeats an episode bit for bit', async () => {
    const policy = randomPolicy({ functions: ['click', 'type', 'hotkey', 'scroll'] });
    const job = pressTask({ stepBudget: 10, presses: 99 });
    const strip = ({ turns }: Episode) => turns;
    const first = strip(await play(policy, { ...job, seed: 3 }));
    expect(strip(await play(policy, { ...job, seed: 3 }))).toEqual(first);
    expect(strip(await play(policy, { ...job, seed: 4 }))).not.toEqual(first);
  });

  it('has each screenshot in the lake before the turn that names it', async () => {
    const there = new Set<string>();
    const named: string[] = [];
    await play(oraclePolicy, {
      lake: {
        putScreenshot: async (png, hash) => {
          const name = await lake.putScreenshot(png, hash);
          there.add(name);
          return name;
        },
        begin: async (start) => {
          expect(there).toContain(start.observation.screenshot);
          const writer = await lake.begin(start);
          return {
            see: (observation) => writer.see(observation),
            retract: (count) => writer.retract(count),
            append: async (turn) => {
              expect(there).toContain(turn.observation.screenshot);
              named.push(turn.observation.screenshot);
              await writer.append(turn);
            },
            finish: (end, verdict) => writer.finish(end, verdict),
          };
        },
      },
    });
    expect(named).toHaveLength(2);
  });

  it('ends as infra_error, without a verdict, when the browser dies', async () => {
    const episode = await play(
      policyOf(async ({ turns }) => {
        if (turns.length === 1) await killBrowsers(pool);
        return { actions: [away] };
      }),
    );
    expect(episode.end).toMatchObject({ state: 'infra_error', message: expect.any(String) });
    expect(episode.turns).toHaveLength(1);
    expect(episode.verdict).toBeUndefined();
    expect(await storedEpisodes()).toEqual([episode]);
  });

  it.each([
    ['infra', 'the model server is gone', { part: 'policy' }],
    ['held', 'somebody has taken the session over', {}],
  ] as const)('ends as infra_error for %s: %s', async (code, message, part) => {
    const episode = await play(
      policyOf(() => {
        throw GyreError.revive(code, message, part);
      }),
    );
    expect(episode.end).toEqual({ state: 'infra_error', message, ...part });
    expect(episode.verdict).toBeUndefined();
  });

  it('is cut by the signal, also while the policy thinks', async () => {
    const stop = new AbortController();
    const episode = await play(
      policyOf(({ turns }) => {
        if (turns.length === 0) return { actions: [away] };
        stop.abort();
        return new Promise<Decision>(() => undefined);
      }),
      { signal: stop.signal },
    );
    expect(episode.end).toEqual({ state: 'cut' });
    expect(episode.turns).toHaveLength(1);
    expect(episode.verdict).toBeUndefined();
    expect(await storedEpisodes()).toEqual([episode]);
  });

  it('passes on any other error of a policy, with the episode closed as cut', async () => {
    const broken = policyOf(() => {
      throw new GyreError('numeric', 'the logits are not numbers');
    });
    await expect(play(broken)).rejects.toMatchObject({ code: 'numeric' });
    expect(await storedEpisodes()).toMatchObject([{ end: { state: 'cut' }, turns: [] }]);
  });

  it('throws, and keeps nothing, where the session failed before the first screenshot', async () => {
    const dead = await pool.lease({ size: screen });
    await dead.release();
    const environment = inSession(pressTask(), dead);
    await expect(play(oraclePolicy, { environment })).rejects.toMatchObject({ code: 'infra' });
    expect(await storedEpisodes()).toEqual([]);
  });

  it('tells of each turn with the screen after it', async () => {
    const seen: string[] = [];
    const episode = await play(oraclePolicy, { onTurn: (turn, frame) => seen.push(`${turn.index} ${frame.hash}`) });
    expect(seen).toEqual(episode.turns.map(({ index, observation }) => `${index} ${observation.screenshot}`));
  });
});
