"""Serves AndroidWorld's tasks and evaluators to gyre, which acts on the phone itself, by ADB."""

import datetime
import importlib.resources
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bridge"))
clone = os.environ["GYRE_ANDROIDWORLD"]
sys.path.insert(0, clone)

from grpc_tools import protoc  # noqa: E402

proto = "android_world/task_evals/information_retrieval/proto"


def compile_protos():
    """Does what AndroidWorld's setup.py does, outside the clone."""
    folder = tempfile.mkdtemp(prefix="gyre-androidworld-")
    include = str(importlib.resources.files("grpc_tools") / "_proto")
    files = [f"{clone}/{proto}/{name}.proto" for name in ("state", "task")]
    if protoc.main(["protoc", f"--proto_path={include}", f"--proto_path={clone}", f"--python_out={folder}", *files]):
        raise RuntimeError("the protocol buffers of AndroidWorld do not compile")
    import android_world.task_evals.information_retrieval.proto as package

    package.__path__.append(f"{folder}/{proto}")
    return folder


compiled = compile_protos()

import dm_env  # noqa: E402
import numpy as np  # noqa: E402
from absl import logging  # noqa: E402
from android_env import env_interface  # noqa: E402
from android_env.components import adb_call_parser, adb_controller, config_classes  # noqa: E402
from android_world import checkpointer, constants, registry, suite_utils  # noqa: E402
from android_world.env import adb_utils, android_world_controller, interface, json_action  # noqa: E402
from bridge import BadInput, serve  # noqa: E402

logging.set_verbosity(logging.ERROR)

# As AndroidWorld's run.py.
seed = 30
family = registry.TaskRegistry.ANDROID_WORLD_FAMILY
tasks = registry.TaskRegistry().get_registry(family)


def instance_of(name):
    return suite_utils.create_suite({name: tasks[name]}, n_task_combinations=1, seed=seed)[name][0]


class Adb(adb_controller.AdbController):
    """Does not restart adb's server after a failed command: gyre's own connections are with it, too."""

    def _restart_server(self, timeout=None):
        pass


class Phone(env_interface.AndroidEnvInterface):
    """A phone by ADB alone. Its observations have no pixels: no evaluator looks at them."""

    def __init__(self, serial, port):
        config = config_classes.AdbControllerConfig(
            adb_path=shutil.which("adb"), adb_server_port=port, device_name=serial
        )
        self._parser = adb_call_parser.AdbCallParser(Adb(config))

    def action_spec(self):
        return {"action_type": dm_env.specs.DiscreteArray(num_values=3, name="action_type")}

    def observation_spec(self):
        return {}

    def reset(self):
        return self.step({})._replace(step_type=dm_env.StepType.FIRST)

    def step(self, action):
        observation = {"pixels": np.zeros((0, 0, 3), np.uint8), "timedelta": 0, "orientation": np.zeros(4)}
        return dm_env.TimeStep(dm_env.StepType.MID, 0.0, 1.0, observation)

    def stats(self):
        # A launch makes the accessibility forwarder learn its server's port.
        return {"relaunch_count": 1}

    def execute_adb_call(self, call):
        return self._parser.parse(call)

    def close(self):
        pass


class Controller(android_world_controller.AndroidWorldController):
    """Reads the screen's elements by AndroidWorld's own app, or by `uiautomator` where that app cannot connect."""

    def refresh_env(self):
        self.__init__(self._original_env, self._a11y_method)


class State:
    environment = None
    task = None
    began = 0.0


def ask(*words):
    response = adb_utils.issue_generic_request(["shell", *words], State.environment.controller)
    adb_utils.check_ok(response, f"adb shell {' '.join(words)} failed")
    return response.generic.output.decode().strip()


def hello(terms):
    if shutil.which("adb") is None:
        raise BadInput("adb is not installed: use the platform tools of Android")
    # The app reaches its server at the address of an emulator's host.
    method = "A11Y_FORWARDER_APP" if terms["serial"].startswith("emulator-") else "UIAUTOMATOR"
    phone = Phone(terms["serial"], terms["port"])
    controller = Controller(phone, android_world_controller.A11yMethod[method])
    State.environment = interface.AsyncAndroidEnv(controller)
    installed = set(adb_utils.get_all_package_names(State.environment.controller))
    metadata = json.loads(pathlib.Path(clone, "android_world", "task_metadata.json").read_text())
    difficulty = {entry["task_name"]: entry["difficulty"] for entry in metadata}
    width, height = adb_utils.get_logical_screen_size(State.environment.controller)
    return {
        "tasks": [entry_of(instance_of(name), difficulty.get(name, "unrated"), installed) for name in sorted(tasks)],
        "apps": {
            name: adb_utils.extract_package_name(activity)
            for pattern, activity in adb_utils._PATTERN_TO_ACTIVITY.items()
            for name in pattern.split("|")
        },
        "phone": {"sdk": int(ask("getprop", "ro.build.version.sdk")), "model": ask("getprop", "ro.product.model")},
        "screen": {"width": width, "height": height},
    }


def entry_of(task, difficulty, installed):
    activities = [adb_utils.get_adb_activity(app) for app in task.app_names if app]
    packages = {adb_utils.extract_package_name(activity) for activity in activities if activity}
    return {
        "name": task.name,
        "difficulty": difficulty,
        "goal": task.goal,
        # As AndroidWorld's run.
        "budget": suite_utils._allocate_step_budget(task.complexity),
        "missing": sorted(packages - installed),
    }


def start(terms):
    task = State.task = instance_of(terms["task"])
    State.began = time.time()
    task.initialize_task(State.environment)
    State.environment.reset(go_home=task.start_on_home_screen)
    State.environment.hide_automation_ui()
    return {"instruction": task.goal}


def finish(terms):
    """Scores as `suite_utils._run_task`: an agent that has not said that it is done has 0."""
    task, environment = State.task, State.environment
    if task is None:
        raise BadInput("start comes first")
    if terms["answer"] is not None:
        environment.interaction_cache = terms["answer"]
    reached = float(task.is_successful(environment))
    score = reached if terms["done"] else 0.0
    if terms["results"] is not None:
        save(task, score, terms)
    State.task = None
    task.tear_down(environment)
    return {"score": score, "reached": reached}


def save(task, score, terms):
    steps = [json_action.JSONAction(**action) for action in terms["actions"]]
    keys = constants.EpisodeConstants
    episode = {
        keys.GOAL: task.goal,
        keys.TASK_TEMPLATE: task.name,
        keys.EPISODE_DATA: {
            constants.STEP_NUMBER: list(range(len(steps))),
            "action": [action.as_dict() for action in steps],
        },
        keys.IS_SUCCESSFUL: score,
        keys.RUN_TIME: time.time() - State.began,
        keys.FINISH_DTIME: datetime.datetime.now(),
        keys.EPISODE_LENGTH: terms["turns"],
        keys.AUX_DATA: None,
        keys.SCREEN_CONFIG: suite_utils._get_screen_config(task),
        keys.EXCEPTION_INFO: None,
        keys.SEED: task.params[keys.SEED],
        keys.AGENT_NAME: terms["player"],
        keys.INSTANCE_ID: 0,
    }
    instance = f"{task.name}{checkpointer.INSTANCE_SEPARATOR}0"
    checkpointer.IncrementalCheckpointer(terms["results"]).save_episodes([episode], instance)


serve({"hello": hello, "start": start, "finish": finish}, close=lambda: shutil.rmtree(compiled, ignore_errors=True))
