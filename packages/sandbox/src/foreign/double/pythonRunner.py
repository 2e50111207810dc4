import contextlib, io, json, sys, traceback, types
sources = json.loads(sys.argv[1])
for name, source in sources.items():
    module = types.ModuleType(name)
    module.__path__ = []
    sys.modules[name] = module
    exec(source, module.__dict__)
out = sys.stdout
for line in sys.stdin:
    events = sys.modules['pyautogui']._events
    events.clear()
    stdout, stderr, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        try:
            exec(json.loads(line), {'__name__': '__main__'})
        except BaseException:
            code = 1
            traceback.print_exc()
    out.write(json.dumps([code, stdout.getvalue(), stderr.getvalue(), events]) + '\n')
    out.flush()
