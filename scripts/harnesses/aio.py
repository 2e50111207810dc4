"""Calls every method of the official client of the AIO sandbox and judges each answer by its content.

Needs Python 3.10 or later with `pip install agent-sandbox==0.0.30`. Takes the address of a server; `npm run test:harness:aio` starts one.

Prints a line for each call that does not answer rightly. An error of status 501 that names what is missing is counted by itself: it is
clear, but no answer. Exits with 1 where a call answers wrongly.
"""

import inspect
import io
import json
import sys
import time
import zipfile

from agent_sandbox import Sandbox
from agent_sandbox.browser import (
    Action_Click,
    Action_DoubleClick,
    Action_Hotkey,
    Action_MoveTo,
    Action_Press,
    Action_Scroll,
    Action_Typing,
    Action_Wait,
)
from agent_sandbox.core.api_error import ApiError

client = Sandbox(base_url=sys.argv[1], timeout=60)
checks = {}


def call(name):
    def register(function):
        checks[name] = function
        return function

    return register


def equal(answer, expected):
    assert answer == expected, f"{answer!r} is not {expected!r}"


def contains(answer, expected):
    assert expected in answer, f"{expected!r} is not in {answer!r}"


def png(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) > 200, f"no PNG: {data[:40]!r}"


PAGE = """<!doctype html><title>Form</title><meta charset="utf-8">
<style>body{margin:0;font:16px sans-serif} button{position:absolute;left:0;top:0;width:200px;height:100px}</style>
<button id="press" onclick="this.textContent='pressed '+(++n)">press</button>
<div style="margin-top:120px"><h1>Heading</h1><p>A paragraph with <a href="second.html">a link</a>.</p>
<input id="name" placeholder="name"><input id="other"><input id="tick" type="checkbox">
<select id="choice"><option value="a">A</option><option value="b">B</option></select>
<input id="upload" type="file"><p id="hover" onmouseover="this.textContent='hovered'">hover here</p></div>
<div style="height:3000px"></div><p id="end">the end</p>
<script>let n=0;console.log('loaded the form');localStorage.setItem('kept','yes')</script>"""


def evaluate(expression):
    data = client.browser_page.evaluate(expression=expression).data
    return data["result"] if isinstance(data, dict) and "result" in data else data


class Place:
    home = "/tmp"
    site = "http://127.0.0.1:8123"


# The machine.


@call("sandbox.get_context")
def _():
    answer = client.sandbox.get_context()
    assert answer.home_dir.startswith("/")
    Place.home = answer.home_dir
    assert answer.detail.runtime.python and answer.detail.runtime.python[0].ver, "no version of Python"
    assert answer.detail.runtime.nodejs and answer.detail.runtime.nodejs[0].ver, "no version of Node.js"
    assert answer.detail.system.os_version, "no version of the system"


@call("sandbox.get_python_packages")
def _():
    contains(json.dumps(client.sandbox.get_python_packages().data).lower(), "pip")


@call("sandbox.get_nodejs_packages")
def _():
    assert client.sandbox.get_nodejs_packages().data is not None


@call("sandbox.register_hook")
def _():
    hook = client.sandbox.register_hook(name="bye", command="touch bye", event="shutdown", priority=5).data
    equal((hook.name, hook.command, hook.priority), ("bye", "touch bye", 5))


@call("sandbox.list_hooks")
def _():
    contains([hook.name for hook in client.sandbox.list_hooks(event="shutdown").data], "bye")


@call("sandbox.remove_hook")
def _():
    client.sandbox.remove_hook("bye")
    equal([hook.name for hook in client.sandbox.list_hooks().data], [])


@call("auth.create_ticket")
def _():
    assert any(isinstance(value, str) and len(value) > 8 for value in client.auth.create_ticket().values())


@call("auth.authenticate")
def _():
    assert client.auth.authenticate()


# Bash sessions.


@call("bash.create_session")
def _():
    session = client.bash.create_session(session_id="b1", exec_dir="/tmp").data
    equal((session.session_id, session.status, session.working_dir), ("b1", "ready", "/tmp"))


@call("bash.exec")
def _():
    first = client.bash.exec(session_id="b1", command="pwd; X=kept; cd /; echo bad >&2").data
    equal((first.stdout, first.stderr, first.exit_code, first.status), ("/tmp\n", "bad\n", 0, "completed"))
    second = client.bash.exec(session_id="b1", command='echo "$X in $PWD with $Y"; (exit 3)', env={"Y": "why"}).data
    equal((second.stdout, second.exit_code), ("kept in / with why\n", 3))
    equal(client.bash.exec(session_id="b1", command='echo "[$Y]"').data.stdout, "[]\n")
    late = client.bash.exec(session_id="b1", command="sleep 30", hard_timeout=1).data
    equal(late.status, "timed_out")
    equal(client.bash.exec(session_id="b1", command="echo $X").data.stdout, "kept\n")


