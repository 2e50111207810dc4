import { GyreError } from '@gyre/protocol';
import type { Remote } from '../foreign/driven/remote.js';
import type { DeviceKind } from '../lease/kind.js';
import type { Phone } from '../phone/phone.js';
import { phone as phoneRoutes, remote as remoteRoutes } from '../wire/device.js';
import type { RouteContext, SessionRequest } from './routeContext.js';

/** Phones and remote machines; the other surfaces use every session's routes. */
export function deviceRoutes({ serve, session }: RouteContext): void {
  const phoneIn = (request: SessionRequest): Phone => {
    const leased = session(request);
    if ('phone' in leased && leased.phone) return leased.phone;
    throw otherKind('phone');
  };
  const remoteIn = (request: SessionRequest): Remote => {
    const leased = session(request);
    if ('remote' in leased && leased.remote) return leased.remote;
    throw otherKind('remote');
  };
  serve(phoneRoutes.tree, (request) => phoneIn(request).tree());
  serve(phoneRoutes.apps, (request) => phoneIn(request).apps.list());
  serve(phoneRoutes.currentApp, async (request) => ({ app: await phoneIn(request).apps.current() }));
  serve(phoneRoutes.launchApp, (request) => phoneIn(request).apps.launch(request.body.name));
  serve(phoneRoutes.stopApp, (request) => phoneIn(request).apps.stop(request.body.name));
  serve(remoteRoutes.accessibility, (request) => remoteIn(request).accessibility());
}

const otherKind = (kind: DeviceKind): GyreError =>
  new GyreError('bad_input', `the session is not a ${kind}`, { field: 'id', fix: `lease a session of kind ${kind}` });
