"""Drives `gyre serve sandbox --compat osworld` by OSWorld's official clients, and counts the calls that answer rightly.

The clients are PythonController and SetupController of PyPI desktop-env 1.0.2, and the programs that UI-TARS' parser (PyPI ui-tars)
prints for pyautogui. A call answers rightly where its answer, the session's files or the inputs that reached the screen are what OSWorld's
own server would lead to.

    python3 -m venv venv
    venv/bin/pip install --no-deps desktop-env==1.0.2 ui-tars==0.5.1
    venv/bin/pip install -r scripts/harnesses/requirements.txt
    venv/bin/pip install --target modules pyautogui pyperclip
    venv/bin/python scripts/harnesses/osworld.py --python-packages modules

Needs a built checkout, what desktops need (`gyre doctor`), mousepad, chromium-headless-shell, python3-tk and xclip.
"""

import argparse
import functools
import http.server
import importlib.machinery
import io
import json
import os
import pathlib
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import types

here = pathlib.Path(__file__).resolve().parent


def stub_metrics():
    """Lets SetupController import one function of the evaluators without the 40 packages that the others need."""
    import desktop_env

    folder = pathlib.Path(desktop_env.__file__).parent / "evaluators"
    for name, path in (("evaluators", folder), ("evaluators.metrics", folder / "metrics")):
        package = types.ModuleType(f"desktop_env.{name}")
        package.__path__ = [str(path)]
        package.__spec__ = importlib.machinery.ModuleSpec(package.__name__, None, is_package=True)
        sys.modules[package.__name__] = package
    sys.modules.setdefault("formulas", types.ModuleType("formulas"))


try:
    import requests
    from PIL import Image

    stub_metrics()
    import desktop_env.controllers.setup as setup_module
    from desktop_env.controllers.python import PythonController
    from desktop_env.controllers.setup import SetupController
    from desktop_env.providers.aws.proxy_pool import get_global_proxy_pool
    from ui_tars.action_parser import parsing_response_to_pyautogui_code
except ImportError as error:
    sys.exit(f"{error}\n\n{__doc__}")

