import { expect, test } from 'vitest';
import { presetNames, presetOf, servedPreset } from './presets.js';
import { Settings } from './settings.js';

test('families on pages and in isolated browsers can be trained on, desktop families cannot', () => {
  const practised = (family: string) => Settings.safeParse({ families: [family] });
  for (const family of ['tabs', 'shell.readAndType', 'hybrid.restart']) expect(practised(family).success).toBe(true);
  expect(practised('calc.sum').error?.issues[0]?.message).toMatch(/desktop/);
});

test('a screen must suit every family', () => {
  const screen = { width: 160, height: 160 };
  expect(Settings.parse({ families: ['2048', 'vault'], screen }).screen).toEqual(screen);
  const issues = (families: string[], of: object) => Settings.safeParse({ families, screen: of }).error?.issues;
  expect(issues(['2048', 'tetris'], screen)).toEqual([
    expect.objectContaining({ path: ['screen'], message: expect.stringContaining('tetris') as string }),
  ]);
  expect(issues(['2048'], { width: 164, height: 160 })).toHaveLength(1);
  expect(issues(['2048'], { width: 160 })).toHaveLength(1);
});

test('forks need pages and no penalty for divergence', () => {
  expect(Settings.safeParse({ families: ['tabs'], ppo: { advantage: 'vineppo' } }).success).toBe(true);
  const issue = (families: string[], kl: number) =>
    Settings.safeParse({ families, ppo: { advantage: 'vineppo', kl } }).error?.issues[0];
  expect(issue(['tabs'], 0.1)).toMatchObject({ path: ['ppo', 'kl'] });
  expect(issue(['shell.readAndType'], 0)).toMatchObject({ path: ['families'] });
});

test('presets use PPO alone from trained weights, but not from random ones', () => {
  const steps = (from: 'base' | 'scratch') =>
    presetNames.map((name) => Settings.parse({ ...presetOf(name, from === 'scratch'), from }).ppo.replay.steps);
  expect(steps('base')).toEqual([0, 0, 0]);
  expect(steps('scratch')).toEqual([40, 40, 40]);
});

const served = { engine: 'http://127.0.0.1:1', model: 'nano' };

test('no preset changes the learning rates of a served policy', () => {
  const rates = (preset: object) => {
    const { sft, ppo, cycle } = Settings.parse({ ...preset, served });
    return [sft.peak, ppo.learningRate, ppo.replay.learningRate, cycle.sft.learningRate];
  };
  expect(Settings.parse({}).cycle.sft.learningRate).toBe(3e-4);
  for (const preset of [{}, servedPreset, ...presetNames.map((name) => presetOf(name, false))])
    expect(rates(preset)).toEqual([1e-4, 4e-5, 1e-4, 1e-4]);
});
