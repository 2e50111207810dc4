import type { AnySession } from '../lease/sandbox.js';
import { type ActReply, type SessionInfo, sessions as routes } from '../wire/session.js';
import type { RouteContext } from './routeContext.js';

export function sessionRoutes({ serve, session, viewable, listed, leases, lesseeOf }: RouteContext): void {
  serve(routes.lease, async (request, reply) =>
    sessionInfo(await leases.lease(request.body, lesseeOf(request, reply))),
  );
  serve(routes.list, (request) => listed(request).map(sessionInfo));
  serve(routes.get, (request) => sessionInfo(viewable(request)));
  serve(routes.renew, (request) => session(request).renew());
  serve(routes.release, (request) => leases.release(session(request)));
  serve(routes.act, async (request) => {
    const leased = session(request);
    for (const action of request.body.actions) await leased.screen.act(action);
    return actReply(leased);
  });
}

export function sessionInfo(session: AnySession): SessionInfo {
  const { id, kind, state, screen } = session;
  return { id, kind, state, size: screen.size, page: pageOf(session) };
}

export function actReply(session: AnySession): ActReply {
  return { notices: [...(session.screen.notices?.() ?? [])], page: pageOf(session) };
}

function pageOf(session: AnySession): ActReply['page'] {
  return 'browser' in session ? session.browser?.page : undefined;
}
