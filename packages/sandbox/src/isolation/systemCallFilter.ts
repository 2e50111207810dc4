import { programText } from '../shell/programText.js';

/**
 * Seccomp filter (linux/seccomp.h, linux/filter.h) for what namespaces leave open: debugging other processes; sockets
 * that escape the network namespace (AF_VSOCK reaches the hypervisor); the host user's keys; typing into terminals;
 * rarely used parts of the kernel. Calls of other architectures, 32-bit included, do not exist.
 */

/**
 * `builder` becomes the first process. Inside, only `nesting` programs may make user namespaces, as Chromium's sandbox
 * does.
 */
export type Filtered = 'builder' | 'nesting' | 'inside';

interface Architecture {
  /** AUDIT_ARCH of linux/audit.h. */
  readonly audit: number;
  readonly socket: number;
  readonly ioctl: number;
  readonly clone: number;
  readonly unshare: number;
  readonly refused: Readonly<Record<string, number>>;
  /** Denied inside. */
  readonly mounting: Readonly<Record<string, number>>;
  readonly prctl: number;
  readonly seccomp: number;
  /** For a root of its own. */
  readonly entering: Readonly<Record<'setns' | 'setgroups' | 'setresgid' | 'setresuid' | 'capset', number>>;
}

const architectures: Readonly<Partial<Record<NodeJS.Architecture, Architecture>>> = {
  x64: {
    audit: 0xc000_003e,
    socket: 41,
    ioctl: 16,
    clone: 56,
    unshare: 272,
    refused: {
      ...{ ptrace: 101, process_vm_readv: 310, process_vm_writev: 311, kcmp: 312, move_pages: 279, migrate_pages: 256 },
      ...{ add_key: 248, request_key: 249, keyctl: 250, perf_event_open: 298, bpf: 321, userfaultfd: 323 },
      ...{ open_by_handle_at: 304, fanotify_init: 300, syslog: 103, lookup_dcookie: 212, quotactl: 179, acct: 163 },
      ...{ kexec_load: 246, kexec_file_load: 320, init_module: 175, finit_module: 313, delete_module: 176 },
      ...{ swapon: 167, swapoff: 168, reboot: 169 },
    },
    mounting: { mount: 165, umount2: 166, pivot_root: 155 },
    prctl: 157,
    seccomp: 317,
    entering: { setns: 308, setgroups: 116, setresgid: 119, setresuid: 117, capset: 126 },
  },
  arm64: {
    audit: 0xc000_00b7,
    socket: 198,
    ioctl: 29,
    clone: 220,
    unshare: 97,
    refused: {
      ...{ ptrace: 117, process_vm_readv: 270, process_vm_writev: 271, kcmp: 272, move_pages: 239, migrate_pages: 238 },
      ...{ add_key: 217, request_key: 218, keyctl: 219, perf_event_open: 241, bpf: 280, userfaultfd: 282 },
      ...{ open_by_handle_at: 265, fanotify_init: 262, syslog: 116, lookup_dcookie: 18, quotactl: 60, acct: 89 },
      ...{ kexec_load: 104, kexec_file_load: 294, init_module: 105, finit_module: 273, delete_module: 106 },
      ...{ swapon: 224, swapoff: 225, reboot: 142 },
    },
    mounting: { mount: 40, umount2: 39, pivot_root: 41 },
    prctl: 167,
    seccomp: 277,
    entering: { setns: 268, setgroups: 159, setresgid: 149, setresuid: 147, capset: 91 },
  },
};

/** From 424 on, architectures share the numbers. */
const refusedEverywhere = { pidfd_getfd: 438, process_madvise: 440, process_mrelease: 448, quotactl_fd: 443 } as const;
const mountingEverywhere = {
  ...{ open_tree: 428, move_mount: 429, fsopen: 430, fsconfig: 431, fsmount: 432, fspick: 433, mount_setattr: 442 },
} as const;
/** ENOSYS makes programs do without. */
const absent = { io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427 } as const;
/** Flags in memory are invisible to filters; without clone3, programs use clone. */
const clone3 = 435;
const cloneNewUser = 0x1000_0000;
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const families = [1, 2, 10, 16];
/** TIOCSTI and TIOCLINUX. */
const typing = [0x5412, 0x541c];
/** x64's x32 ABI. */
const x32 = 0x4000_0000;

const errors = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const;

/** Offsets into struct seccomp_data; low halves of arguments. */
const field = { number: 0, architecture: 4, first: 16, second: 24 } as const;

type Line =
  | { readonly load: number }
  | { readonly when: keyof typeof jumps; readonly value: number; readonly to: string }
  | { readonly label: string }
  | { readonly give: 'allow' | keyof typeof errors };

/** BPF_JMP with BPF_JEQ, BPF_JGE, BPF_JSET. */
const jumps = { equal: 0x15, least: 0x35, bit: 0x45 } as const;

