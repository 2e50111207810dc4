import { setTimeout as pause } from 'node:timers/promises';
import { type Action, Episode as EpisodeSchema, GyreError } from '@gyre/protocol';
import type { SessionControl } from '@gyre/sandbox';
import { describe, expect, it } from 'vitest';
import { countTask, sessionDouble } from './double/sessionDouble.test.fixture.js';
import { type EpisodeOptions, runEpisode } from './episode.js';
import { EpisodeControl } from './episodeControl.js';
import { inSession } from './pressTask.test.fixture.js';
import type { Context, Decision, Policy } from '../policy/policy.js';

const away: Action = { type: 'mouse_move', point: { x: 0.9, y: 0.9 } };

function playing(
  before: (turn: number, control: EpisodeControl, context: Context) => unknown = () => undefined,
  more: Partial<EpisodeOptions> & { goal?: number } = {},
) {
  const session = sessionDouble();
  const control = new EpisodeControl();
  const contexts: Context[] = [];
  const policy: Policy = {
    name: 'mover',
    decide: async (context) => {
      contexts.push(context);
      await before(context.turns.length, control, context);
      return { actions: [away] };
    },
  };
  const { goal, ...options } = more;
  const job = countTask(session, { stepBudget: 4, ...(goal !== undefined && { goal }) });
  const environment = inSession(job, session);
  return { session, control, contexts, episode: runEpisode({ ...job, environment, policy, control, ...options }) };
}

const whileItWaits = () => pause(30);