WIDTH, HEIGHT = 1920, 1080
HOME = "/home/user"
PASSWORD = "password"

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--gyre", default=str(here.parent.parent), help="a built checkout (default: this one)")
parser.add_argument("--python-packages", help="a folder with pyautogui and pyperclip for the session")
parser.add_argument("--only", default="", help="checks whose names match this regular expression")
options = parser.parse_args()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A server of the checkout, with as many of the flags as it knows."""

    def __init__(self):
        gyre = ["node", f"{options.gyre}/packages/cli/bin/gyre.mjs", "serve", "sandbox"]
        known = subprocess.run([*gyre, "--help"], capture_output=True, text=True).stdout
        self.port, self.chromium_port = free_port(), free_port()
        command = [*gyre, "--compat", "osworld", "--port", str(self.port)]
        if "--forward" in known:
            command += ["--forward", str(self.chromium_port)]
        if options.python_packages and "--python-packages" in known:
            command += ["--python-packages", os.path.abspath(options.python_packages)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        line = self.process.stdout.readline()
        if "http://" not in line:
            sys.exit(f"the server did not start: {line}{self.process.stdout.read()}")
        # What it says later is read, so that it never waits for a reader.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def close(self):
        self.process.terminate()
        self.process.wait(30)


class Downloads:
    """A web server with one file, as those that tasks name are downloaded."""

    def __init__(self, content):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/file"


class Impatient:
    """`time` for SetupController: its pauses between tries of a browser are cut."""

    def __getattr__(self, name):
        return getattr(time, name)

    @staticmethod
    def sleep(seconds):
        time.sleep(min(seconds, 0.3))


setup_module.time = Impatient()

server = Server()
folder = pathlib.Path(tempfile.mkdtemp(prefix="osworld-clients-"))
client = PythonController("127.0.0.1", server.port)
client.retry_interval = 0
setup = SetupController(
    "127.0.0.1",
    server_port=server.port,
    chromium_port=server.chromium_port,
    cache_dir=str(folder),
    client_password=PASSWORD,
    screen_width=WIDTH,
    screen_height=HEIGHT,
)

checks = []
failed = []


def check(name, probe=False):
    """Registers a call of a client; it answers rightly where the function does not raise. `probe`: it needs the field that hears inputs."""

    def register(function):
        checks.append((name, probe, function))
        return function

    return register


def equal(found, expected):
    assert found == expected, f"{str(found)[:300]!r}, not {str(expected)[:300]!r}"


def until(found, fits, seconds=4):
    """Asks again until the answer fits."""
    end = time.monotonic() + seconds
    while True:
        value = found()
        if fits(value):
            return value
        assert time.monotonic() < end, f"{str(value)[-700:]!r}"
        time.sleep(0.1)


def bash(script):
    """Looks into the session, past the call that is checked."""
    answer = requests.post(f"{client.http_server}/run_bash_script", json={"script": script, "timeout": 30})
    answer.raise_for_status()
    return answer.json()["output"]


def events():
    lines = bash("tr -d '\\0' < ~/probe.log").splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def typed():
    return bash("cat ~/probe.txt")


def empty():
    bash("kill -USR1 $(cat ~/probe.pid)")
    until(lambda: (typed(), events()), lambda now: now == ("", []))


def seen():
    """Returns what reached the field, for those who read why a call is wrong."""
    inputs = [f"{event['kind']} {event['detail']} {event['x']},{event['y']}" for event in events()]
    return typed(), " | ".join(inputs)


def kinds(*wanted):
    return [(event["kind"], event["detail"]) for event in events() if event["kind"] in wanted]


def doubled():
    """Whether there were two clicks that make one double click. The first may double one of the check before."""
    return kinds("down") == [("down", 1)] * 2 and kinds("double")[-1:] == [("double", 1)]


def at(kind):
    return [(event["x"], event["y"]) for event in events() if event["kind"] == kind]


def answered(answer):
    assert answer is not None and answer.get("returncode") == 0, f"{answer}"


# --- PythonController


@check("get_screenshot")
def _():
    equal(Image.open(io.BytesIO(client.get_screenshot())).size, (WIDTH, HEIGHT))


@check("get_vm_screen_size")
def _():
    equal(client.get_vm_screen_size(), {"width": WIDTH, "height": HEIGHT})


@check("get_vm_platform")
def _():
    equal(client.get_vm_platform(), "Linux")


@check("get_vm_desktop_path")
def _():
    equal(client.get_vm_desktop_path(), f"{HOME}/Desktop")


@check("get_vm_directory_tree of the desktop")
def _():
    equal(client.get_vm_directory_tree(f"{HOME}/Desktop"), {"type": "directory", "name": "Desktop", "children": []})


@check("get_vm_directory_tree of a folder of the system")
def _():
    assert client.get_vm_directory_tree("/usr/share/applications")["children"]


@check("get_vm_wallpaper of a new session")
def _():
    equal(Image.open(io.BytesIO(client.get_vm_wallpaper())).size, (WIDTH, HEIGHT))


@check("run_bash_script")
def _():
    answer = client.run_bash_script("echo out; echo err >&2; pwd; exit 3", working_dir="/tmp")
    equal((answer["returncode"], answer["output"]), (3, "out\nerr\n/tmp\n"))


@check("run_bash_script for longer than its time")
def _():
    equal(client.run_bash_script("sleep 20", timeout=1)["returncode"], -1)


@check("run_python_script")
def _():
    equal(client.run_python_script("import os; print(os.path.expanduser('~'))")["output"], f"{HOME}\n")


@check("run_python_script that fails")
def _():
    equal(client.run_python_script("raise SystemExit(3)")["status"], "error")


@check("execute_python_command that prints")
def _():
    equal(client.execute_python_command("print(6 * 7)")["output"], "42\n")


@check("execute_python_command with variables and the size")
def _():
    answer = client.execute_python_command("w, h = pyautogui.size(); print(w, h)")
    equal(answer["output"], f"{WIDTH} {HEIGHT}\n")


# --- SetupController: files

PICTURE = io.BytesIO()
Image.new("RGB", (960, 540), (10, 200, 30)).save(PICTURE, "PNG")
CONTENT = bytes(range(256)) * 50_000


def upload(path, content):
    local = folder / "upload"
    local.write_bytes(content)
    setup._upload_file_setup([{"local_path": str(local), "path": path}])


for place in (f"{HOME}/Desktop/a file.bin", "~/b.bin", "/tmp/c.bin", "/tmp/new/d.bin", "/dev/shm/e.bin"):

    @check(f"upload_file to {place}")
    def _(place=place):
        upload(place, CONTENT)
        quoted = place.replace("~", "$HOME")
        equal(bash(f'wc -c < "{quoted}"').strip(), str(len(CONTENT)))

    @check(f"get_file {place}")
    def _(place=place):
        equal(client.get_file(place), CONTENT)


@check("get_file of the system")
def _():
    assert f"user:x:1000:1000:user:{HOME}:" in client.get_file("/etc/passwd").decode()


@check("get_file where there is none")
def _():
    equal(client.get_file(f"{HOME}/none"), None)


@check("download")
def _():
    downloads = Downloads(b"of a task")
    setup._download_setup([{"url": downloads.url, "path": f"{HOME}/Downloads/task.txt"}])
    equal(bash(f"cat {HOME}/Downloads/task.txt"), "of a task")


@check("change_wallpaper")
def _():
    upload("/tmp/green.png", PICTURE.getvalue())
    setup._change_wallpaper_setup("/tmp/green.png")
    until(lambda: Image.open(io.BytesIO(client.get_screenshot())).convert("RGB").getpixel((5, 5)), (10, 200, 30).__eq__)


@check("get_vm_wallpaper")
def _():
    equal(client.get_vm_wallpaper(), PICTURE.getvalue())


# --- SetupController: commands


@check("execute, a list")
def _():
    setup._execute_setup(["bash", "-c", "echo $0 done > ~/executed", "{SCREEN_WIDTH}"])
    equal(bash("cat ~/executed"), f"{WIDTH} done\n")


@check("execute, a shell, with files for its outputs")
def _():
    setup._execute_setup("echo out; echo err >&2", shell=True, stdout="out.txt", stderr="err.txt")
    equal(((folder / "out.txt").read_text(), (folder / "err.txt").read_text()), ("out\n", "err\n"))


@check("execute until it prints something")
def _():
    count = "echo x >> ~/count; test $(wc -l < ~/count) -ge 3 && echo enough"
    setup._execute_setup(count, shell=True, until={"stdout": "enough"})
    equal(bash("wc -l < ~/count").strip(), "3")


@check("command")
def _():
    setup._command_setup(["touch", f"{HOME}/Desktop/commanded"])
    equal(bash(f"ls {HOME}/Desktop/commanded"), f"{HOME}/Desktop/commanded\n")


@check("execute by sudo with the password")
def _():
    command = "echo {CLIENT_PASSWORD} | sudo -S bash -c 'mkdir -p /tmp/by-sudo && cat > /tmp/by-sudo/rest'"
    setup._execute_setup(command, shell=True, stderr="sudo.txt")
    equal(bash("ls /tmp/by-sudo; cat /tmp/by-sudo/rest"), "rest\n")
    assert "no root" in (folder / "sudo.txt").read_text()


@check("execute_with_verification of a command")
def _():
    answer = setup._execute_with_verification_setup(
        ["bash", "-c", "touch ~/verified"], verification={"command_success": f"test -f {HOME}/verified"}
    )
    equal(answer["verification"], "passed")


@check("execute_with_verification of what does not come")
def _():
    try:
        setup._execute_with_verification_setup(["true"], verification={"window_exists": "none"}, max_wait_time=1)
    except Exception as error:
        assert "verification" in str(error)
    else:
        raise AssertionError("it passed")


@check("sleep")
def _():
    setup._sleep_setup(0.1)


@check("proxy")
def _():
    get_global_proxy_pool().add_proxy("proxy.example", 3128, "someone", "secret")
    setup._proxy_setup(PASSWORD)
    equal(
        bash("cat /tmp/tinyproxy.conf"),
        "Port 18888\nAllow 127.0.0.1\nUpstream http someone:secret@proxy.example:3128\n",
    )
    assert "export https_proxy=http://someone:secret@proxy.example:3128" in bash("cat ~/.bashrc")


@check("update_browse_history")
def _():
    database = sqlite3.connect(folder / "history_new.sqlite")
    database.execute(
        "CREATE TABLE urls (id INTEGER PRIMARY KEY, url, title, visit_count, typed_count, last_visit_time, hidden)"
    )
    database.execute(
        "CREATE TABLE visits (id INTEGER PRIMARY KEY, url, visit_time, from_visit, transition, segment_id, visit_duration)"
    )
    database.commit()
    database.close()
    page = {"url": "https://example.org/", "title": "Example", "visit_time_from_now_in_seconds": 60}
    setup._update_browse_history_setup(history=[page])
    path = f"{HOME}/.config/google-chrome/Default/History"
    look = f"import sqlite3; print(sqlite3.connect('{path}').execute('SELECT url FROM urls').fetchall())"
    equal(bash(f'python3 -c "{look}"'), "[('https://example.org/',)]\n")


# --- SetupController: windows and browsers


def windows():
    tree = requests.get(f"{client.http_server}/accessibility").json().get("AT", "")
    return re.findall(r'<frame name="([^"]*)"', tree)


@check("open")
def _():
    upload(f"{HOME}/Desktop/note.txt", b"a note of the task\n")
    setup._open_setup(f"{HOME}/Desktop/note.txt")
    until(windows, lambda names: any("note.txt" in name for name in names))


@check("get_vm_window_size")
def _():
    size = client.get_vm_window_size("mousepad")
    assert 100 < size["width"] <= WIDTH and 100 < size["height"] <= HEIGHT


@check("get_accessibility_tree")
def _():
    tree = client.get_accessibility_tree()
    assert "mousepad" in tree.lower() and "a note of the task" in tree


@check("launch, a list")
def _():
    setup._launch_setup(["xterm", "-T", "first terminal"])
    setup._launch_setup("xterm -T second")
    answer = setup._execute_with_verification_setup(["true"], verification={"window_exists": "first terminal"})
    equal(answer["verification"], "passed")


@check("launch, a shell")
def _():
    setup._launch_setup("cd /tmp && xterm -T 'of a shell'", shell=True)
    answer = setup._execute_with_verification_setup(["true"], verification={"window_exists": "of a shell"})
    equal(answer["verification"], "passed")


@check("activate_window")
def _():
    before = client.get_screenshot()
    setup._activate_window_setup("Mousepad")
    until(client.get_screenshot, lambda now: now != before)


@check("activate_window by its class, strictly")
def _():
    before = client.get_screenshot()
    setup._activate_window_setup("XTerm", strict=True, by_class=True)
    until(client.get_screenshot, lambda now: now != before)


@check("close_window")
def _():
    for name in ("first terminal", "second", "of a shell", "note.txt"):
        setup._close_window_setup(name)
    until(windows, [].__eq__)
    client.run_bash_script("pkill xterm; true")


PAGES = [f"data:text/html,<title>{name}</title>" for name in ("one", "two")]


def tabs():
    try:
        listed = requests.get(f"http://127.0.0.1:{server.chromium_port}/json/list", timeout=5).json()
    except requests.RequestException as error:
        return str(error)
    return sorted(tab["url"] for tab in listed if tab["type"] == "page")


@check("chrome_open_tabs")
def _():
    flags = [f"--remote-debugging-port={server.chromium_port}", "--no-sandbox", "--remote-allow-origins=*"]
    setup._launch_setup(["chromium-headless-shell", *flags, "about:blank"])
    setup._chrome_open_tabs_setup(PAGES)
    equal(tabs(), PAGES)


@check("chrome_close_tabs")
def _():
    setup._chrome_close_tabs_setup(PAGES[:1])
    equal(tabs(), PAGES[1:])
    bash("pkill -f remote-debugging-port; true")


@check("setup, several steps")
def _():
    steps = [
        {"type": "execute", "parameters": {"command": ["rm", "-f", f"{HOME}/verified"]}},
        {"type": "sleep", "parameters": {"seconds": 0.1}},
        {"type": "command", "parameters": {"command": ["touch", f"{HOME}/set-up"]}},
    ]
    assert setup.setup(steps)
    equal(bash(f"ls {HOME}/set-up"), f"{HOME}/set-up\n")


# --- The pointer and the keys, by PythonController and by UI-TARS


def begin_probe():
    """Shows the field that hears inputs. Not by a call that is checked."""
    launch = {"command": ["python3", "-c", (here / "osworld_probe.py").read_text()], "shell": False}
    requests.post(f"{client.http_server}/setup/launch", json=launch)
    until(lambda: bash("cat ~/probe.pid"), lambda text: text != "", 20)
    time.sleep(1)


X, Y = 300, 200

ACTIONS = [
    ("MOVE_TO", {"x": X, "y": Y}, lambda: at("motion")[-1:] == [(X, Y)]),
    ("CLICK", {"x": X, "y": Y}, lambda: (kinds("down", "up"), at("down")) == ([("down", 1), ("up", 1)], [(X, Y)])),
    ("CLICK", {}, lambda: kinds("down", "up") == [("down", 1), ("up", 1)]),
    ("CLICK", {"button": "right", "x": X, "y": Y}, lambda: kinds("down") == [("down", 3)]),
    ("CLICK", {"button": "middle"}, lambda: kinds("down") == [("down", 2)]),
    ("CLICK", {"x": X, "y": Y, "num_clicks": 2}, lambda: doubled()),
    ("CLICK", {"button": "left", "x": X, "y": Y, "num_clicks": 3}, lambda: kinds("down") == [("down", 1)] * 3),
    ("MOUSE_DOWN", {}, lambda: kinds("down", "up") == [("down", 1)]),
    ("MOUSE_UP", {}, lambda: kinds("down", "up") == [("up", 1)]),
    ("MOUSE_DOWN", {"button": "right"}, lambda: kinds("down", "up") == [("down", 3)]),
    ("MOUSE_UP", {"button": "right"}, lambda: kinds("down", "up") == [("up", 3)]),
    ("RIGHT_CLICK", {"x": X, "y": Y}, lambda: (kinds("down"), at("down")) == ([("down", 3)], [(X, Y)])),
    ("RIGHT_CLICK", {}, lambda: kinds("down") == [("down", 3)]),
    ("DOUBLE_CLICK", {"x": X, "y": Y}, lambda: doubled()),
    ("DOUBLE_CLICK", {}, lambda: doubled()),
    ("DRAG_TO", {"x": X + 200, "y": Y + 50}, lambda: (at("down"), at("up")) == ([(X, Y)], [(X + 200, Y + 50)])),
    ("SCROLL", {"dy": -3}, lambda: kinds("down") == [("down", 5)] * 3),
    ("SCROLL", {"dy": 2}, lambda: kinds("down") == [("down", 4)] * 2),
    ("SCROLL", {"dx": 2}, lambda: kinds("down") == [("down", 7)] * 2),
    ("SCROLL", {"dx": -1, "dy": 1}, lambda: kinds("down") == [("down", 6), ("down", 4)]),
    ("TYPING", {"text": "Plain: 'a' \"b\" \\ {c}!"}, lambda: typed() == "Plain: 'a' \"b\" \\ {c}!"),
    ("PRESS", {"key": "tab"}, lambda: typed() == "\t"),
    ("PRESS", {"key": "f5"}, lambda: kinds("key", "release") == [("key", "F5"), ("release", "F5")]),
    ("KEY_DOWN", {"key": "shift"}, lambda: kinds("key", "release") == [("key", "Shift_L")]),
    ("KEY_UP", {"key": "shift"}, lambda: kinds("key", "release") == [("release", "Shift_L")]),
    ("HOTKEY", {"keys": ["ctrl", "shift", "f2"]}, lambda: kinds("key")[-1:] == [("key", "F2")]),
    ("WAIT", None, lambda: events() == []),
    ("DONE", None, lambda: events() == []),
    ("FAIL", None, lambda: events() == []),
]

for kind, parameters, happened in ACTIONS:

    @check(f"execute_action {kind} {'' if parameters is None else json.dumps(parameters)}".strip(), probe=True)
    def _(kind=kind, parameters=parameters, happened=happened):
        if kind == "DRAG_TO":
            client.execute_action({"action_type": "MOVE_TO", "parameters": {"x": X, "y": Y}})
        empty()
        action = kind if parameters is None else {"action_type": kind, "parameters": parameters}
        client.execute_action(action)
        until(lambda: happened() or seen(), lambda value: value is True)


def ui_tars(actions, **how):
    """Runs the program that UI-TARS' parser prints, as its harness for OSWorld does."""
    responses = [
        {"observation": "", "thought": "It's \"there\".", "action_type": kind, "action_inputs": inputs}
        for kind, inputs in actions
    ]
    code = parsing_response_to_pyautogui_code(responses, HEIGHT, WIDTH, **how)
    if code == "DONE":
        return
    answered(client.execute_python_command(code))


