import type { GyreError } from '@gyre/protocol';
import { harnessed } from './entrance.js';
import { Builder, keeper, stands } from './firstProcess.js';
import { hostFiles } from './systemFiles.js';
import { agent, hostname, view, type Place } from './view.js';
import { NoWalls, type WallBuilder, type WallPlan } from './wallBuilder.js';

const install = 'install bubblewrap and util-linux (apt-get install bubblewrap util-linux)';
const allow =
  'allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns; in a container: see its seccomp and AppArmor profiles)';

/** Walls by bubblewrap, for root and for ordinary users. */
export const bubblewrapWalls: WallBuilder = {
  kind: 'bubblewrap',
  buryMs: 500,
  start(plan: WallPlan): Promise<Builder> {
    const { directory, harness } = plan;
    const inside = ['prlimit', ...harness.resourceLimits, ...keeper];
    const { uid, gid } = directory.user;
    // As root, bubblewrap runs as the session's own user; for an ordinary user, in a user namespace that is his.
    const lead =
      process.getuid?.() === 0
        ? ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--']
        : ['unshare', '--user', '--map-root-user', '--'];
    const build = [...lead, 'bwrap', '--json-status-fd', '3', ...bubblewrapArguments(plan), '--', ...inside];
    return Builder.start(harnessed(harness, build));
  },
  async stand(builder: Builder): Promise<number> {
    const [, first] = await builder.standing([stands, [3, /"child-pid": (\d+)/]], 20_000, failure);
    return Number(first![1]);
  },
};

function failure(reason: string, code: number | null): GyreError {
  const missing = code === 127 || /(execvp?|bwrap).*No such file/.test(reason);
  const message = missing ? `what builds the walls is not installed: ${reason}` : `bubblewrap does not work: ${reason}`;
  return new NoWalls(missing ? 'missing' : 'infra', message, {
    part: 'machine',
    field: 'isolation',
    fix: missing ? install : allow,
  });
}

/** Arguments of bubblewrap for one session, up to the program. */
function bubblewrapArguments({ directory, limits, readable, nestedNamespaces, devices }: WallPlan): string[] {
  return [
    ...['user', 'pid', 'ipc', 'uts', 'net'].map((name) => `--unshare-${name}`),
    '--unshare-cgroup-try',
    ...['--uid', String(agent.uid), '--gid', String(agent.gid), '--hostname', hostname, '--clearenv'],
    // The first process has no other: it cannot be killed from inside, and its end is the end of all.
    ...['--die-with-parent', '--new-session', '--as-pid-1'],
    ...(nestedNamespaces ? [] : ['--disable-userns']),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...devices.flatMap((path) => ['--dev-bind-try', path, path]),
    ...view(directory, hostFiles(), readable).flatMap((place) => laid(place, limits.diskBytes)),
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', agent.home],
  ];
}

function laid(place: Place, bytes: number): string[] {
  const { kind, path } = place;
  switch (kind) {
    case 'show':
      return [place.writable ? '--bind' : '--ro-bind', place.from, path];
    case 'link':
      return ['--symlink', place.to, path];
    case 'folder':
      return ['--perms', '0755', '--dir', path];
    case 'memory':
      return ['--perms', place.mode, '--size', String(bytes), '--tmpfs', path];
    case 'closed':
      return ['--perms', '0000', '--tmpfs', path, '--remount-ro', path];
  }
}
