import { fileURLToPath } from 'node:url';
import { SandboxClient } from '@gyre/sandbox';

/** `node traceClient.test.fixture.js URL TOKEN` leases a shell with tracing as of the command `gyre`, and uses it. */
const tracing = fileURLToPath(new URL('../../cli/dist/process/tracing.js', import.meta.url));
const { startTracing } = (await import(tracing)) as { startTracing: () => () => Promise<void> };
const flush = startTracing();
const [, , url = '', token = ''] = process.argv;
const session = await new SandboxClient({ url, token }).lease({ kind: 'shell', waitMs: 20_000 });
await session.shell.run('echo traced');
await session.release();
await flush();
