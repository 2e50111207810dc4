"""A double of Online-Mind2Web's run.py: reads a task's folder of format online-mind2web-v2, asks the server once."""

import json
import os
import urllib.request


class OpenaiEngine:
    def __init__(self, model, api_key):
        self.model = model
        self.api_key = api_key

    def generate(self, text):
        request = urllib.request.Request(
            os.environ["OPENAI_BASE_URL"] + "/chat/completions",
            json.dumps({"model": self.model, "messages": [{"role": "user", "content": text}]}).encode(),
            {"Authorization": f"Bearer {self.api_key}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)["choices"][0]["message"]["content"]


def auto_eval(args, task_ids, labels, lock, model):
    for task_id in task_ids:
        with open(os.path.join(args.trajectories_dir, task_id, "result.json"), encoding="utf-8") as file:
            result = json.load(file)
        response = model.generate(result["task"])
        label = int(response is not None and "success" in response)
        labels.append(label)
        name = f"{args.mode}_{args.model}_score_threshold_{args.score_threshold}_auto_eval_results.json"
        record = {
            **result,
            "key_points": "1. None",
            "image_judge_record": [{"Response": "", "Score": 4} for _ in result["action_history"]],
            "evaluation_details": {"response": response, "predicted_label": label},
            "predicted_label": label,
        }
        with lock, open(os.path.join(args.output_path, name), "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
