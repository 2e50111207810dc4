import type { ShellAttack } from './attack.js';

/** Attacks on processes that a verifier reads: browser, X server, window manager, buses and init. */

/** Finds those processes by command line. `call` makes a system call. */
const prelude = String.raw`
import ctypes, errno, glob, os, platform, signal, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
arm = platform.machine() == 'aarch64'
def call(x64, arm64, *args):
    ctypes.set_errno(0)
    result = libc.syscall(arm64 if arm else x64, *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    return result, ctypes.get_errno()
def line(pid):
    try: return open(f'/proc/{pid}/cmdline').read().replace('\0', ' ')
    except OSError: return ''
pids = [int(p[6:]) for p in glob.glob('/proc/[0-9]*')]
marks = ['headless', 'chrom', 'Xvfb', 'openbox', 'bus.conf', 'at-spi2', 'qemu']
mine = {os.getpid(), os.getppid()}
judges = [p for p in pids if p not in mine and (p == 1 or any(m in line(p) for m in marks)) and 'python3' not in line(p)]
def reached(what, pid=0): print('reached', what, pid, line(pid)[:60])
if len(judges) < 2: print('reached nothing to attack: the attack looks for the wrong programs')
`;

const on = ['browser machine', 'desktop'] as const;

const attack = (name: string, text: string, more: Partial<ShellAttack> = {}): ShellAttack => ({
  name,
  on,
  program: 'python3',
  text: prelude + text,
  ...more,
});

