space = ctypes.create_string_buffer(64)
local = struct.pack('QQ', ctypes.addressof(space), 8)
for p in judges:
    for number in ((310, 270), (311, 271)):
        for address in (0x400000, 0x555555554000):
            remote = struct.pack('QQ', address, 8)
            result, error = call(*number, p, local, 1, remote, 1, 0)
            if result >= 0 or error == errno.EFAULT: reached('memory', p)
    if call(312, 272, os.getpid(), p, 0, 0, 0)[0] >= 0: reached('kcmp', p)
    if call(440, 440, os.pidfd_open(p), local, 1, 21, 0)[0] >= 0: reached('process_madvise', p)