@call("bash.output")
def _():
    command = "echo one; sleep 1; echo two; echo three >&2"
    started = client.bash.exec(session_id="b1", command=command, async_mode=True).data
    equal(started.status, "running")
    seen, offset, errors = "", 0, 0
    for _ in range(20):
        part = client.bash.output(
            session_id="b1", command_id=started.command_id, offset=offset, stderr_offset=errors, wait=True, wait_timeout=3
        ).data
        seen += part.stdout + part.stderr
        offset, errors = part.offset, part.stderr_offset
        if part.command.status != "running":
            break
    equal((sorted(seen.split()), part.command.exit_code), (["one", "three", "two"], 0))


@call("bash.write")
def _():
    started = client.bash.exec(session_id="b2", command="read line; echo got $line", timeout=0.5).data
    equal(started.status, "running")
    assert client.bash.write(session_id="b2", input="hello\n").success
    time.sleep(1)
    part = client.bash.output(session_id="b2", command_id=started.command_id).data
    equal((part.stdout, part.command.status), ("got hello\n", "completed"))


@call("bash.kill")
def _():
    started = client.bash.exec(session_id="b2", command="sleep 60", async_mode=True).data
    time.sleep(0.5)
    assert client.bash.kill(session_id="b2", signal="SIGTERM").success
    time.sleep(1)
    assert client.bash.output(session_id="b2", command_id=started.command_id).data.command.status in ("killed", "completed")
    equal(client.bash.exec(session_id="b2", command="echo alive").data.stdout, "alive\n")


@call("bash.sessions")
def _():
    found = {session.session_id: session for session in client.bash.sessions().data}
    assert {"b1", "b2"} <= set(found), found
    assert found["b1"].command_count >= 4


@call("bash.close_session")
def _():
    for session in ("b1", "b2"):
        assert client.bash.close_session(session).success
    assert not {"b1", "b2"} & {session.session_id for session in client.bash.sessions().data}


# Shell sessions: terminals.


@call("shell.create_session")
def _():
    session = client.shell.create_session(id="s1", exec_dir="/tmp").data
    equal((session.session_id, session.working_dir), ("s1", "/tmp"))


@call("shell.exec_command")
def _():
    first = client.shell.exec_command(id="s1", command="export X=kept; cd /; pwd").data
    equal((first.output.strip(), first.exit_code, first.status), ("/", 0, "completed"))
    second = client.shell.exec_command(id="s1", command='echo "$X in $PWD"; (exit 3)').data
    equal((second.output.strip(), second.exit_code), ("kept in /", 3))
    contains([record.command for record in second.console], 'echo "$X in $PWD"; (exit 3)')
    late = client.shell.exec_command(id="s1", command="sleep 30", hard_timeout=1).data
    equal(late.status, "hard_timeout")
    quiet = client.shell.exec_command(id="s2", command="echo a; sleep 3", no_change_timeout=1).data
    equal(quiet.status, "no_change_timeout")


@call("shell.view")
def _():
    started = client.shell.exec_command(id="s3", command="read -p 'name? ' n; echo hello $n", async_mode=True).data
    equal(started.status, "running")
    time.sleep(1)
    shown = client.shell.view(id="s3").data
    contains(shown.output, "name?")
    equal((shown.status, shown.session_id), ("running", "s3"))


@call("shell.write_to_process")
def _():
    assert client.shell.write_to_process(id="s3", input="you", press_enter=True).data.status
    time.sleep(0.5)
    shown = client.shell.view(id="s3").data
    contains(shown.output, "hello you")
    equal((shown.status, shown.exit_code), ("completed", 0))


@call("shell.wait_for_process")
def _():
    client.shell.exec_command(id="s3", command="sleep 1; echo waited", async_mode=True)
    equal(client.shell.wait_for_process(id="s3", seconds=10).data.status, "completed")
    contains(client.shell.view(id="s3").data.output, "waited")


@call("shell.kill_process")
def _():
    client.shell.exec_command(id="s3", command="sleep 60", async_mode=True)
    equal(client.shell.kill_process(id="s3").data.status, "terminated")
    equal(client.shell.exec_command(id="s3", command="echo alive").data.output.strip(), "alive")


@call("shell.update_session")
def _():
    assert client.shell.update_session(id="s3", no_change_timeout=1).success
    equal(client.shell.exec_command(id="s3", command="sleep 3").data.status, "no_change_timeout")