export const processAttacks: readonly ShellAttack[] = [
  attack(
    'ptrace',
    String.raw`
for p in judges:
    for request in (16, 0x4206):
        if call(101, 117, request, p, 0, 0)[0] == 0: reached('ptrace', p)`,
  ),
  attack(
    'pidfd_getfd',
    String.raw`
for p in judges:
    fd = os.pidfd_open(p)
    for n in range(20):
        if call(438, 438, fd, n, 0)[0] >= 0: reached('pidfd_getfd', p)`,
  ),
  attack(
    'process_vm_readv, process_vm_writev, process_madvise, kcmp',
    String.raw`
space = ctypes.create_string_buffer(64)
local = struct.pack('QQ', ctypes.addressof(space), 8)
for p in judges:
    for number in ((310, 270), (311, 271)):
        for address in (0x400000, 0x555555554000):
            remote = struct.pack('QQ', address, 8)
            result, error = call(*number, p, local, 1, remote, 1, 0)
            if result >= 0 or error == errno.EFAULT: reached('memory', p)
    if call(312, 272, os.getpid(), p, 0, 0, 0)[0] >= 0: reached('kcmp', p)
    if call(440, 440, os.pidfd_open(p), local, 1, 21, 0)[0] >= 0: reached('process_madvise', p)`,
  ),
  attack(
    'files of /proc',
    String.raw`
for p in judges:
    for name in ('mem', 'environ', 'maps', 'smaps', 'auxv', 'syscall', 'stack', 'io', 'personality', 'pagemap', 'map_files', 'fd', 'fdinfo', 'task'):
        path = f'/proc/{p}/{name}'
        try:
            if name == 'task':
                for thread in os.listdir(path):
                    try: open(f'{path}/{thread}/mem', 'rb').close(); reached('thread memory', p)
                    except OSError: pass
                continue
            if os.path.isdir(path): found = os.listdir(path)
            elif name == 'mem': found = open(path, 'rb')
            else: found = open(path, 'rb').read(16)
            if found: reached(name, p)
        except OSError: pass
    for name in ('exe', 'cwd', 'root', 'ns/user', 'ns/mnt'):
        try: os.readlink(f'/proc/{p}/{name}'); reached(name, p)
        except OSError: pass
    for name in ('mem', 'oom_score_adj', 'comm', 'clear_refs', 'coredump_filter', 'timerslack_ns', 'attr/current', 'uid_map'):
        try:
            with open(f'/proc/{p}/{name}', 'r+b', 0) as file: name == 'mem' or file.write(b'0'); reached('write ' + name, p)
        except OSError: pass`,
  ),
  attack(
    'priorities, processors and limits of others',
    String.raw`
import resource
for p in judges:
    for name, work in (('nice', lambda: os.setpriority(os.PRIO_PROCESS, p, 19)), ('affinity', lambda: os.sched_setaffinity(p, {0})),
        ('limits', lambda: resource.prlimit(p, resource.RLIMIT_NOFILE, (3, 3))), ('scheduler', lambda: os.sched_setscheduler(p, os.SCHED_IDLE, os.sched_param(0)))):
        try: work(); reached(name, p)
        except OSError: pass
    if call(251, 30, 1, p, 3 << 13)[0] == 0: reached('ioprio', p)
    for move in ((279, 239), (256, 238)):
        if call(*move, p, 0, 0, 0, 0, 0)[0] >= 0: reached('pages', p)`,
  ),
  attack(
    'signals',
    String.raw`
for p in judges:
    for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL, 0):
        try: os.kill(p, number); reached(f'signal {number}', p) if p != 1 else None
        except PermissionError: pass
        except ProcessLookupError: pass
    try: signal.pidfd_send_signal(os.pidfd_open(p), signal.SIGKILL); reached('pidfd signal', p) if p != 1 else None
    except OSError: pass
signal.signal(signal.SIGTERM, signal.SIG_IGN)
try: os.kill(-1, signal.SIGTERM)
except OSError: pass
for p in judges:
    if p != 1 and not os.path.exists(f'/proc/{p}'): reached('the end', p)`,
    { spoils: true },
  ),
  attack(
    'kill -9 -1',
    String.raw`
if os.fork() == 0:
    os.setsid()
    os.kill(-1, signal.SIGKILL)
    os._exit(0)
os.wait()`,
    { spoils: true },
  ),
  attack(
    'parts of the kernel that programs do not need',
    String.raw`
names = {'add_key': (248, 217), 'keyctl': (250, 219), 'bpf': (321, 280), 'perf_event_open': (298, 241), 'userfaultfd': (323, 282),
    'io_uring_setup': (425, 425), 'open_by_handle_at': (304, 265), 'fanotify_init': (300, 262), 'syslog': (103, 116), 'kexec_load': (246, 104),
    'mount': (165, 40), 'fsopen': (430, 430), 'open_tree': (428, 428), 'move_mount': (429, 429), 'pivot_root': (155, 41), 'swapon': (167, 224),
    'init_module': (175, 105), 'quotactl': (179, 60), 'acct': (163, 89), 'process_mrelease': (448, 448), 'mount_setattr': (442, 442)}
for name, numbers in names.items():
    result, error = call(*numbers, 0, 0, 0, 0, 0, 0)
    if result >= 0 or error not in (errno.EPERM, errno.ENOSYS): reached(f'{name} ({error})')
for flags in (0x10000000, 0x10020000, 0x00020000, 0x40000000, 0x20000000):
    if call(272, 97, flags)[0] == 0: reached(f'unshare {flags:x}')
if call(56, 220, 0x10000000 | 17, 0, 0, 0, 0)[0] > 0: reached('clone')
if call(435, 435, struct.pack('QQQQQQQQ', 0x10000000, 0, 0, 0, 17, 0, 0, 0), 64)[1] != errno.ENOSYS: reached('clone3')`,
  ),
  attack(
    'typing into terminals',
    String.raw`
import fcntl
for path in ['/dev/tty', '/dev/console', '/proc/self/fd/0'] + glob.glob('/dev/pts/*') + glob.glob('/dev/tty*'):
    for number in (0x5412, 0x541C):
        try: fcntl.ioctl(os.open(path, os.O_RDWR | os.O_NOCTTY), number, b'x'); reached(f'{number:x} of {path}')
        except OSError: pass`,
  ),
];
