import type { CycleResult } from '@gyre/training';
import { expect, test } from 'vitest';
import { cycleEntries } from './cycleEntries.js';
import { cyclesSection } from './cycles.js';
import { sankey } from '../charts/sankey.js';

const dev = (success: number) => [
  {
    family: 'click',
    n: 100,
    success,
    low: success - 0.1,
    high: success + 0.1,
    score: success,
    givenUp: 0,
    infraErrors: 0,
  },
];
const cycle = (change: Partial<CycleResult>): CycleResult => ({
  ...{ cycle: 0, stages: [], practice: {}, flows: [], leftOut: {}, pools: { ct: 0, sft: 0, rl: 0 } },
  ...{ routes: 'routes/cycle-0.jsonl', dev: dev(0.4), devPurpose: 'eval cycle 0', gains: {} },
  ...change,
});
const first = cycle({
  cycle: 1,
  flows: [
    { origin: 'rollout', verdict: 'solved', to: 'sft', n: 30 },
    { origin: 'rejection', verdict: 'solved', to: 'sft', n: 8 },
    { origin: 'rejection', verdict: 'solved', to: 'ct', n: 2 },
    { origin: 'rollout', verdict: 'failed', to: 'ct', n: 20 },
    { origin: 'rollout', verdict: 'failed', to: 'left out', n: 5 },
  ],
  leftOut: { 'near-duplicate of an episode in the CT pool': 5 },
  stages: [{ stage: 'rl 1', minutes: 3, turns: 400 }],
  rl: { iterations: 4, turns: 400 },
  routes: 'routes/cycle-1.jsonl',
  dev: dev(0.6),
  devPurpose: 'eval cycle 1',
  gains: { click: { mean: 0.2, low: 0.1, high: 0.3 } },
});

test('what flows out of the verdicts is what flows into them', () => {
  const { cycles } = cycleEntries({ all: [first], tested: 1, weights: 'rl 1', stopped: 'all cycles are done' });
  expect(cycles[0]?.links).toEqual([
    { from: 'rollouts', to: 'V = 1', n: 30 },
    { from: 'V = 1', to: 'SFT pool', n: 38 },
    { from: 'rejection sampling', to: 'V = 1', n: 10 },
    { from: 'V = 1', to: 'CT pool', n: 2 },
    { from: 'rollouts', to: 'V = 0', n: 25 },
    { from: 'V = 0', to: 'CT pool', n: 20 },
    { from: 'V = 0', to: 'left out', n: 5 },
  ]);
});

test('every result of a cycle names its episodes', () => {
  const entries = cycleEntries({ all: [cycle({}), first], tested: 1, weights: 'rl 1', stopped: 'all cycles are done' });
  const text = cyclesSection(entries).text.replace(/\s+/g, ' ');
  expect(text).toContain('routes/cycle-1.jsonl');
  expect(text).toContain('eval cycle 1');
  expect(text).toContain('5: near-duplicate of an episode in the CT pool');
  expect(text).toContain('<b>+20 (+10 to +30)</b>');
  expect(text).toContain('RL: 4 iterations, 400 turns');
});

test('several families: shows the mean gain over the previous cycle and since the start', () => {
  const two = (success: number) => [...dev(success), { ...dev(success + 0.2)[0]!, family: 'form' }];
  const gain = (mean: number) => ({ mean, low: mean - 0.1, high: mean + 0.1 });
  const later = { ...first, dev: two(0.6), meanGain: { last: gain(0.05), first: gain(0.2) } };
  const sectionText = (cycles: CycleResult[]) =>
    cyclesSection(cycleEntries({ all: cycles, tested: 1, weights: 'rl 1', stopped: 'all cycles are done' }))
      .text.replace(/\s+/g, ' ')
      .replace(/> </g, '><');
  const text = sectionText([cycle({ dev: two(0.4) }), later]);
  expect(text).toContain('<th scope="row">mean</th><td>50 %</td><td>+5 (−5 to +15)</td>');
  expect(text).toContain('<th scope="row">mean, since the start</th><td></td><td><b>+20 (+10 to +30)</b></td>');
  expect(sectionText([cycle({}), { ...later, dev: dev(0.6) }])).not.toContain('since the first');
});

test('bands of a Sankey picture are as high as what flows, and nodes without a flow are left out', () => {
  const links = [
    { from: 'a', to: 'x', n: 30 },
    { from: 'b', to: 'x', n: 10 },
    { from: 'b', to: 'y', n: 0 },
  ];
  const { text } = sankey({
    columns: [
      ['a', 'b', 'c'],
      ['x', 'y'],
    ],
    links,
  });
  const heights = [...text.matchAll(/class="node"[^>]* height="([\d.]+)"/g)].map(([, height]) => Number(height));
  expect(heights).toHaveLength(3);
  const [a = 0, b = 0, x = 0] = heights;
  expect(a).toBeCloseTo(3 * b, 0);
  expect(x).toBeCloseTo(a + b, 0);
  expect(text).toContain('<title>a to x: 30</title>');
  expect(text).not.toContain('b to y');
});