def point(x, y):
    return f"[{x * 1000 / WIDTH}, {y * 1000 / HEIGHT}]"


BOX = {"start_box": point(480, 270)}
CENTRE = (480, 270)
TO = {**BOX, "end_box": point(960, 540)}
clicks = [("down", 1), ("up", 1)]

PROGRAMS = [
    ("click", [("click", BOX)], {}, lambda: (kinds("down", "up"), at("down")) == (clicks, [CENTRE])),
    ("left_single", [("left_single", BOX)], {}, lambda: (kinds("down", "up"), at("down")) == (clicks, [CENTRE])),
    ("left_double", [("left_double", BOX)], {}, lambda: doubled()),
    ("right_single", [("right_single", BOX)], {}, lambda: (kinds("down"), at("down")) == ([("down", 3)], [CENTRE])),
    ("hover", [("hover", BOX)], {}, lambda: at("motion")[-1:] == [CENTRE] and kinds("down") == []),
    ("drag", [("drag", TO)], {}, lambda: (at("down"), at("up")) == ([CENTRE], [(960, 540)])),
    ("select", [("select", TO)], {}, lambda: (at("down"), at("up")) == ([CENTRE], [(960, 540)])),
    ("scroll down", [("scroll", {"direction": "down"})], {}, lambda: kinds("down") == [("down", 5)] * 5),
    ("scroll up", [("scroll", {"direction": "up"})], {}, lambda: kinds("down") == [("down", 4)] * 5),
    (
        "scroll at a point",
        [("scroll", {"direction": "down", "start_box": "[480, 270]"})],
        {},
        lambda: at("down") == [CENTRE] * 5,
    ),
    ("hotkey", [("hotkey", {"key": "ctrl shift f3"})], {}, lambda: kinds("key")[-1:] == [("key", "F3")]),
    ("hotkey arrowdown", [("hotkey", {"key": "arrowdown"})], {}, lambda: kinds("key") == [("key", "Down")]),
    ("hotkey with space", [("hotkey", {"key": "shift space"})], {}, lambda: typed() == " "),
    ("press", [("press", {"key": "shift"})], {}, lambda: kinds("key", "release") == [("key", "Shift_L")]),
    ("release", [("release", {"key": "shift"})], {}, lambda: kinds("key", "release") == [("release", "Shift_L")]),
    # It is held for a second, in which it repeats.
    ("keydown", [("keydown", {"key": "a"}), ("keyup", {"key": "a"})], {}, lambda: re.fullmatch("a+", typed()) is not None),
    # The parser puts a backslash before the apostrophe, which OSWorld's server types too.
    ("type", [("type", {"content": "It's \"fine\": a_b {c}"})], {}, lambda: typed() == "It\\'s \"fine\": a_b {c}"),
    ("type unicode", [("type", {"content": "Grüße, 漢字"})], {}, lambda: typed() == "Grüße, 漢字"),
    ("type and submit", [("type", {"content": "row\\n"})], {}, lambda: kinds("key")[-1:] == [("key", "Return")]),
    (
        "type key by key",
        [("type", {"content": "keys: a-b"})],
        {"input_swap": False},
        lambda: typed() == "keys: a-b",
    ),
    (
        "several actions",
        [("click", BOX), ("type", {"content": "two"}), ("hotkey", {"key": "home"}), ("hotkey", {"key": "delete"})],
        {},
        lambda: (at("down"), typed()) == ([CENTRE], "wo"),
    ),
    ("wait", [("wait", {})], {}, lambda: events() == []),
    ("call_user", [("call_user", {})], {}, lambda: events() == []),
    ("finished", [("finished", {"content": "done"})], {}, lambda: events() == []),
]