function lines({ audit, socket, ioctl, clone, unshare, refused, mounting }: Architecture, role: Filtered): Line[] {
  const equal = (value: number, to: string): Line => ({ when: 'equal', value, to });
  const never = { ...refused, ...refusedEverywhere, ...(role !== 'builder' && { ...mounting, ...mountingEverywhere }) };
  return [
    { load: field.architecture },
    equal(audit, 'native'),
    { give: 'ENOSYS' },
    { label: 'native' },
    { load: field.number },
    { when: 'least', value: x32, to: 'absent' },
    equal(socket, 'socket'),
    equal(ioctl, 'ioctl'),
    ...(role === 'inside' ? [equal(clone, 'clone'), equal(unshare, 'clone'), equal(clone3, 'absent')] : []),
    ...Object.values(never).map((number) => equal(number, 'refused')),
    ...Object.values(absent).map((number) => equal(number, 'absent')),
    { give: 'allow' },
    { label: 'socket' },
    { load: field.first },
    ...families.map((family) => equal(family, 'allowed')),
    { give: 'EAFNOSUPPORT' },
    { label: 'clone' },
    { load: field.first },
    { when: 'bit', value: cloneNewUser, to: 'refused' },
    { give: 'allow' },
    { label: 'ioctl' },
    { load: field.second },
    ...typing.map((request) => equal(request, 'refused')),
    { label: 'allowed' },
    { give: 'allow' },
    { label: 'refused' },
    { give: 'EPERM' },
    { label: 'absent' },
    { give: 'ENOSYS' },
  ];
}

function assemble(program: readonly Line[]): Buffer {
  const places = new Map<string, number>();
  const instructions = program.filter((line, index) => {
    if ('label' in line) places.set(line.label, index - places.size);
    return !('label' in line);
  });
  const bytes = instructions.map((line, index) => {
    if ('load' in line) return instruction(0x20, 0, line.load);
    if ('give' in line)
      return instruction(0x06, 0, line.give === 'allow' ? 0x7fff_0000 : 0x0005_0000 | errors[line.give]);
    if ('when' in line) return instruction(jumps[line.when], places.get(line.to)! - index - 1, line.value);
    return Buffer.alloc(0);
  });
  return Buffer.concat(bytes);
}

function instruction(code: number, jump: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(jump, 2);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}

const loader = programText(new URL('./loadFilter.pl', import.meta.url));
const confiner = programText(new URL('./confine.pl', import.meta.url));

/** Returns a command under the filter and no_new_privs; null on other architectures. */
export function filtered(
  command: readonly string[],
  role: Filtered,
  architecture: NodeJS.Architecture = process.arch,
): string[] | null {
  const known = architectures[architecture];
  if (!known) return null;
  const filter = assemble(lines(known, role)).toString('hex');
  return ['perl', '-e', loader, '--', String(known.prctl), String(known.seccomp), filter, ...command];
}

/**
 * Returns a command in a Landlock domain, from which it can inspect only descendants: for enclosures in which agent and
 * system programs share a user. No effect without Landlock.
 */
export function confined(command: readonly string[]): string[] {
  return ['perl', '-e', confiner, '--', ...command];
}

const rootMounter = programText(new URL('./mountRoot.pl', import.meta.url));
const rootEnterer = programText(new URL('./enterRoot.pl', import.meta.url));

/** Lower folder and mount point, relative to a folder. */
export interface Overlay {
  readonly lower: string;
  readonly mountPoint: string;
}

/** Whether sessions can have a root of their own on this architecture. */
export const rootsKnown = architectures[process.arch] !== undefined;

/** Returns a command in a mount namespace with overlays, whose files belong to `count` users from `first`. */
export function withOverlays(
  command: readonly string[],
  { first, count, folder, overlays }: { first: number; count: number; folder: string; overlays: readonly Overlay[] },
): string[] {
  const { unshare, mounting } = architectures[process.arch]!;
  const numbers = [unshare, mounting.mount!, first, count].map(String);
  const mounts = overlays.flatMap(({ lower, mountPoint }) => [lower, mountPoint]);
  return ['perl', '-e', rootMounter, '--', ...numbers, folder, String(overlays.length), ...mounts, ...command];
}

/**
 * CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, NET_BIND_SERVICE, SYS_CHROOT and SETFCAP: enough to
 * install packages. Without SYS_ADMIN and SYS_PTRACE, nobody inside can mount, or inspect programs that enter.
 */
const rootCapabilities = [0, 1, 3, 4, 5, 6, 7, 10, 18, 31];

/** Returns a command that enters namespaces, the user namespace first, as a user of a session with its own root. */
export function enteringRoot(
  namespaces: readonly string[],
  { uid, gid }: { readonly uid: number; readonly gid: number },
  command: readonly string[],
): string[] {
  const { entering, prctl } = architectures[process.arch]!;
  const { setns, setgroups, setresgid, setresuid, capset } = entering;
  const low = uid === 0 ? rootCapabilities.reduce((bits, capability) => bits + 2 ** capability, 0) : 0;
  const numbers = [setns, setgroups, setresgid, setresuid, capset, prctl, uid, gid, low, 0, namespaces.length];
  return ['perl', '-e', rootEnterer, '--', ...numbers.map(String), ...namespaces, ...command];
}

export function unprivileged(command: readonly string[]): string[] {
  return ['setpriv', '--no-new-privs', '--', ...command];
}