@call("shell.list_sessions")
def _():
    sessions = client.shell.list_sessions().data.sessions
    assert {"s1", "s3"} <= set(sessions), sessions
    equal(sessions["s1"].working_dir, "/")


@call("shell.get_session_stats")
def _():
    stats = client.shell.get_session_stats().data
    assert stats.total_sessions >= 2 and stats.max_sessions >= stats.total_sessions


@call("shell.get_terminal_url")
def _():
    assert client.shell.get_terminal_url().data.startswith("http")


@call("shell.cleanup_session")
def _():
    assert client.shell.cleanup_session("s1").success
    assert "s1" not in client.shell.list_sessions().data.sessions


@call("shell.cleanup_all_sessions")
def _():
    assert client.shell.cleanup_all_sessions().success
    equal(client.shell.list_sessions().data.sessions, {})


# Files, in the home and elsewhere.


@call("file.write_file")
def _():
    for folder in (Place.home, "/tmp"):
        path = f"{folder}/aio/notes.txt"
        equal(client.file.write_file(file=path, content="one\ntwo\nthree\n").data.bytes_written, 14)
        client.file.write_file(file=path, content="four", append=True, trailing_newline=True)
    client.file.write_file(file=f"{Place.home}/aio/page.bin", content="AAH/", encoding="base64")


@call("file.read_file")
def _():
    for folder in (Place.home, "/tmp"):
        equal(client.file.read_file(file=f"{folder}/aio/notes.txt").data.content, "one\ntwo\nthree\nfour\n")
    part = client.file.read_file(file=f"{Place.home}/aio/notes.txt", start_line=1, end_line=3).data.content
    equal(part.rstrip("\n"), "two\nthree")


@call("file.replace_in_file")
def _():
    path = f"{Place.home}/aio/notes.txt"
    equal(client.file.replace_in_file(file=path, old_str="two", new_str="2").data.replaced_count, 1)
    contains(client.file.read_file(file=path).data.content, "one\n2\nthree")


@call("file.search_in_file")
def _():
    found = client.file.search_in_file(file=f"{Place.home}/aio/notes.txt", regex="^t.*e").data
    equal((found.matches, len(found.line_numbers)), (["three"], 1))


@call("file.find_files")
def _():
    equal(client.file.find_files(path=f"{Place.home}/aio", glob="*.txt").data.files, [f"{Place.home}/aio/notes.txt"])


@call("file.grep_files")
def _():
    found = client.file.grep_files(
        path=f"{Place.home}/aio", pattern="THREE", include=["*.txt"], case_insensitive=True, context_before=1
    ).data
    equal((found.match_count, found.files_matched), (1, 1))
    match = found.matches[0]
    equal((match.file, match.line_number, match.line_content), (f"{Place.home}/aio/notes.txt", 3, "three"))
    equal(match.context_before, ["2"])


@call("file.glob_files")
def _():
    found = client.file.glob_files(path=Place.home, pattern="**/*.txt", include_metadata=True, sort_by="name").data
    match = [file for file in found.files if file.path == f"{Place.home}/aio/notes.txt"]
    equal((len(match), match[0].name), (1, "notes.txt"))
    assert match[0].size > 5 and match[0].modified_time


@call("file.upload_file")
def _():
    path = f"{Place.home}/aio/up.bin"
    answer = client.file.upload_file(file=("up.bin", b"\x00\x01\xff" * 100), path=path).data
    equal((answer.file_path, answer.file_size, answer.success), (path, 300, True))


@call("file.download_file")
def _():
    equal(b"".join(client.file.download_file(path=f"{Place.home}/aio/up.bin")), b"\x00\x01\xff" * 100)


@call("file.list_path")
def _():
    listed = client.file.list_path(
        path=f"{Place.home}/aio", file_types=[".txt"], include_size=True, include_permissions=True
    ).data
    equal([(file.name, file.is_directory) for file in listed.files], [("notes.txt", False)])
    assert listed.files[0].size > 5 and listed.files[0].permissions
    tree = client.file.list_path(path="/tmp", recursive=True, max_depth=2).data
    contains([file.path for file in tree.files], "/tmp/aio/notes.txt")


