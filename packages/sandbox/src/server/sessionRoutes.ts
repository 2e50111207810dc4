import type { AnySession } from '../lease/sandbox.js';
import { type ActReply, type SessionInfo, sessions as routes } from '../wire/session.js';
import { type SandboxRoots, type VmImages, withImage, withRoot } from './images.js';
import type { RouteContext } from './routeContext.js';

export function sessionRoutes(
  { serve, sandbox, allowList, session, viewable, listed, admit, release }: RouteContext,
  images: VmImages,
  roots: SandboxRoots,
): void {
  serve(routes.lease, (request, reply) => {
    const terms = withRoot(withImage(request.body, images), roots);
    allowList.check(terms);
    return admit(request, reply, terms, (wait) => sandbox.lease({ ...terms, ...wait }));
  });
  serve(routes.list, (request) => listed(request).map(sessionInfo));
  serve(routes.get, (request) => sessionInfo(viewable(request)));
  serve(routes.renew, (request) => session(request).renew());
  serve(routes.release, (request) => release(session(request)));
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
