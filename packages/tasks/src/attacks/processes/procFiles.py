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
        except OSError: pass
