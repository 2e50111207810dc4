import type { Policy } from '@gyre/agent';

export const policyDouble: Policy = {
  name: 'double',
  decide: () => Promise.resolve({ thought: 'There.', actions: [{ type: 'click', point: { x: 0.5, y: 0.5 } }] }),
};