for name, actions, how, happened in PROGRAMS:

    @check(f"UI-TARS {name}", probe=True)
    def _(actions=actions, how=how, happened=happened):
        empty()
        ui_tars(actions, **how)
        until(lambda: happened() or seen(), lambda value: value is True)


for name, program, happened in (
    ("a loop", "for _ in range(3):\n    pyautogui.press('x')", lambda: typed() == "xxx"),
    ("variables", f"x, y = {X}, {Y}\npyautogui.click(x, y)", lambda: at("down") == [(X, Y)]),
    ("the clipboard", "import pyperclip\npyperclip.copy('é')\npyautogui.hotkey('ctrl', 'v')", lambda: typed() == "é"),
):

    @check(f"execute_python_command with {name}", probe=True)
    def _(program=program, happened=happened):
        empty()
        answered(client.execute_python_command(f"\n{program}"))
        until(lambda: happened() or seen(), lambda value: value is True)


# --- Videos and resets


@check("start_recording")
def _():
    equal(requests.post(f"{client.http_server}/start_recording").status_code, 200)
    requests.post(f"{client.http_server}/end_recording")
    client.start_recording()


@check("end_recording")
def _():
    time.sleep(1)
    client.end_recording(str(folder / "video.mp4"))
    probed = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", str(folder / "video.mp4")],
        capture_output=True,
        text=True,
    )
    equal(probed.stdout.strip(), f"{WIDTH},{HEIGHT}")


@check("POST /gyre/reset, then get_vm_directory_tree")
def _():
    equal(requests.post(f"{client.http_server}/gyre/reset").status_code, 200)
    equal(client.get_vm_directory_tree(f"{HOME}/Desktop"), {"type": "directory", "name": "Desktop", "children": []})


def main():
    shown = False
    tried = 0
    for name, probe, function in checks:
        if not re.search(options.only, name):
            continue
        if probe and not shown:
            begin_probe()
            shown = True
        tried += 1
        begun = time.monotonic()
        try:
            function()
            said = "right"
        except Exception as error:
            said = f"WRONG: {type(error).__name__}: {str(error)[:400]}"
            failed.append(name)
        print(f"{name} ({time.monotonic() - begun:.1f} s): {said}", flush=True)
    print(f"{tried - len(failed)} calls answer rightly of {tried} tried")


try:
    main()
finally:
    server.close()
    shutil.rmtree(folder)
sys.exit(1 if failed else 0)
