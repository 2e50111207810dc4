import type { Policy } from '@gyre/agent';

/** Clicks on the centre at once. */
export const policyDouble: Policy = {
  name: 'double',
  decide: () => Promise.resolve({ thought: 'There.', actions: [{ type: 'click', point: { x: 0.5, y: 0.5 } }] }),
};
