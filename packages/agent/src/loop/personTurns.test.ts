import { setTimeout as pause } from 'node:timers/promises';
import { type Action, Episode as EpisodeSchema } from '@gyre/protocol';
import { expect, test } from 'vitest';
import { countTask, sessionDouble } from './double/sessionDouble.test.fixture.js';
import { type EpisodeOptions, runEpisode } from './episode.js';
import { EpisodeControl } from './episodeControl.js';
import { inSession } from './pressTask.test.fixture.js';
import type { Context, Policy } from '../policy/policy.js';

const away: Action = { type: 'mouse_move', point: { x: 0.9, y: 0.9 } };
const typed: Action = { type: 'type', text: 'kettle' };

/** Plays with a policy that moves the mouse, and calls `before` with the number of its turn. */
function playing(
  before: (decision: number, control: EpisodeControl) => unknown = () => undefined,
  { goal, control = new EpisodeControl(), ...more }: Partial<EpisodeOptions> & { goal?: number } = {},
) {
  const session = sessionDouble();
  const contexts: Context[] = [];
  const policy: Policy = {
    name: 'mover',
    decide: async (context) => {
      contexts.push(context);
      await before(contexts.length, control);
      return { actions: [away], thought: 'away' };
    },
  };
  const job = countTask(session, { stepBudget: 3, ...(goal !== undefined && { goal }) });
  const environment = inSession(job, session);
  return { session, control, contexts, episode: runEpisode({ ...job, environment, policy, control, ...more }) };
}

const whileItWaits = () => pause(30);

test("a person's actions are turns with their name, use no budget, and are told to the policy with the note", async () => {
  const { control, session, contexts, episode } = playing(
    (decision, steer) => void (decision === 2 && steer.takeOver('Anna')),
  );
  await whileItWaits();
  expect([control.state, control.by]).toEqual(['taken', 'Anna']);
  const [first, second] = await Promise.all([control.act([typed]), control.act([away])]);
  expect([first.turn.index, second.turn.index, second.done]).toEqual([2, 3, false]);
  expect(session.acted).toEqual([away, away, typed, away]);
  control.handBack('press Save');
  const played = await episode;
  expect(EpisodeSchema.parse(played)).toEqual(played);
  expect(played.turns.map(({ by, actions }) => [by, ...actions])).toEqual([
    [undefined, away],
    [undefined, away],
    ['Anna', typed],
    ['Anna', away],
    [undefined, away],
  ]);
  expect(played.turns.map(({ reward }) => reward)).toEqual([1, 1, 1, 1, 1]);
  expect(played.end).toEqual({ state: 'out_of_budget' });
  expect(played.verdict?.evidence.takenOver).toEqual(['Anna']);
  const { turns, screenshots } = contexts[2]!;
  expect(turns.map(({ by }) => by)).toEqual([undefined, undefined, 'Anna', 'Anna']);
  expect(turns[1]!.observation.results).toBeUndefined();
  const text = 'Anna used the session in the meantime; this is the current screen. Anna says: press Save';
  expect(turns[3]!.observation.results).toEqual([{ kind: 'notice', text }]);
  expect(played.turns[3]!.observation).toEqual(turns[3]!.observation);
  expect(screenshots.at(-1)?.hash).toBe(turns[3]!.observation.screenshot);
});

test('an episode is over once the person has done what was wanted', async () => {
  const { control, episode } = playing((decision, steer) => void (decision === 1 && steer.takeOver('Anna')), {
    goal: 2,
  });
  await whileItWaits();
  expect(await control.act([typed])).toMatchObject({ done: true, turn: { by: 'Anna', reward: 1 } });
  const { end, turns, verdict } = await episode;
  expect([end.state, turns.length, verdict?.success]).toEqual(['finished', 2, true]);
});

test('one turn at a time', async () => {
  const { control, contexts, episode } = playing((decision, steer) => decision === 1 && steer.pause());
  await whileItWaits();
  expect([contexts.length, control.state]).toEqual([1, 'paused']);
  control.step();
  await whileItWaits();
  expect([contexts.length, control.state]).toEqual([2, 'paused']);
  control.resume();
  expect((await episode).turns).toHaveLength(3);
  expect(() => control.step()).toThrow('cannot step an episode that is ended');
});

test('a player has the episode from the first turn to the last', async () => {
  const control = new EpisodeControl({ player: 'Ben' });
  const { contexts, episode } = playing(undefined, { control });
  await whileItWaits();
  expect(() => control.handBack()).toThrow('the episode is played by Ben alone');
  for (let count = 0; count < 4; count++) await control.act([typed]);
  expect(await control.act([{ type: 'finished', answer: '7' }])).toMatchObject({ done: true });
  const { end, turns } = await episode;
  expect([end.state, turns.length, contexts.length]).toEqual(['finished', 5, 0]);
  expect(new Set(turns.map(({ by }) => by))).toEqual(new Set(['Ben']));
});

test('shows the screen while it waits, and only then', async () => {
  const { control, episode } = playing((decision, steer) => decision === 1 && steer.pause());
  await expect(control.screen()).rejects.toMatchObject({ code: 'bad_input' });
  await whileItWaits();
  expect(await control.screen()).toEqual(new Uint8Array([1]));
  control.stop();
  expect((await episode).end).toEqual({ state: 'cut' });
});

test('what a person has not done when it is given back or stopped is refused', async () => {
  const control = new EpisodeControl();
  await expect(control.act([typed])).rejects.toMatchObject({ code: 'bad_input' });
  void control.takeOver('Anna');
  const late = control.act([typed]);
  control.handBack();
  await expect(late).rejects.toThrow('the episode was given back before this action');
  void control.takeOver('Anna');
  const stopped = control.act([typed]);
  control.stop();
  await expect(stopped).rejects.toMatchObject({ code: 'bad_input' });
});

test('a malformed action of a person is told, and changes nothing', async () => {
  const { control, session, episode } = playing((decision, steer) => void (decision === 1 && steer.takeOver('Anna')));
  await whileItWaits();
  const { turn } = await control.act([{ type: 'click', point: { x: 7 } } as unknown as Action]);
  expect(turn).toMatchObject({ by: 'Anna', actions: [], observation: { results: [{ kind: 'malformed' }] } });
  expect(session.acted).toEqual([away]);
  control.stop();
  await episode;
});

test('a player has a fork after its replayed turns, and their turns have their time', async () => {
  const control = new EpisodeControl({ player: 'Anna', after: 2 });
  const { contexts, episode } = playing(undefined, { control });
  await whileItWaits();
  expect([control.state, control.by, contexts.length]).toEqual(['taken', 'Anna', 2]);
  const before = Date.now();
  const { turn } = await control.act([typed]);
  expect([turn.index, turn.by]).toEqual([2, 'Anna']);
  expect(Date.parse(turn.at!)).toBeGreaterThanOrEqual(before);
  expect(() => control.handBack()).toThrow('played by Anna alone');
  control.stop();
  const { turns } = await episode;
  expect(turns.map(({ by, at }) => [by, at === undefined])).toEqual([
    [undefined, true],
    [undefined, true],
    ['Anna', false],
  ]);
});
