import { GyreError } from '@gyre/protocol';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import PQueue from 'p-queue';
import { PathRefused } from '../../files/failure.js';
import type { SandboxSession } from '../../lease/sandboxSession.js';
import { AttachedBrowser } from './browser/attachedBrowser.js';
import { bashRoutes } from './code/bash.js';
import { codeRoutes } from './code/codeRoutes.js';
import { contextRoutes } from './browser/contextRoutes.js';
import { fileRoutes } from './files/fileRoutes.js';
import { mcpRoutes } from './mcpRoutes.js';
import { failureOfPage, pageRoutes } from './browser/pageRoutes.js';
import { SessionPaths } from './files/paths.js';
import { recordRoutes } from './recordRoutes.js';
import { done, findRoute, invalid, missing, Unsuccessful, type Routes } from './route.js';
import { actionsOf } from './screenActions.js';
import { systemRoutes } from './systemRoutes.js';
import { terminalRoutes } from './code/terminals.js';
import { utilRoutes } from './utilRoutes.js';
import { watchRoutes } from './files/watches.js';
import type { CompatDesktop } from '../served/machine.js';
import { Pointer } from '../served/pointer.js';
import { binary, json, jsonFields, type CompatAnswer, type CompatHandler } from '../served/request.js';

export interface AioMachine extends Partial<
  Pick<SandboxSession, 'browser' | 'shell' | 'files' | 'tools' | 'record' | 'home'>
> {
  readonly desktop: CompatDesktop;
  /** CDP address for a client that reached the server by `host`. */
  readonly cdpUrl?: (host: string) => Promise<string>;
  readonly mcp?: () => Promise<McpServer>;
  /** Registers clean-up work. */
  readonly onClose?: (work: () => Promise<void>) => void;
}

/** Serves a session to clients of the AIO sandbox. Answers 501 for missing parts. */
export function aioHandler(machine: AioMachine): CompatHandler {
  const {
    desktop,
    browser,
    shell,
    files,
    tools,
    record,
    home = '/home/user',
    cdpUrl,
    mcp,
    onClose = () => {},
  } = machine;
  const queue = new PQueue({ concurrency: 1 });
  const paths = new SessionPaths(files, shell, home);
  const attached = new AttachedBrowser(browser, (keys) => desktop.act({ type: 'hotkey', keys }));
  onClose(() => attached.detach());
  let pointer = new Pointer(desktop.size);
  const hint = () => {
    const notices = desktop.notices?.() ?? [];
    return notices.length === 0 ? null : notices.join('\n');
  };
  const checkTab = async () => {
    if (await attached.isOnScreen()) return;
    throw new Unsuccessful(
      'the screen does not show a tab that a client has opened: activate another, or use /v1/browser/page',
    );
  };

  const routes: Routes = {
    'POST /tickets': () => missing('pages that tickets open', 'send the token with each request'),
    'GET /auth': () => json({ status: 'ok' }),
    'GET /v1/browser/info': async ({ headers = {} }) => {
      const { width, height } = desktop.size;
      const user_agent = browser === undefined ? '' : await browser.evaluate<string>('navigator.userAgent');
      const cdp_url = (await cdpUrl?.(headers.host ?? '127.0.0.1')) ?? '';
      const viewport = { width, height };
      const page_viewport = browser === undefined ? null : viewport;
      const note = browser === undefined ? 'a desktop has no cdp_url: start the server with --kind browser' : null;
      return done({ user_agent, cdp_url, vnc_url: '', viewport, page_viewport }, note);
    },
    'GET /v1/browser/screenshot': async ({ query = {} }) => {
      const { format = 'png', quality } = query;
      if (format !== 'png' && !(format === 'jpeg' && browser)) return invalid('format', 'only png is supported');
      await checkTab();
      const { png, size } = await desktop.observe();
      const sizes = { screen: desktop.size, image: size };
      const headers = Object.entries(sizes).flatMap(([name, { width, height }]) => [
        [`x-${name}-width`, String(width)],
        [`x-${name}-height`, String(height)],
      ]);
      const picture =
        format === 'jpeg'
          ? await browser!.screenshot('jpeg', quality === undefined ? undefined : Number(quality))
          : png;
      return binary(`image/${format}`, picture, Object.fromEntries(headers) as Record<string, string>);
    },
    'POST /v1/browser/actions': async (request) => {
      const fields = await jsonFields(request);
      await checkTab();
      await queue.add(async () => {
        const moved = pointer.copy();
        for (const action of actionsOf(fields, moved)) await desktop.act(action);
        pointer = moved;
      });
      const performed = { status: 'success', action_performed: String(fields.action_type) };
      const envelope = { success: true, message: 'Operation successful', hint: hint() };
      return json({ ...envelope, data: performed, ...performed });
    },
    'POST /v1/browser/config': async (request) => {
      const { resolution } = (await jsonFields(request)) as { resolution?: Partial<typeof desktop.size> | null };
      const { width, height } = desktop.size;
      if (!resolution || (resolution.width === width && resolution.height === height)) return done(null);
      return missing('screen of another size', `start the server with --size ${resolution.width}x${resolution.height}`);
    },
    ...pageRoutes(attached, paths, hint),
    ...contextRoutes(attached, paths),
    ...bashRoutes(shell, desktop.env),
    ...terminalRoutes(shell, desktop.env),
    ...watchRoutes(paths),
    ...fileRoutes(paths),
    ...codeRoutes(paths, tools),
    ...recordRoutes(record, paths, onClose),
    ...systemRoutes(paths, onClose),
    ...mcpRoutes(mcp, onClose),
    ...utilRoutes(attached, paths),
  };

  return async (request) => {
    try {
      const match = findRoute(routes, request.method, request.path);
      if (match === undefined) return json({ detail: 'Not Found' }, 404);
      return await match.route(request, match.params);
    } catch (error) {
      return failed(error, request.path);
    }
  };
}

function failed(error: unknown, path: string): CompatAnswer {
  const message = failureOfPage(error)?.message ?? (error instanceof Error ? error.message : String(error));
  const unsuccessful = { success: false, message, data: null, hint: null };
  const code = error instanceof GyreError ? error.code : undefined;
  if (code === 'bad_input' && path === '/v1/file/download') return json({ detail: message }, 404);
  // No `data`: some clients cannot parse it in errors.
  const isAnswer = error instanceof Unsuccessful || error instanceof PathRefused || failureOfPage(error) !== undefined;
  if (isAnswer) return json(unsuccessful);
  if (error instanceof GyreError && code === 'bad_input') return invalid(error.detail.field ?? 'body', message);
  return json(unsuccessful, code === 'missing' ? 501 : 500);
}
