"""Trains by the supervised and the RL loop of tinker-cookbook. The argument is the task that sdk.mjs made."""

import asyncio
import base64
import json
import sys
import tempfile
from pathlib import Path

import chz
import tinker
from tinker_cookbook import tokenizer_utils
from tinker_cookbook.rl import train as rl
from tinker_cookbook.rl.types import Env, EnvGroupBuilder, RLDataset, RLDatasetBuilder, StepResult
from tinker_cookbook.supervised import train as supervised
from tinker_cookbook.supervised.types import SupervisedDataset, SupervisedDatasetBuilder

task = json.loads(sys.argv[1])
steps = 8


class Tokenizer:
    """Prints ids: the cookbook decodes examples for its log."""

    all_special_ids = []

    def encode(self, text, **_):
        return [ord(letter) for letter in text]

    def decode(self, tokens, **_):
        return " ".join(str(token) for token in tokens)


tokenizer_utils.register_tokenizer("nano", Tokenizer)


def prompt(tokens):
    image = tinker.types.ImageChunk(data=base64.b64decode(task["png"]), format="png", expected_tokens=task["cells"])
    return tinker.ModelInput(chunks=[image, tinker.EncodedTextChunk(tokens=tokens)])


def tensor(values, dtype):
    return tinker.TensorData(data=values, dtype=dtype, shape=[len(values)])


def datum():
    action = task["action"]
    before = task["cells"] + len(task["prompt"]) - 1
    return tinker.Datum(
        model_input=prompt(task["prompt"] + action[:-1]),
        loss_fn_inputs={
            "target_tokens": tensor([0] * before + action, "int64"),
            "weights": tensor([0.0] * before + [1.0] * len(action), "float32"),
        },
    )


class Demonstrations(SupervisedDataset):
    def get_batch(self, index):
        return [datum(), datum()]

    def set_epoch(self, seed=0):
        pass

    def __len__(self):
        return steps


@chz.chz
class DemonstrationsBuilder(SupervisedDatasetBuilder):
    def __call__(self):
        return Demonstrations(), None


class FirstToken(Env):
    """Rewards an action of the kind that was demonstrated."""

    async def initial_observation(self):
        return prompt(task["prompt"]), []

    async def step(self, action, *, extra=None):
        reward = float(action[0] == task["action"][0])
        return StepResult(reward=reward, episode_done=True, next_observation=tinker.ModelInput.empty(), next_stop_condition=[])


class Group(EnvGroupBuilder):
    async def make_envs(self):
        return [FirstToken() for _ in range(16)]


class Groups(RLDataset):
    def get_batch(self, index):
        return [Group(), Group()]

    def __len__(self):
        return 2 * steps


@chz.chz
class GroupsBuilder(RLDatasetBuilder):
    async def __call__(self):
        return Groups(), None


def metrics(folder):
    return [json.loads(line) for line in (Path(folder) / "metrics.jsonl").read_text().splitlines()]


def train_supervised(folder, epochs):
    config = supervised.Config(
        log_path=folder,
        model_name="nano",
        recipe_name="gyre",
        dataset_builder=DemonstrationsBuilder(),
        learning_rate=0.01,
        lr_schedule="constant",
        num_epochs=epochs,
        save_every=4,
    )
    asyncio.run(supervised.main(config))
    return [row["train_mean_nll"] for row in metrics(folder) if "train_mean_nll" in row]


def train_rl(folder):
    config = rl.Config(
        log_path=folder,
        model_name="nano",
        recipe_name="gyre",
        dataset_builder=GroupsBuilder(),
        learning_rate=0.01,
        max_tokens=100,
        eval_every=0,
        save_every=0,
        num_groups_to_log=0,
    )
    asyncio.run(rl.main(config))
    return [row["env/all/reward/total"] for row in metrics(folder) if "env/all/reward/total" in row]


def rounded(numbers):
    return " ".join(f"{number:.2f}" for number in numbers)


with tempfile.TemporaryDirectory() as folder:
    first = train_supervised(f"{folder}/supervised", 1)
    assert first[-1] < first[0] - 0.5, first
    # Resumes from the weights and the optimizer that the first run saved.
    both = train_supervised(f"{folder}/supervised", 2)
    assert len(both) == 2 * steps and both[:steps] == first, both
    assert both[-1] < both[steps] <= first[-1] + 0.1, both
    rewards = train_rl(f"{folder}/rl")
    assert sum(rewards[-4:]) > sum(rewards[:4]), rewards
print(f"supervised loop: nll {rounded(first)}, resumed: {rounded(both[steps:])}")
print(f"rl loop: reward {rounded(rewards)}")
