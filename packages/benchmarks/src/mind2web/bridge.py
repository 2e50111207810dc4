"""Serves Online-Mind2Web's WebJudge to gyre, from a clone of its repository: one task's folder at a time."""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import threading
from importlib.metadata import PackageNotFoundError, version

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bridge"))

from bridge import BadInput, serve  # noqa: E402

MODE = "WebJudge_Online_Mind2Web_eval"


class State:
    run = None


def hello(terms):
    source = pathlib.Path(terms["clone"]) / "src"
    program = source / "run.py"
    if not program.is_file():
        raise BadInput(f"{terms['clone']} has no src/run.py")
    # An older one would read the steps of format v2 as text.
    if "online-mind2web-v2" not in program.read_text(encoding="utf-8"):
        raise BadInput(f"{program} is older than the format online-mind2web-v2: update the clone")
    sys.path.insert(0, str(source))
    import run

    State.run = run
    return {"versions": {"openai": openai_version()}}


def openai_version():
    try:
        return version("openai")
    except PackageNotFoundError:
        return "missing"


def judge(terms):
    run = State.run
    if run is None:
        raise BadInput("hello comes first")
    with tempfile.TemporaryDirectory() as folder:
        arguments = argparse.Namespace(
            mode=MODE,
            model=terms["model"],
            trajectories_dir=terms["trajectories"],
            output_path=folder,
            score_threshold=terms["threshold"],
            api_key=os.environ["OPENAI_API_KEY"],
        )
        name = f"{MODE}_{terms['model']}_score_threshold_{terms['threshold']}_auto_eval_results.json"
        output = pathlib.Path(folder) / name
        # The name of a model may have slashes.
        output.parent.mkdir(parents=True, exist_ok=True)
        model = run.OpenaiEngine(model=arguments.model, api_key=arguments.api_key)
        run.auto_eval(arguments, [terms["task"]], [], threading.Lock(), model)
        return {"name": name, "record": json.loads(output.read_text(encoding="utf-8"))}


serve({"hello": hello, "judge": judge})
