"""An MCP server of one tool, `run`, which runs cells in one namespace and returns outputs as notebooks have them."""

import ast, asyncio, inspect, json, os, signal, sys, tempfile, traceback

MOST = 1000000
wire_in, wire_out = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
# Programs that a cell starts read and write where it does.
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
scope = {"__name__": "__main__", "__builtins__": __builtins__}
loop = asyncio.new_event_loop()
count = 0


def late(*_):
    raise TimeoutError("the cell took too long")


signal.signal(signal.SIGALRM, late)


def evaluated(code):
    tree = ast.parse(code, "<cell>")
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value = None
    for part, mode in ((tree, "exec"), (last, "eval")):
        if part is None:
            continue
        value = eval(compile(part, "<cell>", mode, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), scope)
        if inspect.iscoroutine(value):
            value = loop.run_until_complete(value)
    return value if last else None


def run(code, seconds, cwd=None):
    global count
    count += 1
    if cwd:
        os.chdir(cwd)
    outputs, result, failure = [], None, None
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            value = evaluated(code)
            signal.setitimer(signal.ITIMER_REAL, 0)
            if value is not None:
                scope["_"] = value
                result = repr(value)
        except BaseException as error:
            signal.setitimer(signal.ITIMER_REAL, 0)
            frames = traceback.format_exception(type(error), error, error.__traceback__)
            failure = {
                "output_type": "error",
                "ename": type(error).__name__,
                "evalue": str(error),
                "traceback": [frame for frame in frames if "in evaluated" not in frame and "in run\n" not in frame],
            }
        sys.stdout.flush()
        sys.stderr.flush()
        for name, file in (("stdout", out), ("stderr", err)):
            file.seek(0)
            text = file.read(MOST).decode("utf-8", "replace")
            if text:
                outputs.append({"output_type": "stream", "name": name, "text": text})
        os.dup2(2, 1)
    if result is not None:
        data = {"text/plain": result[:MOST]}
        outputs.append({"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": count})
    if failure:
        outputs.append(failure)
    return {"status": "error" if failure else "ok", "execution_count": count, "outputs": outputs}


def answer(method, params):
    if method == "initialize":
        info = {"name": "python", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [{"name": "run", "description": "Runs a cell.", "inputSchema": {"type": "object"}}]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": json.dumps(run(**params["arguments"]))}]}
    return {}


os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
for line in wire_in:
    request = json.loads(line)
    if "id" in request and "method" in request:
        result = answer(request["method"], request.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), file=wire_out, flush=True)
