import { z } from 'zod';
import { route } from './route.js';
import { SessionParams } from './session.js';

const params = SessionParams;

/** See `PhoneApp`. */
const App = z.strictObject({ package: z.string(), activity: z.string() });
const AppRequest = z.strictObject({ name: z.string().min(1).max(255) });

/** See `PhoneNode`. */
const TreeNode = z
  .strictObject({
    role: z.string(),
    class: z.string(),
    text: z.string(),
    description: z.string(),
    id: z.string(),
    package: z.string(),
    states: z.array(z.string()).readonly(),
    box: z.strictObject({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
    get children() {
      return z.array(TreeNode).readonly();
    },
  })
  .meta({ id: 'PhoneNode' });

/** See `RemoteAccessibility`. */
const RemoteTree = z.discriminatedUnion('format', [
  z.strictObject({ format: z.literal('xml'), xml: z.string() }),
  z.strictObject({ format: z.literal('json'), tree: z.unknown() }),
]);

export const phone = {
  tree: route({
    method: 'GET',
    path: '/v1/sessions/:id/phone/tree',
    scope: 'operate',
    summary: 'Returns the accessibility tree of a phone',
    params,
    reply: z.array(TreeNode),
  }),
  apps: route({
    method: 'GET',
    path: '/v1/sessions/:id/phone/apps',
    scope: 'operate',
    summary: 'Lists the apps of a phone',
    params,
    reply: z.array(App),
  }),
  currentApp: route({
    method: 'GET',
    path: '/v1/sessions/:id/phone/apps/current',
    scope: 'operate',
    summary: 'Returns the app that a phone shows, if any',
    params,
    reply: z.strictObject({ app: App.optional() }),
  }),
  launchApp: route({
    method: 'POST',
    path: '/v1/sessions/:id/phone/apps/launch',
    scope: 'operate',
    summary: 'Starts an app',
    params,
    body: AppRequest,
  }),
  stopApp: route({
    method: 'POST',
    path: '/v1/sessions/:id/phone/apps/stop',
    scope: 'operate',
    summary: 'Stops an app',
    params,
    body: AppRequest,
  }),
};

export const remote = {
  accessibility: route({
    method: 'GET',
    path: '/v1/sessions/:id/remote/accessibility',
    scope: 'operate',
    summary: 'Returns the accessibility tree of a remote machine',
    params,
    reply: RemoteTree,
  }),
};
