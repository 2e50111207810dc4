import fcntl
for path in ['/dev/tty', '/dev/console', '/proc/self/fd/0'] + glob.glob('/dev/pts/*') + glob.glob('/dev/tty*'):
    for number in (0x5412, 0x541C):
        try: fcntl.ioctl(os.open(path, os.O_RDWR | os.O_NOCTTY), number, b'x'); reached(f'{number:x} of {path}')
        except OSError: pass
