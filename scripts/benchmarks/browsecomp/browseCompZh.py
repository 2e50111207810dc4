"""Runs parts of BrowseComp-ZH's own programs. Arguments: a clone, then `decrypt`, `grade URL` or `count FOLDER MODEL`."""

import contextlib
import hashlib
import importlib.util
import json
import pathlib
import sys
from unittest.mock import MagicMock

import pandas
import requests

clone = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(clone))


def program(path):
    spec = importlib.util.spec_from_file_location("official", clone / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def decrypt():
    """Prints the hash of all text, not the text."""
    official = program("data/browsecomp-zh-decrypt.py")
    digest = hashlib.sha256()
    rows = pandas.read_excel(clone / "data" / "browsecomp-zh-encrypted.xlsx")
    for _, row in rows.iterrows():
        for column in ["Topic", "Question", "Answer"]:
            digest.update(official.decrypt(row[column], row["canary"]).encode() + b"\0")
    return [len(rows), digest.hexdigest()]


def grade(url):
    """Grades raw.json and predict_data of the working folder into output_data."""
    # Clients of model vendors.
    for name in ["dotenv", "openai", "google", "google.genai", "anthropic"]:
        sys.modules[name] = MagicMock()
    official = program("run.py")
    evaluation = official.BrowsecampEval.__new__(official.BrowsecampEval)
    folders = {f"{name}_infer_file_dir": f"{name}_data" for name in ["predict", "eval", "output"]}
    evaluation.args = MagicMock(model="theirs", max_workers=1, input_file_path="raw.json", **folders)

    def ask(messages, eval=False):
        body = {"model": "grader-double", "messages": messages}
        return requests.post(f"{url}/chat/completions", json=body, timeout=60).json()["choices"][0]["message"]["content"]

    evaluation.get_remote_response = ask
    evaluation.generate_infer_eval()
    lines = pathlib.Path("output_data/theirs/infer.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["eval_result"][0] for line in lines]


def count(folder, model):
    official = program("run_acc_calibration_error.py")
    stats = official.process_model_data(model, folder)
    total = stats["correct"] + stats["wrong"] + stats["none"]
    error = official.calculate_calibration(stats["calibration"], total)
    return {"accuracy": 100 * stats["correct"] / total, "error": error, "none": stats["none"]}


with contextlib.redirect_stdout(sys.stderr):
    result = {"decrypt": decrypt, "grade": grade, "count": count}[sys.argv[2]](*sys.argv[3:])
print(json.dumps(result))
