"""Serves SWE-bench's evaluation scripts, grading and report to gyre, which runs the scripts itself."""

import json
import os
import pathlib
import sys
import types
from importlib.metadata import version

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bridge"))
# Loads data sets, which gyre reads itself. Without it loading one throws.
datasets = types.ModuleType("datasets")
datasets.Dataset = datasets.load_dataset = datasets.load_from_disk = None
sys.modules.setdefault("datasets", datasets)
# Evaluates on a service.
modal_eval = types.ModuleType("swebench.harness.modal_eval")
modal_eval.run_instances_modal = modal_eval.validate_modal_credentials = None
sys.modules.setdefault(modal_eval.__name__, modal_eval)

from bridge import serve  # noqa: E402
from swebench.harness.constants import (  # noqa: E402
    CONTAINER_PATCH_FILE,
    LOG_REPORT,
    LOG_TEST_OUTPUT,
    RUN_EVALUATION_LOG_DIR,
)
from swebench.harness.grading import get_eval_report  # noqa: E402
from swebench.harness.reporting import make_run_report  # noqa: E402
from swebench.harness.run_evaluation import GIT_APPLY_CMDS  # noqa: E402
from swebench.harness.utils import make_test_spec  # noqa: E402


def hello(terms):
    # Its folders of logs are relative.
    os.chdir(terms["results"])
    return {
        "versions": {"swebench": version("swebench")},
        "patchFile": CONTAINER_PATCH_FILE,
        "applyCommands": [f"{command} {CONTAINER_PATCH_FILE}" for command in GIT_APPLY_CMDS],
    }


def plan(terms):
    specification = make_test_spec(terms["instance"])
    # Binary files beside the test patch, which its own program downloads.
    return {"script": specification.eval_script, "assets": bool(specification.image_assets.get("test_patch"))}


def grade(terms):
    instance, prediction, run = terms["instance"], terms["prediction"], terms["run"]
    name = instance["instance_id"]
    folder = RUN_EVALUATION_LOG_DIR / run / prediction["model_name_or_path"].replace("/", "__") / name
    report = get_eval_report(
        test_spec=make_test_spec(instance),
        prediction=prediction,
        test_log_path=folder / LOG_TEST_OUTPUT,
        include_tests_status=True,
    )
    (folder / LOG_REPORT).write_text(json.dumps(report, indent=4))
    return report[name]


def report(terms):
    predictions = {each["instance_id"]: each for each in terms["predictions"]}
    file = make_run_report(predictions, terms["instances"], terms["run"])
    return {"report": json.loads(file.read_text())}


serve({"hello": hello, "plan": plan, "grade": grade, "report": report})
