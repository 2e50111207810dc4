"""Answers from AndroidWorld's own code, apart from gyre's bridge: the goals of its suite, what it counts, an action it takes."""

import importlib.resources
import json
import os
import shutil
import sys
import tempfile

clone = os.environ["GYRE_ANDROIDWORLD"]
sys.path.insert(0, clone)

from grpc_tools import protoc  # noqa: E402

proto = "android_world/task_evals/information_retrieval/proto"
folder = tempfile.mkdtemp()
include = str(importlib.resources.files("grpc_tools") / "_proto")
files = [f"{clone}/{proto}/{name}.proto" for name in ("state", "task")]
protoc.main(["protoc", f"--proto_path={include}", f"--proto_path={clone}", f"--python_out={folder}", *files])
import android_world.task_evals.information_retrieval.proto as package  # noqa: E402

package.__path__.append(f"{folder}/{proto}")

from android_env.components import adb_call_parser, adb_controller, config_classes  # noqa: E402
from android_world import checkpointer, registry, suite_utils  # noqa: E402
from android_world.env import actuation, adb_utils, json_action  # noqa: E402

command, *words = sys.argv[1:]


def suite():
    tasks = registry.TaskRegistry().get_registry(registry.TaskRegistry.ANDROID_WORLD_FAMILY)
    drawn = suite_utils.create_suite(tasks, n_task_combinations=1, seed=30)
    goals = {name: [task.goal, int(10 * task.complexity)] for name, (task,) in drawn.items()}
    apps = {app for (task,) in drawn.values() for app in task.app_names if app}
    activities = filter(None, map(adb_utils.get_adb_activity, apps))
    return {"goals": goals, "packages": sorted({adb_utils.extract_package_name(each) for each in activities})}


def results(directory):
    episodes = checkpointer.IncrementalCheckpointer(directory).load()
    frame = suite_utils.process_episodes(episodes)
    names = [name for name in frame.index if not name.startswith("=")]
    columns = [column for column in frame.columns if "success" in column]
    return [[name, int(frame.loc[name, "num_complete_trials"]), float(frame.loc[name, columns[0]])] for name in names]


def act(action):
    class Phone:
        def __init__(self):
            config = config_classes.AdbControllerConfig(
                adb_path=shutil.which("adb"), adb_server_port=int(os.environ["ADB_PORT"]), device_name=os.environ["SERIAL"]
            )
            self.parser = adb_call_parser.AdbCallParser(adb_controller.AdbController(config))

        def execute_adb_call(self, call):
            return self.parser.parse(call)

    actuation.execute_adb_action(json_action.JSONAction(**json.loads(action)), [], (270, 480), Phone())
    return True


answer = {"suite": suite, "results": results, "act": act}[command](*words)
shutil.rmtree(folder)
print(json.dumps(answer))