@call("file.str_replace_editor")
def _():
    path = f"{Place.home}/aio/edited.txt"
    edit = client.file.str_replace_editor
    edit(command="create", path=path, file_text="a\nb\nb\n")
    contains(edit(command="view", path=path, view_range=[2, 3]).data.output, "b")
    edit(command="str_replace", path=path, old_str="b", new_str="c", replace_mode="LAST")
    equal(edit(command="insert", path=path, insert_line=1, new_str="new").data.new_content, "a\nnew\nb\nc\n")
    edit(command="undo_edit", path=path)
    equal(client.file.read_file(file=path).data.content, "a\nb\nc\n")
    assert edit(command="str_replace", path=path, old_str="nowhere", new_str="x").data.error


@call("file.watch_create")
def _():
    answer = client.file.watch_create(path=f"{Place.home}/aio", recursive=True)
    data = answer.get("data", answer)
    Place.watcher = data.get("watcher_id") or data["id"]


@call("file.watch_list")
def _():
    contains(json.dumps(client.file.watch_list()), Place.watcher)


@call("file.watch_poll")
def _():
    client.file.write_file(file=f"{Place.home}/aio/watched.txt", content="new")
    contains(json.dumps(client.file.watch_poll(Place.watcher, since=0, timeout=5)), "watched.txt")


@call("file.watch_events")
def _():
    answer = client.file.watch_events(Place.watcher)
    contains(answer if isinstance(answer, str) else json.dumps(answer), "watched.txt")


@call("file.watch_wait")
def _():
    client.bash.exec(command=f"sleep 1; echo x > {Place.home}/aio/later.txt", async_mode=True)
    contains(json.dumps(client.file.watch_wait(path=f"{Place.home}/aio/later.txt", timeout=10)), "later.txt")


@call("file.watch_stop")
def _():
    client.file.watch_stop(Place.watcher)
    assert Place.watcher not in json.dumps(client.file.watch_list())


# Code.


@call("code.get_info")
def _():
    equal({info.language for info in client.code.get_info().data.languages}, {"python", "javascript"})
    assert all(info.runtime_version for info in client.code.get_info().data.languages)


@call("code.execute_code")
def _():
    equal(client.code.execute_code(language="python", code="print(6 * 7)").data.stdout, "42\n")
    equal(client.code.execute_code(language="javascript", code="console.log(6 * 7)").data.stdout, "42\n")
    failed = client.code.execute_code(language="python", code="1 / 0").data
    assert failed.status == "error" and "ZeroDivisionError" in json.dumps([failed.traceback, failed.stderr])
    client.code.execute_code(language="python", code="x = 5", stateful=True, session_id="c1")
    kept = client.code.execute_code(language="python", code="print(x)", stateful=True, session_id="c1").data
    contains((kept.stdout or "") + json.dumps(kept.outputs), "5")


@call("jupyter.get_info")
def _():
    contains(client.jupyter.get_info().data.available_kernels, "python3")


@call("jupyter.create_session")
def _():
    equal(client.jupyter.create_session(session_id="j1", cwd="/tmp").data.session_id, "j1")


@call("jupyter.execute_code")
def _():
    run = client.jupyter.execute_code
    first = run(code="import os\nx = 20\nprint('hi')\nx * 2", session_id="j1").data
    kinds = {output.output_type: output for output in first.outputs}
    equal((first.status, kinds["stream"].text, kinds["execute_result"].data["text/plain"]), ("ok", "hi\n", "40"))
    second = run(code="print(x, os.getcwd())", session_id="j1").data
    equal((second.outputs[0].text, second.execution_count), ("20 /tmp\n", 2))
    failed = run(code="1 / 0", session_id="j1").data
    equal((failed.status, failed.outputs[0].ename), ("error", "ZeroDivisionError"))


@call("jupyter.list_sessions")
def _():
    contains(client.jupyter.list_sessions().data.sessions, "j1")


@call("jupyter.delete_session")
def _():
    assert client.jupyter.delete_session("j1").success
    assert "j1" not in client.jupyter.list_sessions().data.sessions


@call("jupyter.delete_sessions")
def _():
    client.jupyter.create_session(session_id="j2")
    assert client.jupyter.delete_sessions().success
    equal(client.jupyter.list_sessions().data.sessions, {})


@call("nodejs.get_info")
def _():
    info = client.nodejs.get_info().data
    assert info.node_version.lstrip("v")[0].isdigit() and "javascript" in info.supported_languages


@call("nodejs.create_session")
def _():
    session = client.nodejs.create_session(session_id="n1", cwd="/tmp", max_idle_time=100).data
    equal((session.session_id, session.created, session.session.cwd), ("n1", True, "/tmp"))


