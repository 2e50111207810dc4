import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { NamespaceBuilder, readySignal, waitingInitCommand } from './firstProcess.js';
import { runOnHost } from './program.js';
import { baseEnv } from './sessionEnv.js';
import { hostFiles, imageFiles } from './systemFiles.js';
import { agent, hostname, system, view, type Place } from './view.js';
import { IsolationUnavailable, type IsolationBuilder, type IsolationPlan } from './isolationBuilder.js';

const install = 'install podman 4.3 or later and crun (apt-get install podman crun)';
const look = "check that `podman --runtime crun run` works as root, or use isolation: 'bubblewrap'";

/**
 * Needs root. Containers get no control groups, because gyre's own enforce the limits.
 *
 * @param image in podman's store, never pulled. Default: the host's system.
 */
export function podmanBuilder(image?: string): IsolationBuilder {
  return {
    kind: 'podman',
    // Podman removes the container first.
    buryMs: 10_000,
    start: (plan) => start(plan, image),
    finish,
  };
}

async function start(plan: IsolationPlan, image: string | undefined): Promise<NamespaceBuilder> {
  if (process.getuid?.() !== 0) {
    throw new IsolationUnavailable('missing', 'isolation by podman needs root', {
      field: 'isolation',
      fix: "run gyre as root, or use isolation: 'bubblewrap'",
    });
  }
  const files = image === undefined ? hostFiles() : imageFiles(await mountImage(image));
  const places = view(plan, files);
  await layOut(skeleton(plan), places, plan.directory.rootUser.uid);
  const args = [
    '-c',
    ownMounts,
    'podman',
    '--runtime',
    'crun',
    'run',
    ...podmanArguments(plan, places),
    ...waitingInitCommand,
  ];
  return NamespaceBuilder.start(['unshare', '--mount', '--propagation', 'slave', 'sh', ...args]);
}

/**
 * Podman's mounts vanish with its last process. With cgroups of both versions, crun fails if version 2 has controllers,
 * so that is hidden.
 */
const ownMounts = 'umount --lazy /sys/fs/cgroup/unified 2>/dev/null; exec "$0" "$@"';

async function finish(builder: NamespaceBuilder, plan: IsolationPlan): Promise<number> {
  // Podman is a chain of four programs, slow on a busy machine.
  await builder.waitUntilReady([readySignal], 60_000, failure);
  const first = Number(readFileSync(numberFile(plan), 'utf8'));
  for (const file of plan.restrictions.memberFiles.system) writeFileSync(file, String(first));
  if (!plan.nestedNamespaces) await forbidNamespaces(first);
  builder.program.write('\n');
  return first;
}

function failure(reason: string, code: number | null): GyreError {
  const brief = reason.replace(/^time=.*\n/gm, '');
  // Podman's own helpers, not programs of the image.
  const missing = /(podman|unshare|crun|conmon)"?:? (command )?not found|conmon binary/.test(reason);
  const within = /executable file|no setpriv/.test(reason);
  if (within && code === 127) {
    return new GyreError('missing', `the image lacks programs that a session needs: ${brief}`, {
      field: 'image',
      fix: 'use an image with bash, coreutils and util-linux, such as Debian, Ubuntu or Fedora',
    });
  }
  const message = missing ? `podman or crun is not installed: ${brief}` : `podman does not work: ${brief}`;
  return new IsolationUnavailable(missing ? 'missing' : 'infra', message, {
    part: 'machine',
    field: 'isolation',
    fix: missing ? install : look,
  });
}

/** Mounts an image read-only, for later sessions too. */
async function mountImage(image: string): Promise<string> {
  const { code, stdout, stderr } = await runOnHost('podman', ['image', 'mount', '--', image]);
  if (code === 0) return stdout.trim();
  if (code === 127 || stderr.includes('ENOENT')) throw failure('podman: not found', 127);
  throw new GyreError('bad_input', `podman has no image ${image}: ${stderr.trim().slice(0, 300)}`, {
    field: 'image',
    fix: `pull it first (podman pull ${image}); podman images lists the local ones`,
  });
}

