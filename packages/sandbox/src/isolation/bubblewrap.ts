import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { programText } from '../shell/programText.js';
import { restrictedCommand } from './namespaceEntry.js';
import { NamespaceBuilder, initCommand, readySignal } from './firstProcess.js';
import { usersPerRoot, type SessionDirectory } from './sessionDirectory.js';
import { hostFiles } from './systemFiles.js';
import { agent, hostname, rootedView, sharedMemoryOf, system, view, type Place } from './view.js';
import { IsolationUnavailable, type IsolationBuilder, type IsolationPlan } from './isolationBuilder.js';

const install = 'install bubblewrap and util-linux (apt-get install bubblewrap util-linux)';
const allow =
  'allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns; in a container: check its seccomp and AppArmor profiles)';

const builds = { as: 'system', role: 'builder' } as const;

export const bubblewrapBuilder: IsolationBuilder = {
  kind: 'bubblewrap',
  buryMs: 500,
  async start(plan: IsolationPlan): Promise<NamespaceBuilder> {
    const { directory, restrictions } = plan;
    const first = ['prlimit', ...restrictions.resourceLimits.system, ...initCommand];
    const bwrap = ['bwrap', '--json-status-fd', '3'];
    if (!directory.apart) {
      // bubblewrap makes a nested namespace for the one user inside.
      const build = [...bwrap, ...oneUser(plan), ...bubblewrapArguments(plan), '--', ...first];
      return NamespaceBuilder.start(
        restrictedCommand(restrictions, ['unshare', '--user', '--map-root-user', '--', ...build], builds),
      );
    }
    const build = [...bwrap, ...manyUsers, ...bubblewrapArguments(plan), '--', ...asSystem, ...first];
    const nesting = plan.nestedNamespaces ? '' : '0';
    const lead = ['unshare', '--user', '--keep-caps', '--', 'sh', '-c', asRootInside, 'gyre', nesting, ...build];
    const command = plan.root ? plan.root.mounted(lead) : lead;
    const builder = await NamespaceBuilder.start(restrictedCommand(restrictions, command, builds));
    await builder.waitForOutput([[1, /mapping\n/]], 20_000, failure);
    mapUsers(builder.program.pid, directory);
    builder.program.write('\n');
    return builder;
  },
  async finish(builder: NamespaceBuilder, { root }: IsolationPlan): Promise<number> {
    const signs = [readySignal, [3, /"child-pid": (\d+)/]] as const;
    const [, first] = await builder.waitUntilReady(signs, 20_000, root ? rootFailure : failure);
    return Number(first![1]);
  },
};

const asRootInside = programText(new URL('./mapUsers.sh', import.meta.url));

/** For the first process, which changes its user once. */
const manyUsers = ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'];
const asSystem = [
  ...['setpriv', '--reuid', String(system.uid), '--regid', String(system.gid), '--clear-groups'],
  ...['--pdeathsig', 'SIGKILL', '--'],
];

function oneUser({ nestedNamespaces }: IsolationPlan): string[] {
  return [
    ...['--unshare-user', '--uid', String(agent.uid), '--gid', String(agent.gid)],
    ...(nestedNamespaces ? [] : ['--disable-userns']),
  ];
}

function mapUsers(pid: number, { user, systemUser, rootUser, rooted }: SessionDirectory): void {
  const lines = (pairs: readonly (readonly [inside: number, outside: number])[]) =>
    rooted ? `0 ${user.uid} ${usersPerRoot}\n` : pairs.map((pair) => `${pair.join(' ')} 1\n`).join('');
  const users = [[0, rootUser.uid] as const, [system.uid, systemUser.uid] as const, [agent.uid, user.uid] as const];
  const groups = [[0, rootUser.gid] as const, [agent.gid, user.gid] as const];
  try {
    writeFileSync(`/proc/${pid}/uid_map`, lines(users));
    writeFileSync(`/proc/${pid}/gid_map`, lines(groups));
  } catch (cause) {
    throw new GyreError('infra', `cannot map the users of a session: ${String(cause)}`, {
      part: 'machine',
      field: 'isolation',
      fix: allow,
      cause,
    });
  }
}

/** Programs of the root start first. */
function rootFailure(reason: string, code: number | null): GyreError {
  if (!/execvp|failed to execute|not found|No such file/.test(reason)) return failure(reason, code);
  return new GyreError('missing', `the root lacks programs that a session needs: ${reason}`, {
    field: 'root',
    fix: 'use a root with bash, coreutils and util-linux, such as Debian, Ubuntu or Fedora',
  });
}

function failure(reason: string, code: number | null): GyreError {
  const [, unmounted] = /^root: (.*)/m.exec(reason) ?? [];
  if (unmounted !== undefined) {
    return new GyreError('missing', `cannot mount a root of its own: ${unmounted}`, {
      field: 'root',
      fix: 'use Linux 5.19 or later, with the system on ext4, xfs, btrfs or another file system with idmapped mounts',
    });
  }
  const missing = code === 127 || /(execvp?|bwrap).*No such file/.test(reason);
  const message = missing
    ? `bubblewrap or util-linux is not installed: ${reason}`
    : `bubblewrap does not work: ${reason}`;
  return new IsolationUnavailable(missing ? 'missing' : 'infra', message, {
    part: 'machine',
    field: 'isolation',
    fix: missing ? install : allow,
  });
}

function bubblewrapArguments(plan: IsolationPlan): string[] {
  const { directory, limits, devices, root } = plan;
  const mounts = (places: readonly Place[]) =>
    withParents(places).flatMap((place) => mountArguments(place, limits.diskBytes));
  return [
    ...['pid', 'ipc', 'uts', 'net'].map((name) => `--unshare-${name}`),
    ...['--unshare-cgroup-try', '--hostname', hostname, '--clearenv'],
    // PID 1 cannot be killed from inside; its end kills all others.
    ...['--die-with-parent', '--new-session', '--as-pid-1'],
    ...(root ? mounts(rootedView(plan, root.base)) : []),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...devices.flatMap((path) => ['--dev-bind-try', path, path]),
    // On top of /dev.
    ...mounts(root ? [sharedMemoryOf(directory)] : view(plan, hostFiles())),
    ...['--remount-ro', '/dev', ...(root ? [] : ['--remount-ro', '/']), '--chdir', '/'],
  ];
}

/** Lists parent folders explicitly: those that bubblewrap adds would be inaccessible to other users. */
function withParents(places: readonly Place[]): Place[] {
  const known = new Map<string, Place>([['/', { kind: 'folder', path: '/' }]]);
  return places.flatMap((place) => {
    const parents: Place[] = [];
    for (let path = dirname(place.path); !known.has(path); path = dirname(path))
      parents.unshift({ kind: 'folder', path });
    // In a read-only bind, parents exist; the session's own disk is empty.
    const last = known.get(dirname(parents[0]?.path ?? place.path));
    const missingParents = last?.kind === 'show' && !last.writable ? [] : parents;
    for (const each of [...missingParents, place]) known.set(each.path, each);
    return [...missingParents, place];
  });
}

function mountArguments(place: Place, bytes: number): string[] {
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