@call("nodejs.execute_code")
def _():
    run = client.nodejs.execute_code
    answer = run(
        code="const fs=require('fs');console.log(fs.readFileSync(0,'utf8')+fs.readFileSync('a.txt','utf8'));console.error('e')",
        stdin="in ",
        files={"a.txt": "file"},
    ).data
    equal((answer.stdout, answer.stderr, answer.exit_code), ("in file\n", "e\n", 0))
    assert run(code="process.exit(3)").data.exit_code == 3
    run(code="let x = 20; const f = async () => x + 1", stateful=True, session_id="n1")
    kept = run(code="console.log(await f(), process.cwd())", stateful=True, session_id="n1").data
    equal((kept.stdout, kept.status, kept.session_id), ("21 /tmp\n", "ok", "n1"))
    equal(run(code="throw new Error('no')", stateful=True, session_id="n1").data.status, "error")


@call("nodejs.list_sessions")
def _():
    contains(client.nodejs.list_sessions().data.sessions, "n1")


@call("nodejs.get_session")
def _():
    session = client.nodejs.get_session("n1").data.session
    equal((session.session_id, session.max_idle_time), ("n1", 100))


@call("nodejs.update_session")
def _():
    answer = client.nodejs.update_session("n1", max_idle_time=50, cwd="/").data
    equal((answer.updated, answer.session.max_idle_time, answer.session.cwd), (True, 50, "/"))
    equal(client.nodejs.execute_code(code="console.log(process.cwd())", stateful=True, session_id="n1").data.stdout, "/\n")


@call("nodejs.delete_session")
def _():
    assert client.nodejs.delete_session("n1").data.deleted
    assert "n1" not in client.nodejs.list_sessions().data.sessions


# The browser.


@call("browser.get_info")
def _():
    info = client.browser.get_info().data
    assert info.viewport.width >= 320 and info.user_agent
    import urllib.request

    base = info.cdp_url.replace("ws", "http", 1) if info.cdp_url.startswith("ws") else info.cdp_url
    with urllib.request.urlopen(f"{base.rstrip('/')}/json/version") as answer:
        assert "webSocketDebuggerUrl" in json.load(answer)


@call("browser_page.navigate")
def _():
    client.file.write_file(file=f"{Place.home}/site/index.html", content=PAGE)
    client.file.write_file(file=f"{Place.home}/site/second.html", content="<title>Second</title><p>second page")
    command = f"cd {Place.home}/site && python3 -m http.server 8123 --bind 127.0.0.1"
    client.bash.exec(command=command, async_mode=True)
    time.sleep(2)
    answer = client.browser_page.navigate(url=f"{Place.site}/index.html", wait_until="load").data
    contains(json.dumps(answer), Place.site)
    equal(evaluate("document.title"), "Form")


@call("browser_page.evaluate")
def _():
    contains(json.dumps(client.browser_page.evaluate(expression="({sum: 6 * 7})").data), '"sum": 42')


@call("browser.screenshot")
def _():
    png(b"".join(client.browser.screenshot()))


@call("browser.execute_action")
def _():
    act = client.browser.execute_action
    equal(act(request=Action_Click(x=50, y=50)).action_performed, "CLICK")
    equal(evaluate("document.getElementById('press').textContent"), "pressed 1")
    act(request=Action_MoveTo(x=60, y=60))
    act(request=Action_DoubleClick(x=50, y=50))
    equal(evaluate("n"), 3)
    evaluate("document.getElementById('name').focus()")
    act(request=Action_Typing(text="typed"))
    act(request=Action_Hotkey(keys=["ctrl", "a"]))
    act(request=Action_Press(key="Delete"))
    act(request=Action_Wait(duration=0.2))
    equal(evaluate("document.getElementById('name').value"), "")
    act(request=Action_Scroll(dy=-3))
    time.sleep(0.5)
    assert evaluate("scrollY") > 0
    evaluate("scrollTo(0, 0)")


@call("browser_page.click")
def _():
    before = evaluate("n")
    client.browser_page.click(selector="#press")
    client.browser_page.click(x=20, y=20, click_count=1)
    equal(evaluate("n"), before + 2)


@call("browser_page.get_elements")
def _():
    elements = client.browser_page.get_elements().data
    contains(json.dumps(elements), "press")
    assert len(elements) >= 5


@call("browser_page.fill")
def _():
    client.browser_page.fill(selector="#name", text="filled")
    equal(evaluate("document.getElementById('name').value"), "filled")


@call("browser_page.type_text")
def _():
    evaluate("document.getElementById('name').focus()")
    client.browser_page.type_text(text=" more", delay=5)
    contains(evaluate("document.getElementById('name').value"), "more")


@call("browser_page.press_key")
def _():
    before = evaluate("document.getElementById('name').value")
    client.browser_page.press_key(key="Backspace")
    equal(len(evaluate("document.getElementById('name').value")), len(before) - 1)


