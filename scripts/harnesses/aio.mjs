// Serves a session and lets the official client of the AIO sandbox call all its methods (aio.py). PYTHON names a Python that has the client:
// pip install agent-sandbox==0.0.30. The kind of the session is the argument: browser, or desktop.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Sandbox, serveCompat } from '../../packages/sandbox/dist/index.js';

const [kind = 'browser'] = process.argv.slice(2);
const sandbox = await Sandbox.start({});
try {
  const size = { width: 1280, height: 720 };
  const session = await sandbox.lease({ kind, size, ...(kind === 'browser' && { clock: 'free' }) });
  const server = await serveCompat({ session, protocol: 'aio' });
  const driver = fileURLToPath(new URL('aio.py', import.meta.url));
  const child = spawn(process.env.PYTHON ?? 'python3', [driver, server.url], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  await server.close();
  process.exitCode = code ?? 1;
} finally {
  await sandbox.close();
}
