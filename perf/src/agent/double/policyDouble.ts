import type { Policy } from '@gyre/agent';

/** A double of a policy, to measure what is around it: no model; it clicks on the middle at once. */
export const policyDouble: Policy = {
  name: 'double',
  decide: () => Promise.resolve({ thought: 'There.', actions: [{ type: 'click', point: { x: 0.5, y: 0.5 } }] }),
};
