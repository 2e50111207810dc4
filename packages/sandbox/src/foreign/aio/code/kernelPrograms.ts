/**
 * Runs cells of Python in one namespace, as an MCP server of one tool, `run`, on its standard streams. It answers with outputs in the form
 * of notebooks.
 */
export const pythonKernel = String.raw`
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
`;

/** Runs cells of JavaScript in one REPL of Node.js, likewise. `await` works at the top level. */
export const nodeKernel = String.raw`
const repl = require('node:repl'), readline = require('node:readline'), { PassThrough } = require('node:stream');
const { inspect } = require('node:util');
const wire = process.stdout.write.bind(process.stdout);
const most = 1000000;
const server = repl.start({ prompt: '', input: new PassThrough(), output: new PassThrough(), useGlobal: true });
server.on('exit', () => process.exit());
let outputs = [], count = 0, fail = () => {};
// What a cell throws goes to the domain of the REPL, which would print it.
server._domain.removeAllListeners('error');
server._domain.on('error', (error) => fail(error));
for (const name of ['stdout', 'stderr'])
  process[name].write = (chunk, encoding, done) => {
    const last = outputs.at(-1);
    const text = String(chunk);
    if (last?.name === name) last.text = (last.text + text).slice(0, most);
    else outputs.push({ output_type: 'stream', name, text: text.slice(0, most) });
    (typeof encoding === 'function' ? encoding : done)?.();
    return true;
  };
const failed = (error) => {
  const isError = error instanceof Error || typeof error?.stack === 'string';
  const [ename, evalue] = isError ? [error.name, error.message] : ['Error', inspect(error)];
  return { output_type: 'error', ename, evalue, traceback: isError ? String(error.stack).split('\n') : [evalue] };
};
process.on('uncaughtException', (error) => outputs.push(failed(error)));
process.on('unhandledRejection', (error) => outputs.push(failed(error)));
async function run({ code, cwd, seconds }) {
  outputs = [];
  count++;
  if (cwd) process.chdir(cwd);
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('the cell took too long')), seconds * 1000);
  });
  const ended = new Promise((resolve, reject) => {
    fail = reject;
    server.eval(code + '\n', server.context, 'cell', (error, value) => (error ? reject(error) : resolve(value)));
  });
  try {
    const value = await Promise.race([ended, late]);
    if (value !== undefined)
      outputs.push({ output_type: 'execute_result', data: { 'text/plain': inspect(value).slice(0, most) }, metadata: {} });
  } catch (error) {
    outputs.push(failed(error?.err ?? error));
  }
  clearTimeout(timer);
  const status = outputs.some(({ output_type }) => output_type === 'error') ? 'error' : 'ok';
  return { status, execution_count: count, outputs };
}
async function answer(method, params) {
  if (method === 'initialize')
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'node', version: '1' } };
  if (method === 'tools/list') return { tools: [{ name: 'run', description: 'Runs a cell.', inputSchema: { type: 'object' } }] };
  if (method === 'tools/call') return { content: [{ type: 'text', text: JSON.stringify(await run(params.arguments)) }] };
  return {};
}
readline.createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined || !method) return;
  wire(JSON.stringify({ jsonrpc: '2.0', id, result: await answer(method, params) }) + '\n');
}).on('close', () => process.exit());
`;