@call("browser_page.hot_key")
def _():
    client.browser_page.hot_key(keys=["Control", "a"])
    client.browser_page.press_key(key="Delete")
    equal(evaluate("document.getElementById('name').value"), "")


@call("browser_page.hover")
def _():
    client.browser_page.hover(selector="#hover")
    equal(evaluate("document.getElementById('hover').textContent"), "hovered")


@call("browser_page.select_option")
def _():
    client.browser_page.select_option(selector="#choice", label="B")
    equal(evaluate("document.getElementById('choice').value"), "b")


@call("browser_page.check")
def _():
    client.browser_page.check(selector="#tick")
    equal(evaluate("document.getElementById('tick').checked"), True)


@call("browser_page.uncheck")
def _():
    client.browser_page.uncheck(selector="#tick")
    equal(evaluate("document.getElementById('tick').checked"), False)


@call("browser_page.upload_file")
def _():
    client.browser_page.upload_file(selector="#upload", files=[f"{Place.home}/aio/notes.txt"])
    equal(evaluate("document.getElementById('upload').files[0].name"), "notes.txt")


@call("browser_page.fill_form")
def _():
    client.browser_page.fill_form(items=[{"selector": "#name", "value": "x"}, {"selector": "#other", "value": "y"}])
    equal(evaluate("['name','other'].map(id=>document.getElementById(id).value)"), ["x", "y"])


@call("browser_page.scroll")
def _():
    client.browser_page.scroll(direction="down", amount=400)
    time.sleep(0.5)
    assert evaluate("scrollY") > 0


@call("browser_page.scroll_to")
def _():
    client.browser_page.scroll_to(x=0, y=700)
    equal(evaluate("scrollY"), 700)


@call("browser_page.scroll_to_element")
def _():
    client.browser_page.scroll_to_element(selector="#end")
    assert evaluate("scrollY") > 1500
    client.browser_page.scroll_to(x=0, y=0)


@call("browser_page.screenshot")
def _():
    png(b"".join(client.browser_page.screenshot(full_page=True)))
    equal(b"".join(client.browser_page.screenshot(format="jpeg", quality=50))[:2], b"\xff\xd8")


@call("browser_page.get_html")
def _():
    contains(client.browser_page.get_html().data, 'id="press"')


@call("browser_page.get_text")
def _():
    contains(client.browser_page.get_text().data, "A paragraph with a link")


@call("browser_page.get_markdown")
def _():
    contains(json.dumps(client.browser_page.get_markdown().data), "[a link]")


@call("browser_page.find_text")
def _():
    equal(len(client.browser_page.find_text(keyword="paragraph").data), 1)


@call("browser_page.get_console")
def _():
    client.browser_page.reload()
    time.sleep(0.3)
    contains(json.dumps(client.browser_page.get_console().data), "loaded the form")


@call("browser_page.export_console")
def _():
    assert client.browser_page.export_console(save_path=f"{Place.home}/aio/console.json").success
    contains(client.file.read_file(file=f"{Place.home}/aio/console.json").data.content, "loaded the form")


@call("browser_page.reload")
def _():
    evaluate("document.title = 'changed'")
    client.browser_page.reload()
    equal(evaluate("document.title"), "Form")


@call("browser_page.back")
def _():
    client.browser_page.navigate(url=f"{Place.site}/second.html")
    client.browser_page.back()
    equal(evaluate("document.title"), "Form")


@call("browser_page.forward")
def _():
    client.browser_page.forward()
    equal(evaluate("document.title"), "Second")
    client.browser_page.back()


@call("browser_page.wait")
def _():
    evaluate("setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<i id=late>late</i>'), 500)")
    assert client.browser_page.wait(type="selector", selector="#late", timeout=5).success
    assert client.browser_page.wait(type="load", state="load").success
    assert client.browser_page.wait(type="function", expression="document.title === 'Form'", timeout=5).success
    assert client.browser_page.wait(type="timeout", timeout=0.1).success
    assert client.browser_page.wait(type="url", url="**/index.html", timeout=1).success


@call("browser_page.record")
def _():
    path = f"{Place.home}/aio/page.webm"
    client.browser_page.record(action="start", save_path=path, fps=5)
    time.sleep(1)
    contains(json.dumps(client.browser_page.record(action="status").data), "recording")
    client.browser_page.record(action="stop")
    assert len(b"".join(client.file.download_file(path=path))) > 500


@call("browser_cookies.set_cookies")
def _():
    assert client.browser_cookies.set_cookies(cookies=[{"name": "a", "value": "1", "url": Place.site}]).success
    contains(evaluate("document.cookie"), "a=1")


