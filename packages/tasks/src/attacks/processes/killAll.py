if os.fork() == 0:
    os.setsid()
    os.kill(-1, signal.SIGKILL)
    os._exit(0)
os.wait()
