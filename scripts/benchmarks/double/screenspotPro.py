"""Runs ScreenSpot-Pro's eval_screenspot_pro.py with a double of its models, which answers what a file says.

Arguments: the clone, a JSON file of [picture, instruction, point or null, text], and those of the program. PyTorch,
Pillow and tqdm are stubs: only models use them.
"""

import json
import os
import runpy
import sys
import types

clone, answers, *arguments = sys.argv[1:]
with open(answers, encoding="utf-8") as file:
    recorded = {(os.path.abspath(picture), text): (point, said) for picture, text, point, said in json.load(file)}


class Recorded:
    def ground_only_positive(self, instruction, image):
        point, said = recorded[os.path.abspath(image), instruction]
        return {"point": point, "raw_response": said}


def stub(name, **members):
    module = types.ModuleType(name)
    vars(module).update(members)
    sys.modules[name] = module


stub("torch", manual_seed=lambda _seed: None)
stub("PIL", Image=None)
stub("tqdm", tqdm=lambda items: items)
stub("model_factory", build_model=lambda _arguments: Recorded())
program = os.path.join(clone, "eval_screenspot_pro.py")
sys.argv = [program, *arguments]
runpy.run_path(program, run_name="__main__")
