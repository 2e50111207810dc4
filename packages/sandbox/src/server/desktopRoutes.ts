import { GyreError } from '@gyre/protocol';
import { desktop as routes } from '../wire/desktop.js';
import type { RouteContext } from './routeContext.js';

export function desktopRoutes({ serve, session }: RouteContext): void {
  serve(routes.launch, async (request) => {
    const { program, args } = request.body;
    const leased = session(request);
    const desktop = 'tools' in leased ? leased.desktop : leased.remote;
    if (!desktop) throw noDesktop();
    await desktop.launch(program, args);
  });
  serve(routes.windows, (request) => {
    const leased = session(request);
    if (!('tools' in leased) || !leased.desktop) throw noDesktop();
    return leased.desktop.windows();
  });
}

function noDesktop(): GyreError {
  return new GyreError('bad_input', 'the session has no desktop', { field: 'id', fix: 'lease a desktop' });
}