/** Podman has no option for this. */
async function forbidNamespaces(first: number): Promise<void> {
  const script = 'echo 0 > /proc/sys/user/max_user_namespaces';
  const { code, stderr } = await runOnHost('nsenter', [`--user=/proc/${first}/ns/user`, '--', 'sh', '-c', script]);
  if (code === 0) return;
  throw new IsolationUnavailable('infra', `cannot forbid nested namespaces: ${stderr}`, {
    part: 'machine',
    field: 'isolation',
    fix: look,
  });
}

const skeleton = ({ directory }: IsolationPlan): string => join(directory.path, 'root');
const numberFile = ({ directory }: IsolationPlan): string => join(directory.path, 'first');

async function layOut(root: string, places: readonly Place[], owner: number): Promise<void> {
  mkdirSync(root, { mode: 0o755 });
  for (const place of places) {
    if (place.kind === 'folder') mkdirSync(join(root, place.path), { recursive: true, mode: 0o755 });
    if (place.kind === 'link') symlinkSync(place.to, join(root, place.path));
  }
  await runOnHost('chown', ['-hR', `${owner}:${owner}`, root]);
}

function podmanArguments(plan: IsolationPlan, places: readonly Place[]): string[] {
  const { directory, devices, limits, name } = plan;
  const { uid, gid } = directory.user;
  const { rootUser, systemUser } = directory;
  const processes = Math.min(limits.processes, 32_768);
  // Otherwise podman would mount its own.
  const without = ['/sys', '/sys/fs/cgroup'].map((path): Place => ({ kind: 'closed', path }));
  return [
    ...['--rm', '--interactive', `--name=${name}`, `--pidfile=${numberFile(plan)}`],
    ...['--cgroups=disabled', '--cgroupns=private', '--network=none', `--hostname=${hostname}`, '--no-hosts'],
    ...[`--uidmap=0:${rootUser.uid}:1`, `--uidmap=${system.uid}:${systemUser.uid}:1`, `--uidmap=${agent.uid}:${uid}:1`],
    ...[`--gidmap=0:${rootUser.gid}:1`, `--gidmap=${agent.gid}:${gid}:1`, `--user=${system.uid}:${system.gid}`],
    ...['--cap-drop=all', '--security-opt=no-new-privileges', '--read-only', '--read-only-tmpfs=false'],
    // Podman's defaults may exceed this process's limits; only the first process has these.
    ...['--ulimit=core=0:0', '--ulimit=nofile=1024:1024', `--ulimit=nproc=${processes}:${processes}`],
    ...['--http-proxy=false', '--unsetenv-all', `--env=PATH=${baseEnv.PATH}`, '--workdir=/'],
    ...['--image-volume=ignore', '--log-driver=none'],
    ...devices.filter((path) => existsSync(path)).map((path) => `--device=${path}`),
    ...[...places, ...without].flatMap((place) => mount(place, limits.diskBytes)),
    ...['--rootfs', skeleton(plan)],
  ];
}

const inert = 'nosuid,nodev,bind-propagation=rprivate';

function mount(place: Place, bytes: number): string[] {
  const { kind, path } = place;
  // By default, podman copies what lies beneath into readable memory.
  const memory = `--mount=type=tmpfs,dst=${checked(path)},notmpcopyup`;
  switch (kind) {
    case 'show':
      return [`--mount=type=bind,src=${checked(place.from)},dst=${checked(path)},ro=${!place.writable},${inert}`];
    case 'memory':
      return [`${memory},tmpfs-size=${bytes},tmpfs-mode=${place.mode},U=true`];
    case 'closed':
      return [`${memory},tmpfs-mode=0000,ro=true`];
    default:
      return [];
  }
}

/** Refuses paths that would break podman's comma-separated options. */
function checked(path: string): string {
  if (!/[,"\n]/.test(path)) return path;
  throw new GyreError('bad_input', `podman cannot mount ${JSON.stringify(path)}`, {
    field: 'readable',
    fix: 'use a path without commas, quotation marks and line breaks',
  });
}
