"""An MCP server of one tool, `run`, which holds a Jupyter kernel. sys.argv[1]: how many characters of a cell's output are returned."""

import importlib.util, json, queue, re, subprocess, sys, time

MOST = int(sys.argv[1])
GRACE = 5
ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


class Output:
    """The first and the last characters of what a cell writes."""

    def __init__(self):
        self.head, self.tail, self.gone, self.open = "", "", 0, False

    def add(self, text):
        if not text:
            return
        room = MOST // 2 - len(self.head)
        self.head += text[:room]
        rest = self.tail + text[room:]
        over = max(0, len(rest) - MOST // 2)
        self.gone += over
        self.tail = rest[over:]
        self.open = not text.endswith("\n")

    def line(self, text):
        self.add(("\n" if self.open else "") + text + "\n")

    def text(self):
        middle = "\n[… %d characters left out …]\n" % self.gone if self.gone else ""
        return self.head + middle + self.tail


class Missing(Exception):
    pass


class Kernel:
    def __init__(self):
        for name in ("ipykernel", "jupyter_client"):
            importlib.invalidate_caches()
            if importlib.util.find_spec(name) is None:
                raise Missing("its Python has no " + name)
        from jupyter_client.manager import KernelManager

        self.manager = KernelManager()
        # Standard output is for MCP.
        self.manager.start_kernel(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.client = self.manager.client()
        self.client.start_channels()
        try:
            self.client.wait_for_ready(timeout=60)
        except RuntimeError as error:
            self.close()
            raise Missing("the kernel does not start: %s" % error)

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def replied(self, request):
        while True:
            try:
                reply = self.client.get_shell_msg(timeout=0)
            except queue.Empty:
                return False
            if reply["parent_header"].get("msg_id") == request:
                return True

    def run(self, code, seconds, output):
        """Runs a cell; whether the kernel can be used on."""
        # A kernel that stops on errors also leaves out, without a word, the cell that comes in the moment after one.
        request = self.client.execute(code, allow_stdin=False, stop_on_error=False)
        end = time.monotonic() + seconds
        interrupted = replied = False
        while True:
            try:
                message = self.client.get_iopub_msg(timeout=0.2)
            except queue.Empty:
                message = None
            if message is not None and message["parent_header"].get("msg_id") == request:
                if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                    break
                tell(message["msg_type"], message["content"], output)
            # A kernel that writes faster than it is read may lose the message that says it is idle.
            replied = replied or self.replied(request)
            if message is None and replied:
                break
            if message is None and not self.manager.is_alive():
                output.line("(the kernel has died: its variables are lost, and the next cell starts another)")
                return False
            if time.monotonic() < end:
                continue
            if interrupted:
                output.line("(it could not be interrupted: the kernel was ended, and its variables are lost)")
                return False
            interrupted = True
            end += GRACE
            self.manager.interrupt_kernel()
        if interrupted:
            output.line("(interrupted after %g s)" % seconds)
        return True


def tell(kind, content, output):
    if kind == "stream":
        output.add(ANSI.sub("", content["text"]))
    elif kind in ("execute_result", "display_data", "update_display_data"):
        data = content["data"]
        if "text/plain" in data:
            output.line(data["text/plain"])
        for name in data:
            if name.startswith("image/"):
                output.line("(a picture, %s, which is not shown here: save it and look at it on the screen)" % name)
        if not data.get("text/plain") and not any(name.startswith("image/") for name in data):
            output.line("(a value that has no text: %s)" % ", ".join(data))
    elif kind == "error":
        output.line(ANSI.sub("", "\n".join(content["traceback"]) or content["ename"] + ": " + content["evalue"]))


kernel = None


def call(arguments):
    global kernel
    output = Output()
    try:
        kernel = kernel or Kernel()
        if not kernel.run(arguments["code"], arguments["seconds"], output):
            lost, kernel = kernel, None
            lost.close()
    except Missing as problem:
        return {"content": [{"type": "text", "text": str(problem)}], "isError": True}
    except (TypeError, UnicodeError) as problem:
        output.line("(the cell is no text: %s)" % problem)
    text = output.text() or "(no output)"
    return {"content": [{"type": "text", "text": text.encode("utf-8", "replace").decode("utf-8")}]}


SCHEMA = {
    "type": "object",
    "properties": {"code": {"type": "string"}, "seconds": {"type": "number"}},
    "required": ["code", "seconds"],
}


def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "gyre.jupyter", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [{"name": "run", "description": "Runs a cell.", "inputSchema": SCHEMA}]}
    if method == "tools/call":
        return call(params["arguments"])
    return {}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request and "method" in request:
        result = answer(request["method"], request.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
if kernel is not None:
    kernel.close()