@call("browser_cookies.get_cookies")
def _():
    equal([(c["name"], c["value"]) for c in client.browser_cookies.get_cookies(urls=Place.site).data], [("a", "1")])
    equal(client.browser_cookies.get_cookies(urls="http://other.test").data, [])


@call("browser_state.save")
def _():
    assert client.browser_state.save(path=f"{Place.home}/aio/state.json").success
    contains(client.file.read_file(file=f"{Place.home}/aio/state.json").data.content, "kept")


@call("browser_cookies.clear_cookies")
def _():
    client.browser_cookies.clear_cookies()
    equal(client.browser_cookies.get_cookies().data, [])


@call("browser_state.load")
def _():
    assert client.browser_state.load(path=f"{Place.home}/aio/state.json").success
    equal([c["name"] for c in client.browser_cookies.get_cookies().data], ["a"])


@call("browser_network.set_headers")
def _():
    assert client.browser_network.set_headers(headers={"x-every": "1"}).success


@call("browser_network.set_scoped_headers")
def _():
    assert client.browser_network.set_scoped_headers(origin=Place.site, headers={"x-scoped": "2"}).success


@call("browser_network.add_route")
def _():
    response = {"status": 200, "body": "<title>Mocked</title>", "content_type": "text/html"}
    client.browser_network.add_route(url_pattern="**/mocked", response=response)
    client.browser_network.add_route(url_pattern="**/gone", abort=True)
    client.browser_page.navigate(url=f"{Place.site}/mocked")
    equal(evaluate("document.title"), "Mocked")
    equal(evaluate("fetch('/gone').then(() => 'came', () => 'failed')"), "failed")


@call("browser_network.remove_route")
def _():
    client.browser_network.remove_route(url_pattern="**/mocked")
    client.browser_page.navigate(url=f"{Place.site}/mocked")
    assert evaluate("document.title") != "Mocked"


@call("browser_network.get_requests")
def _():
    client.browser_page.navigate(url=f"{Place.site}/index.html?tracked")
    time.sleep(0.3)
    tracked = client.browser_network.get_requests(filter="tracked", limit=5).data
    assert len(tracked) == 1 and tracked[0]["status"] == 200, tracked


@call("browser_network.export_har")
def _():
    client.browser_network.export_har(save_path=f"{Place.home}/aio/page.har")
    har = json.loads(client.file.read_file(file=f"{Place.home}/aio/page.har").data.content)
    entry = [entry for entry in har["log"]["entries"] if "tracked" in entry["request"]["url"]][0]
    sent = {header["name"].lower(): header["value"] for header in entry["request"]["headers"]}
    equal((sent.get("x-every"), sent.get("x-scoped")), ("1", "2"))


@call("browser_captcha.detect")
def _():
    data = client.browser_captcha.detect().data
    assert data is not None and not (data if isinstance(data, bool) else data["detected"])


@call("browser_captcha.wait")
def _():
    equal(client.browser_captcha.wait(timeout=1).data.resolved, True)


@call("browser_tabs.create")
def _():
    assert client.browser_tabs.create(url=f"{Place.site}/second.html").success
    equal(evaluate("document.title"), "Second")


@call("browser_tabs.list")
def _():
    tabs = client.browser_tabs.list().data
    equal([tab["url"].split("/")[-1] for tab in tabs], ["index.html?tracked", "second.html"])


@call("browser_tabs.activate")
def _():
    client.browser_tabs.activate(0)
    equal(evaluate("document.title"), "Form")


@call("browser_tabs.close")
def _():
    client.browser_tabs.close(1)
    equal(len(client.browser_tabs.list().data), 1)


@call("browser.get_proxy_pac")
def _():
    client.browser.get_proxy_pac()


@call("browser.set_config")
def _():
    client.browser.set_config(resolution={"width": 800, "height": 600})
    info = client.browser.get_info().data
    equal((info.viewport.width, info.viewport.height), (800, 600))


@call("browser.restart")
def _():
    assert client.browser.restart(request={"mode": "soft"}).success
    equal(evaluate("document.title"), "Form")


@call("display.record")
def _():
    path = f"{Place.home}/aio/display.mp4"
    equal(client.display.record(action="start", save_path=path, fps=5).data.status, "recording")
    time.sleep(1)
    equal(client.display.record(action="status").data.status, "recording")
    stopped = client.display.record(action="stop").data
    equal((stopped.status, stopped.save_path), ("stopped", path))
    assert stopped.file_size_bytes > 500
    equal(len(b"".join(client.file.download_file(path=path))), stopped.file_size_bytes)


