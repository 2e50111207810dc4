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
    if p != 1 and not os.path.exists(f'/proc/{p}'): reached('the end', p)
