"""Serves OSWorld's environment and evaluators to gyre, which acts on the machine itself, by its server."""

import pathlib
import sys
import time
import types
from importlib.metadata import version

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bridge"))
# One metric uses it, and it needs torch. Without it that metric throws.
sys.modules.setdefault("easyocr", types.ModuleType("easyocr"))

import desktop_env.desktop_env as desktop_env  # noqa: E402
import requests  # noqa: E402
from bridge import BadInput, serve  # noqa: E402
from desktop_env.controllers.setup import SetupController  # noqa: E402
from desktop_env.evaluators import getters, metrics  # noqa: E402

official_setup = SetupController.setup


def setup(self, *terms):
    """Fails where the official set-up only returns False: its machine does not answer."""
    if not official_setup(self, *terms):
        raise ConnectionError(f"{self.http_server} does not answer")
    return True


SetupController.setup = setup


class Machine:
    """A provider, and a manager of machines, for one desktop behind `/gyre/reset`."""

    def __init__(self, server, chromium, vlc):
        self.server = server
        self.address = f"127.0.0.1:{server.rsplit(':', 1)[1]}:{chromium}:0:{vlc}"

    def start_emulator(self, *_terms):
        pass

    def get_ip_address(self, _path):
        return self.address

    def save_state(self, *_terms):
        pass

    def revert_to_snapshot(self, path, _snapshot):
        requests.post(f"{self.server}/gyre/reset", timeout=120).raise_for_status()
        return path

    def stop_emulator(self, *_terms):
        pass

    def get_vm_path(self, **_terms):
        return "gyre"


class State:
    environment = None
    used = False


def hello(terms):
    provider = terms["provider"]
    if provider == "gyre":
        machine = Machine(terms["server"], terms["chromium"], terms["vlc"])
        desktop_env.create_vm_manager_and_provider = lambda *_terms, **_named: (machine, machine)
        # One of a closed list of names.
        provider = "docker"
    State.environment = desktop_env.DesktopEnv(
        provider_name=provider,
        region=terms["region"],
        path_to_vm=terms["vm"],
        headless=True,
        action_space="pyautogui",
        require_a11y_tree=False,
        cache_dir=terms["cache"],
        screen_size=(terms["screen"]["width"], terms["screen"]["height"]),
    )
    evaluators = [name for module in (getters, metrics) for name in dir(module)]
    return {"versions": {"desktop-env": version("desktop-env")}, "evaluators": evaluators}


def started():
    if State.environment is None:
        raise BadInput("hello comes first")
    return State.environment


def start(terms):
    environment = started()
    # Otherwise the reset keeps the machine of the episode before.
    environment.is_environment_used |= State.used
    State.used = True
    environment.reset(task_config=terms["task"])
    time.sleep(terms["settle"])
    url = f"http://{environment.vm_ip}:{environment.server_port}"
    return {"instruction": environment.instruction, "url": url}


def finish(terms):
    environment = started()
    environment.is_environment_used = True
    if terms["last"] is not None:
        environment.action_history.append(terms["last"])
    time.sleep(terms["settle"])
    return {"score": float(environment.evaluate())}


def close():
    if State.environment is not None:
        State.environment.close()


serve({"hello": hello, "start": start, "finish": finish}, close)
