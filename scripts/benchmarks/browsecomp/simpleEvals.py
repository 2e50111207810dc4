"""Grades responses with simple-evals' own program. Arguments: a clone, the grader's URL, a JSON list of samples."""

import importlib
import json
import pathlib
import sys
import types

import requests

clone, url, samples = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], json.loads(sys.argv[3])


class Completions:
    """The one call of OpenAI's client that the sampler makes."""

    def create(self, **body):
        reply = requests.post(f"{url}/chat/completions", json=body, timeout=60)
        return json.loads(reply.text, object_hook=lambda fields: types.SimpleNamespace(**{"usage": None, **fields}))


client = types.ModuleType("openai")
client.OpenAI = lambda: types.SimpleNamespace(chat=types.SimpleNamespace(completions=Completions()))
client.BadRequestError = requests.HTTPError
sys.modules["openai"] = client

package = types.ModuleType("official")
package.__path__ = [str(clone)]
sys.modules["official"] = package
browsecomp = importlib.import_module("official.browsecomp_eval")


sampler = importlib.import_module("official.sampler.chat_completion_sampler")
official = browsecomp.BrowseCompEval.__new__(browsecomp.BrowseCompEval)
# As simple_evals.py makes it.
official.grader_model = sampler.ChatCompletionSampler(
    model="grader-double", system_message=sampler.OPENAI_SYSTEM_MESSAGE_API, max_tokens=2048
)
results = []
for sample in samples:
    question = browsecomp.decrypt(sample["problem"], sample["canary"])
    answer = browsecomp.decrypt(sample["answer"], sample["canary"])
    returned = official.grade_sample(question, answer, sample["response"])
    # As __call__ decides.
    results.append({"returned": returned, "is_correct": returned == "yes"})
print(json.dumps(results))
