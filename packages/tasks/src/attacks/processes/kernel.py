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
if call(435, 435, struct.pack('QQQQQQQQ', 0x10000000, 0, 0, 0, 17, 0, 0, 0), 64)[1] != errno.ENOSYS: reached('clone3')