# Tools, skills, the network.


@call("mcp.list_mcp_servers")
def _():
    Place.servers = client.mcp.list_mcp_servers().data
    assert Place.servers


@call("mcp.list_mcp_tools")
def _():
    Place.tools = [tool.name for tool in client.mcp.list_mcp_tools(Place.servers[0]).data.tools]
    assert Place.tools


@call("mcp.execute_mcp_tool")
def _():
    answer = client.mcp.execute_mcp_tool(Place.servers[0], "run", request={"command": "echo $((6 * 7))"}).data
    contains(answer.content[0].text, "42")


def skill():
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("greet/SKILL.md", "---\nname: greet\ndescription: Greets people\n---\nSay hello.\n")
    return archive.getvalue()


@call("skills.register_skills")
def _():
    answer = client.skills.register_skills(file=("greet.zip", skill(), "application/zip"), path=f"{Place.home}/skills").data
    equal((answer.count, answer.registered[0].name), (1, "greet"))


@call("skills.list_metadata")
def _():
    found = client.skills.list_metadata(names="greet").data.skills
    equal([(s.name, s.metadata["description"]) for s in found], [("greet", "Greets people")])


@call("skills.get_content")
def _():
    contains(client.skills.get_content("greet").data.content, "Say hello.")


@call("skills.delete_skill")
def _():
    equal(client.skills.delete_skill("greet").data.name, "greet")
    equal(client.skills.list_metadata().data.skills or [], [])


@call("skills.clear_skills")
def _():
    assert client.skills.clear_skills().success


@call("util.convert_to_markdown")
def _():
    contains(json.dumps(client.util.convert_to_markdown(uri=f"{Place.site}/index.html").data), "# Heading")


@call("proxy.list_mappings")
def _():
    equal(client.proxy.list_mappings().data, [])


@call("proxy.add_mapping")
def _():
    mapping = client.proxy.add_mapping(source="app.example.test", target="8123").data
    equal((mapping.source_host, mapping.internal_port), ("app.example.test", 8123))
    client.browser_page.navigate(url="http://app.example.test/second.html")
    equal(evaluate("document.title"), "Second")


@call("proxy.diagnose")
def _():
    answer = client.proxy.diagnose(url="http://app.example.test/").data
    assert answer.matched_mapping and answer.target_reachable


@call("proxy.remove_mapping")
def _():
    assert client.proxy.remove_mapping("app.example.test").success
    equal(client.proxy.list_mappings().data, [])


@call("proxy.list_excludes")
def _():
    equal(client.proxy.list_excludes().data, [])


@call("proxy.add_exclude")
def _():
    client.proxy.add_exclude(pattern="*.example.org")
    equal(client.proxy.list_excludes().data, ["*.example.org"])


@call("proxy.remove_exclude")
def _():
    client.proxy.remove_exclude(pattern="*.example.org")
    equal(client.proxy.list_excludes().data, [])


@call("proxy.set_upstream")
def _():
    equal(client.proxy.set_upstream(server="127.0.0.1:3128").data.addr, "127.0.0.1:3128")


@call("proxy.get_upstream")
def _():
    answer = client.proxy.get_upstream()
    assert answer.success


@call("proxy.remove_upstream")
def _():
    assert client.proxy.remove_upstream().success
    equal(client.proxy.get_upstream().data, None)


def methods():
    """Returns every method of the client's groups, by name."""
    for group in sorted(name for name in dir(type(client)) if not name.startswith("_")):
        if not isinstance(getattr(type(client), group), property):
            continue
        for name, _ in inspect.getmembers(getattr(client, group), inspect.ismethod):
            if not name.startswith("_"):
                yield f"{group}.{name}"


def main():
    every = set(methods())
    lacking = every ^ set(checks)
    assert not lacking, f"the client and the checks differ: {sorted(lacking)}"
    right, refused, wrong = 0, 0, 0
    for name, check in checks.items():
        try:
            check()
            right += 1
        except ApiError as error:
            message = error.body.get("message", "") if isinstance(error.body, dict) else ""
            if error.status_code == 501 and message:
                refused += 1
                print(f"refused  {name}: {message}", flush=True)
            else:
                wrong += 1
                print(f"wrong    {name}: {error.status_code} {str(error.body)[:200]}", flush=True)
        except Exception as error:
            wrong += 1
            print(f"wrong    {name}: {type(error).__name__} {str(error)[:300]}", flush=True)
    print(f"{right} of {len(checks)} calls answer rightly, {refused} say what is missing, {wrong} answer wrongly")
    sys.exit(1 if wrong else 0)


main()
