/**
 * What programs of a session may not ask of the kernel, as a seccomp filter (linux/seccomp.h, linux/filter.h). It covers
 * what namespaces do not: families of sockets that reach past the network namespace, as AF_VSOCK reaches the hypervisor;
 * the keys of the user who runs gyre; typing into terminals; and large parts of the kernel that hardly a program needs.
 * System calls for other kinds of processor, 32-bit ones among them, do not exist.
 */

interface Architecture {
  /** AUDIT_ARCH of linux/audit.h. */
  readonly audit: number;
  readonly socket: number;
  readonly ioctl: number;
  /** add_key, request_key, keyctl, perf_event_open, bpf, userfaultfd, open_by_handle_at. */
  readonly refused: readonly number[];
  readonly prctl: number;
  readonly seccomp: number;
}

const architectures: Readonly<Partial<Record<NodeJS.Architecture, Architecture>>> = {
  x64: {
    audit: 0xc000_003e,
    socket: 41,
    ioctl: 16,
    refused: [248, 249, 250, 298, 321, 323, 304],
    prctl: 157,
    seccomp: 317,
  },
  arm64: {
    audit: 0xc000_00b7,
    socket: 198,
    ioctl: 29,
    refused: [217, 218, 219, 241, 280, 282, 265],
    prctl: 167,
    seccomp: 277,
  },
};

/** Not there at all, so that programs do without: io_uring_setup, io_uring_enter, io_uring_register; the same everywhere. */
const absent = [425, 426, 427];
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const families = [1, 2, 10, 16];
/** TIOCSTI and TIOCLINUX type into a terminal. */
const typing = [0x5412, 0x541c];
/** Numbers from here on are of the x32 variant of x64. */
const x32 = 0x4000_0000;

const errors = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const;

/** Offsets into struct seccomp_data; of the arguments, the lower halves. */
const field = { number: 0, architecture: 4, first: 16, second: 24 } as const;

type Line =
  | { readonly load: number }
  /** Goes on at a label when the value is equal to, or at least, a constant. */
  | { readonly when: 'equal' | 'least'; readonly value: number; readonly to: string }
  | { readonly label: string }
  | { readonly give: 'allow' | keyof typeof errors };

function lines({ audit, socket, ioctl, refused }: Architecture): Line[] {
  const equal = (value: number, to: string): Line => ({ when: 'equal', value, to });
  return [
    { load: field.architecture },
    equal(audit, 'native'),
    { give: 'ENOSYS' },
    { label: 'native' },
    { load: field.number },
    { when: 'least', value: x32, to: 'absent' },
    equal(socket, 'socket'),
    equal(ioctl, 'ioctl'),
    ...refused.map((number) => equal(number, 'refused')),
    ...absent.map((number) => equal(number, 'absent')),
    { give: 'allow' },
    { label: 'socket' },
    { load: field.first },
    ...families.map((family) => equal(family, 'allowed')),
    { give: 'EAFNOSUPPORT' },
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

/** Lines as struct sock_filter, 8 bytes each. */
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
    if ('when' in line)
      return instruction(line.when === 'equal' ? 0x15 : 0x35, places.get(line.to)! - index - 1, line.value);
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

/** Perl is the one program on nearly every Linux that can make any system call: no other loads a filter. */
const loader = `
my ($prctl, $seccomp, $filter) = (0 + shift, 0 + shift, pack("H*", shift));
my $program = pack("S x6 P", length($filter) / 8, $filter);
syscall($prctl, 38, 1, 0, 0, 0) == 0 && syscall($seccomp, 1, 0, $program) == 0 or exit 125;
exec { $ARGV[0] } @ARGV or exit 127;`;

/**
 * Arguments that make a program, and all that it starts, unable to gain privileges and subject to the filter; null on
 * processors that it was not written for.
 */
export function filtered(
  command: readonly string[],
  architecture: NodeJS.Architecture = process.arch,
): string[] | null {
  const known = architectures[architecture];
  if (!known) return null;
  const filter = assemble(lines(known)).toString('hex');
  return ['perl', '-e', loader, '--', String(known.prctl), String(known.seccomp), filter, ...command];
}

/** The same without the filter. */
export function unprivileged(command: readonly string[]): string[] {
  return ['setpriv', '--no-new-privs', '--', ...command];
}