describe('the control of an episode', () => {
  it('makes it wait after the turn in progress, and go on', async () => {
    const seen: number[] = [];
    const { control, session, episode } = playing((turn, steer) => turn === 1 && steer.pause(), {
      onTurn: ({ index }) => seen.push(index),
    });
    await whileItWaits();
    expect([control.state, session.acted.length, seen]).toEqual(['paused', 2, [0, 1]]);
    control.resume();
    const { turns, end } = await episode;
    expect(end).toEqual({ state: 'out_of_budget' });
    expect(turns.map(({ observation }) => observation.results)).toEqual([undefined, undefined, undefined, undefined]);
    expect(control.state).toBe('ended');
  });

  it('can make it wait before its first turn', async () => {
    const { control, contexts, episode } = playing();
    control.pause();
    await whileItWaits();
    expect(contexts).toEqual([]);
    control.resume();
    expect((await episode).turns).toHaveLength(4);
  });

  it('stops it as cut, also while it waits and while the policy thinks', async () => {
    const waiting = playing((turn, steer) => turn === 1 && steer.pause());
    await whileItWaits();
    waiting.control.stop();
    expect(await waiting.episode).toMatchObject({ end: { state: 'cut' }, turns: [{ index: 0 }, { index: 1 }] });

    let dropped: AbortSignal | undefined;
    const thinking = playing((turn, _, { signal }) => {
      dropped = signal;
      return turn === 1 && new Promise(() => undefined);
    });
    await whileItWaits();
    thinking.control.stop();
    const { end, turns, verdict } = await thinking.episode;
    expect([end.state, turns.length, verdict, dropped?.aborted]).toEqual(['cut', 1, undefined, true]);
  });

  it('is stopped by the signal while it waits', async () => {
    const stop = new AbortController();
    const { episode } = playing((turn, steer) => turn === 0 && steer.pause(), { signal: stop.signal });
    await whileItWaits();
    stop.abort();
    expect((await episode).end).toEqual({ state: 'cut' });
  });

  it('lets a person act, whose deeds are no turn and earn nothing, and tells policy and verdict', async () => {
    let has: Promise<boolean> | undefined;
    const { control, session, contexts, episode } = playing((turn, steer) => {
      if (turn === 1) has = steer.takeOver('Anna');
    });
    await whileItWaits();
    expect(await has).toBe(true);
    for (let count = 0; count < 3; count++) await session.screen.act(away);
    control.handBack();
    const played = await episode;
    expect(EpisodeSchema.parse(played)).toEqual(played);
    expect(played.turns.map(({ reward }) => reward)).toEqual([1, 1, 1, 1]);
    expect(played.verdict?.evidence).toEqual({ acted: 7, takenOver: ['Anna'] });
    const last = contexts[2]!.turns[1]!.observation;
    expect(last).toEqual(played.turns[1]!.observation);
    expect(last.results).toEqual([
      { kind: 'notice', text: 'Anna used the session in the meantime; this is the current screen' },
    ]);
    expect(contexts[2]!.screenshots.at(-1)).toMatchObject({ png: new Uint8Array([5]), hash: last.screenshot });
    expect(played.turns[2]!.observation.results).toBeUndefined();
  });

  it('is over where the person has done what was wanted', async () => {
    const { control, session, episode } = playing((turn, steer) => void (turn === 0 && steer.takeOver('Anna')), {
      goal: 2,
    });
    await whileItWaits();
    await session.screen.act(away);
    control.handBack();
    const { end, turns } = await episode;
    expect([end.state, turns.map(({ reward }) => reward)]).toEqual(['finished', [1]]);
  });

  it('refuses a take-over after the end', async () => {
    const { control, episode } = playing((turn, steer) => turn === 0 && steer.pause());
    await whileItWaits();
    const has = control.takeOver('Anna');
    control.handBack();
    expect(await has).toBe(false);
    await episode;
    expect(() => void control.takeOver('Anna')).toThrow('cannot takeOver an episode that is ended');
  });

  it.each([
    ['resume', 'running'],
    ['handBack', 'running'],
  ] as const)('refuses to %s what is %s', (verb, state) => {
    const control = new EpisodeControl();
    expect(() => control[verb]()).toThrow(GyreError);
    expect(control.state).toBe(state);
  });

  it('is for one episode', async () => {
    const { control, episode } = playing();
    await episode;
    const session = sessionDouble();
    const job = countTask(session);
    const again = runEpisode({
      ...job,
      environment: inSession(job, session),
      control,
      policy: { name: 'mover', decide: async () => ({ actions: [] }) },
    });
    await expect(again).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'control' } });
  });

  it('waits for a person who took the session over by itself', async () => {
    let holder: string | undefined;
    const listeners = new Set<() => void>();
    const session = Object.assign(
      sessionDouble(() => {
        if (holder !== undefined) throw new GyreError('held', `${holder} has taken the session over`);
      }),
      {
        control: {
          get holder() {
            return holder;
          },
          listen: (listener: () => void) => {
            listeners.add(listener);
            return () => listeners.delete(listener);
          },
        } as unknown as SessionControl,
      },
    );
    const policy: Policy = {
      name: 'mover',
      decide: async ({ turns }) => {
        if (turns.length === 1) holder = 'Ben';
        return { actions: [away] };
      },
    };
    const job = countTask(session, { stepBudget: 3 });
    const environment = inSession(job, session);
    const episode = runEpisode({ ...job, environment, policy, control: new EpisodeControl() });
    await whileItWaits();
    expect(session.acted).toHaveLength(1);
    holder = undefined;
    for (const listener of listeners) listener();
    const { turns, end } = await episode;
    expect(end).toEqual({ state: 'out_of_budget' });
    expect(turns.map(({ observation }) => observation.results?.map(({ text }) => text))).toEqual([
      undefined,
      [expect.stringContaining('refused mouse_move: Ben'), expect.stringContaining('Ben used the session')],
      undefined,
    ]);
    expect(listeners.size).toBe(0);
  });
});

describe('time limits', () => {
  it('end an episode between turns as out of budget, without the time in which it waited', async () => {
    const slow = playing(() => pause(30), { episodeMs: 20 });
    expect(await slow.episode).toMatchObject({ end: { state: 'out_of_budget' }, turns: [{}], verdict: {} });

    const paused = playing((turn, steer) => turn === 0 && steer.pause(), { episodeMs: 60_000 });
    await whileItWaits();
    paused.control.resume();
    expect((await paused.episode).turns).toHaveLength(4);
  });

  it('make an infrastructure error of a decision that does not come, and drop it', async () => {
    let dropped: AbortSignal | undefined;
    const { episode } = playing(
      (turn, _, { signal }) => {
        dropped = signal;
        return turn === 1 && new Promise<Decision>(() => undefined);
      },
      { decisionMs: 20, episodeMs: 10_000 },
    );
    const { end, turns, verdict } = await episode;
    expect(end).toEqual({ state: 'infra_error', message: 'mover did not decide within 0.02 s', part: 'policy' });
    expect([turns.length, verdict, dropped?.aborted]).toEqual([1, undefined, true]);
  });

  it.each(['decisionMs', 'episodeMs'] as const)('refuse %s of 0', async (field) => {
    await expect(playing(undefined, { [field]: 0 }).episode).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field },
    });
  });
});
