import os, socket
for path in ('/proc/net/tcp', '/proc/net/tcp6', '/proc/net/udp', '/proc/net/udp6'):
    for line in open(path).read().splitlines()[1:]:
        words = line.split()
        if words[3] in ('0A', '07') and words[7] != str(os.getuid()): print('reached', path, words[1])
for line in open('/proc/net/unix').read().splitlines()[1:]:
    words = line.split()
    if len(words) < 8 or not words[7].startswith('@'): continue
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        try: socket.socket(socket.AF_UNIX, kind).connect('\0' + words[7][1:]); print('reached', line)
        except OSError: pass
