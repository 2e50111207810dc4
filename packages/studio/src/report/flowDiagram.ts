/** Colours of the flow diagram of a cycle. */
export const flowColours = {
  'V = 1': 'var(--good)',
  'V = 0': 'var(--bad)',
  'SFT pool': 'var(--trained)',
  'CT pool': 'var(--start)',
  'RL pool': 'var(--oracle)',
};
export const flowColumns = [
  ['demonstrations', 'rollouts', 'rejection sampling', 'imported', 'captured'],
  ['V = 1', 'V = 0', 'not judged'],
  ['SFT pool', 'RL pool', 'CT pool', 'left out'],
];
