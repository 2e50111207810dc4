"""Grades responses with simple-evals' own program. Arguments: a clone, the grader's URL, a JSON list of samples."""

import importlib
import json
import pathlib
import sys
import types

import requests

clone, url, samples = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], json.loads(sys.argv[3])
package = types.ModuleType("official")
package.__path__ = [str(clone)]
sys.modules["official"] = package
browsecomp = importlib.import_module("official.browsecomp_eval")


class Sampler:
    def _pack_message(self, role, content):
        return {"role": role, "content": content}

    def __call__(self, messages):
        body = {"model": "grader-double", "messages": messages}
        reply = requests.post(f"{url}/chat/completions", json=body, timeout=60).json()
        return types.SimpleNamespace(response_text=reply["choices"][0]["message"]["content"])


official = browsecomp.BrowseCompEval.__new__(browsecomp.BrowseCompEval)
official.grader_model = Sampler()
results = []
for sample in samples:
    question = browsecomp.decrypt(sample["problem"], sample["canary"])
    answer = browsecomp.decrypt(sample["answer"], sample["canary"])
    returned = official.grade_sample(question, answer, sample["response"])
    # As __call__ decides.
    results.append({"returned": returned, "is_correct": returned == "yes"})
print(json.dumps(results))
