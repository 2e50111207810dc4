import { kinds, Labels, type Route } from '@gyre/sandbox';
import { z } from 'zod';

const NodeInfo = z.strictObject({
  node: z.string(),
  url: z.string(),
  kinds: z.array(z.enum(kinds)),
  labels: Labels,
  capacity: z.int(),
  taken: z.int(),
  starting: z.int(),
  warm: z.partialRecord(z.enum(kinds), z.int()),
  draining: z.boolean(),
});

const params = z.strictObject({ node: z.string() });

export const fleetRoutes = {
  nodes: {
    method: 'GET',
    path: '/v1/nodes',
    scope: 'admin',
    summary: 'Lists the nodes of the fleet',
    reply: z.array(NodeInfo),
  },
  drain: {
    method: 'POST',
    path: '/v1/nodes/:node/drain',
    scope: 'admin',
    summary: 'Lets a node take no more leases; its sessions continue',
    params,
  },
  resume: {
    method: 'DELETE',
    path: '/v1/nodes/:node/drain',
    scope: 'admin',
    summary: 'Lets a node take leases again',
    params,
  },
} as const satisfies Record<string, Route>;
