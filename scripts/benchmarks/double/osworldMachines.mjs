// Stands in for a Docker daemon and for VMware's vmrun: OSWorld's own providers start machines by Docker's API on a Unix socket, and by a program on
// the PATH. Every machine is a fresh desktop of gyre behind OSWorld's in-VM server, at the ports that the provider has asked for.
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { compatTerms, serveCompat } from '../../../packages/sandbox/dist/index.js';

/** Ports inside the machine: server, Chrome, VNC, VLC. */
const [serverPort, ...forwarded] = [5000, 9222, 8080];

/** VMware's machines have an address of their own. */
const vmwareAddress = '127.0.0.9';

class Machine {
  /** @param ports of the host, by those of the machine */
  static async start(sandbox, host, ports) {
    const machine = new Machine();
    machine.session = await sandbox.lease({
      kind: 'desktop',
      ...compatTerms.osworld,
      ttlMs: 2 ** 31 - 1,
      waitMs: 60_000,
    });
    const { session } = machine;
    for (const port of forwarded) await session.forward(port, { host, port: ports[port] });
    machine.server = await serveCompat({ session, protocol: 'osworld', host, port: ports[serverPort] });
    return machine;
  }

  async stop() {
    await this.server.close();
    await this.session.release();
  }
}

/** Starts both. `env` makes OSWorld's code find them; `started` counts machines by provider. */
export async function startOsworldMachines(sandbox, folder) {
  const started = { docker: 0, vmware: 0 };
  const containers = new Map();
  let vm;
  const socket = join(folder, 'docker.sock');
  const bin = join(folder, 'bin');
  const statusOf = ({ id, ports }) => ({
    Id: id,
    State: { Status: 'running', Running: true },
    NetworkSettings: {
      Ports: Object.fromEntries(
        Object.entries(ports).map(([port, host]) => [`${port}/tcp`, [{ HostIp: '0.0.0.0', HostPort: `${host}` }]]),
      ),
    },
    Config: { Image: 'happysixd/osworld-docker' },
    Image: 'sha256:0',
  });
  const docker = {
    'GET /version': () => ({ ApiVersion: '1.47', MinAPIVersion: '1.24', Version: '27.0.0' }),
    'GET /containers/json': () => [...containers.values()].map(({ id }) => ({ Id: id })),
    'POST /containers/create': (_id, { Image, HostConfig }) => {
      if (Image !== 'happysixd/osworld-docker' || !HostConfig.Binds[0].endsWith(':/System.qcow2:ro'))
        throw new Error('not OSWorld');
      const id = `${containers.size + started.docker}`.padStart(64, 'a');
      const ports = Object.fromEntries(
        Object.entries(HostConfig.PortBindings).map(([port, [{ HostPort }]]) => [
          Number.parseInt(port),
          Number(HostPort),
        ]),
      );
      containers.set(id, { id, ports });
      return { Id: id, Warnings: [] };
    },
    'GET /containers/ID/json': (id) => statusOf(containers.get(id)),
    'POST /containers/ID/start': async (id) => {
      started.docker++;
      containers.get(id).machine = await Machine.start(sandbox, '127.0.0.1', containers.get(id).ports);
    },
    'POST /containers/ID/stop': (id) => containers.get(id).machine?.stop(),
    'DELETE /containers/ID': (id) => void containers.delete(id),
  };
  const vmrun = {
    list: () => `Total running VMs: ${vm ? 1 : 0}\n${vm?.path ?? ''}\n`,
    start: async (path) => {
      started.vmware++;
      const ports = Object.fromEntries([serverPort, ...forwarded].map((port) => [port, port]));
      vm = { path, machine: await Machine.start(sandbox, vmwareAddress, ports) };
      return '';
    },
    getGuestIPAddress: () => `${vmwareAddress}\n`,
    revertToSnapshot: () => vmrun.stop(),
    stop: async () => {
      const { machine } = vm ?? {};
      vm = undefined;
      await machine?.stop();
      return '';
    },
  };
  // One call at a time, as a start takes seconds.
  let last = Promise.resolve();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const answer = async () => {
      if (request.url === '/vmrun') {
        const [, , command, path] = JSON.parse(body);
        return response.end(await vmrun[command](path));
      }
      const { pathname } = new URL(request.url.replace(/^\/v[\d.]+/, ''), 'http://docker');
      const id = /^\/containers\/([0-9a-f]{64})/.exec(pathname)?.[1];
      const route = docker[`${request.method} ${id === undefined ? pathname : pathname.replace(id, 'ID')}`];
      if (!route || (id !== undefined && !containers.has(id)))
        return response.writeHead(404).end('{"message":"no such thing"}');
      const result = await route(id, body === '' ? undefined : JSON.parse(body));
      if (result === undefined) return response.writeHead(204).end();
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(result));
    };
    last = last.then(answer).catch((error) => response.writeHead(500).end(JSON.stringify({ message: error.message })));
  });
  await mkdir(bin, { recursive: true });
  const script = `#!/usr/bin/python3
import http.client, json, socket, sys
class Daemon(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(${JSON.stringify(socket)})
daemon = Daemon("localhost")
daemon.request("POST", "/vmrun", json.dumps(sys.argv[1:]))
sys.stdout.write(daemon.getresponse().read().decode())
`;
  await writeFile(join(bin, 'vmrun'), script);
  await chmod(join(bin, 'vmrun'), 0o755);
  await new Promise((resolve) => server.listen(socket, resolve));
  const running = () => containers.size + (vm ? 1 : 0);
  const close = async () => {
    for (const { machine } of containers.values()) await machine?.stop();
    await vmrun.stop();
    await new Promise((resolve) => server.close(resolve));
    await rm(socket, { force: true });
  };
  return { env: { DOCKER_HOST: `unix://${socket}`, PATH: `${bin}:${process.env.PATH}` }, started, running, close };
}
