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
