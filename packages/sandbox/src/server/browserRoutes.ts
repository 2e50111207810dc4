import { GyreError } from '@gyre/protocol';
import type { BrowserSurface } from '../lease/session.js';
import { browser as routes } from '../wire/browser.js';
import type { Json } from '../wire/json.js';
import { requireMachine } from './requireMachine.js';
import type { RouteContext, SessionRequest } from './routeContext.js';
import { actReply } from './sessionRoutes.js';

export function browserRoutes({ serve, session }: RouteContext): void {
  const browserIn = (request: SessionRequest): BrowserSurface => {
    const { browser } = requireMachine(session(request));
    if (browser) return browser;
    throw new GyreError('bad_input', 'the session has no browser', { field: 'id', fix: 'lease one of kind browser' });
  };
  serve(routes.open, (request) => browserIn(request).open(request.body));
  serve(routes.evaluate, async (request) => {
    const { expression, tab } = request.body;
    return { value: await browserIn(request).evaluate<Json | undefined>(expression, { tab }) };
  });
  serve(routes.advance, (request) => browserIn(request).advance(request.body.ms));
  serve(routes.navigate, async (request) => {
    await browserIn(request).navigate(request.body.url);
    return actReply(session(request));
  });
}
