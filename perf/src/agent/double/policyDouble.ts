import type { Policy } from '@gyre/agent';

/** A policy without a model that clicks on the centre at once. */
export const policyDouble: Policy = {
  name: 'double',
  decide: () => Promise.resolve({ thought: 'There.', actions: [{ type: 'click', point: { x: 0.5, y: 0.5 } }] }),
};
