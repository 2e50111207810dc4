import { shell as routes } from '../wire/shell.js';
import type { RouteContext } from './routeContext.js';

export function shellRoutes({ serve, session }: RouteContext): void {
  serve(routes.run, (request) => {
    const { command, ...options } = request.body;
    return session(request).shell.run(command, options);
  });
}
