"""Serves the set-up and the evaluators of WindowsAgentArena, or of its V2, to gyre, which acts on the machine itself, by its server."""

import os
import pathlib
import sys
import time
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bridge"))
sys.path.insert(0, os.environ["GYRE_WINDOWSARENA"])
# One metric uses it, and it needs torch. Without it that metric throws.
sys.modules.setdefault("easyocr", types.ModuleType("easyocr"))

import desktop_env.envs.desktop_env as desktop_env  # noqa: E402
import requests  # noqa: E402
from bridge import BadInput, serve  # noqa: E402
from desktop_env.evaluators import getters, metrics  # noqa: E402


class Hypervisor:
    """Takes the place of QEMU's monitor, which only the official container reaches. Only observations use it."""

    def __init__(self, **_named):
        pass

    def get_status(self):
        return {}


class State:
    environment = None


def probe(server):
    requests.get(f"{server}/probe", timeout=60).raise_for_status()


def hello(terms):
    if hasattr(desktop_env, "VMController"):
        desktop_env.VMController = Hypervisor
    # gyre looks at the machine itself, and waits as long as it has to.
    desktop_env.DesktopEnv._get_obs = lambda self: {}
    desktop_env.time = types.SimpleNamespace(sleep=lambda seconds: time.sleep(min(seconds, terms["settle"])))
    probe(f"http://{terms['machine']}:5000")
    environment = State.environment = desktop_env.DesktopEnv(
        action_space="pyautogui", require_a11y_tree=False, emulator_ip=terms["machine"], cache_dir=terms["cache"]
    )
    width, height = environment.vm_screen_size
    evaluators = [name for module in (getters, metrics) for name in dir(module)]
    return {"evaluators": evaluators, "screen": {"width": width, "height": height}}


def started():
    if State.environment is None:
        raise BadInput("hello comes first")
    return State.environment


def start(terms):
    environment = started()
    server = environment.controller.http_server
    # The official set-up only logs that its machine does not answer.
    probe(server)
    environment.reset(task_config=terms["task"])
    time.sleep(terms["settle"])
    probe(server)
    return {"instruction": environment.instruction, "url": server}


def finish(terms):
    environment = started()
    if terms["last"] is not None:
        environment.action_history.append(terms["last"])
    time.sleep(terms["settle"])
    probe(environment.controller.http_server)
    score = float(environment.evaluate())
    # The official evaluators score 0 where the machine does not answer.
    probe(environment.controller.http_server)
    return {"score": score}


serve({"hello": hello, "start": start, "finish": finish})
