// Stands in for a machine of WindowsAgentArena: a desktop of gyre behind OSWorld's in-VM protocol, whose routes the arena's server has, too, with three
// of those that it adds. The desktop is Debian's, not Windows.
import { createServer, request } from 'node:http';
import { compatTerms, serveCompat } from '../../../packages/sandbox/dist/index.js';

/** As the arena's server. */
const port = 5000;

export async function startWindowsServer(sandbox, host) {
  const lease = () => sandbox.lease({ kind: 'desktop', ...compatTerms.osworld, ttlMs: 2 ** 31 - 1, waitMs: 60_000 });
  let session;
  const renew = async () => (session = await lease());
  const compat = await serveCompat({ session: await renew(), renew, protocol: 'osworld' });
  const calls = [];
  const answer = (response, status) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ status }));
  const routes = {
    'GET /probe': (response) => answer(response, 'Probe successful'),
    'POST /setup/close_all': (response) => answer(response, 'success'),
    // A restarted machine has none.
    'POST /setup/clear_task_files': (response) => answer(response, 'success'),
  };
  const server = createServer((incoming, response) => {
    const { method, url, headers } = incoming;
    calls.push(`${method} ${url}`);
    const route = routes[`${method} ${url}`];
    if (route) {
      incoming.resume();
      return void route(response);
    }
    const forwarded = request(
      new URL(url, compat.url),
      { method, headers: { ...headers, host: new URL(compat.url).host } },
      (reply) => {
        response.writeHead(reply.statusCode, reply.headers);
        reply.pipe(response);
      },
    );
    forwarded.on('error', () => response.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise((resolve) => server.listen(port, host, resolve));
  const restart = `${process.execPath} -e 'fetch("${compat.url}/gyre/reset", { method: "POST" }).then(({ ok }) => process.exit(ok ? 0 : 1))'`;
  const close = async () => {
    await new Promise((resolve) => (server.close(resolve), server.closeAllConnections()));
    await compat.close();
    await session.release();
  };
  return { calls, restart, close };
}
