"""Serves BrowserGym's MiniWoB++ to gyre: its task list, its environment, its reward."""

import base64
import io
import os
import pathlib
import sys
import types
from importlib.metadata import version

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bridge"))

import miniwob  # noqa: E402

os.environ.setdefault("MINIWOB_URL", (pathlib.Path(miniwob.__file__).parent / "html" / "miniwob").as_uri() + "/")

import gymnasium  # noqa: E402
import PIL.Image  # noqa: E402
import playwright.sync_api  # noqa: E402
from bridge import BadInput, serve  # noqa: E402
from browsergym.core.action.highlevel import HighLevelActionSet  # noqa: E402
from browsergym.experiments.benchmark.configs import DEFAULT_BENCHMARKS  # noqa: E402
from browsergym.experiments.loop import EnvArgs  # noqa: E402

# BrowserGym launches Playwright's browser, and another for its chat.
launch = playwright.sync_api.BrowserType.launch
browser = {"executable_path": os.environ["GYRE_BROWSER"]} if "GYRE_BROWSER" in os.environ else {}
sandbox = {"chromium_sandbox": False} if browser and getattr(os, "geteuid", lambda: 1)() == 0 else {}
playwright.sync_api.BrowserType.launch = lambda self, **terms: launch(self, **{**browser, **sandbox, **terms})

actions = HighLevelActionSet(subsets=["miniwob_all", "coord"], multiaction=False, strict=True)


class Episode:
    env = None
    steps = 0
    reward = 0.0
    info = {}


episode = Episode()


def hello(_terms):
    benchmark = DEFAULT_BENCHMARKS["miniwob"]()
    packages = ["browsergym-core", "browsergym-miniwob", "browsergym-experiments", "miniwob", "playwright"]
    return {
        "versions": {name: version(name) for name in packages},
        "tasks": [
            {"name": task.task_name, "seed": task.task_seed, "budget": task.max_steps}
            for task in benchmark.env_args_list
        ],
    }


def observed(observation, terminated=False, truncated=False, error=""):
    image = PIL.Image.fromarray(observation["screenshot"])
    picture = io.BytesIO()
    image.save(picture, "PNG")
    return {
        "picture": base64.b64encode(picture.getvalue()).decode(),
        "size": {"width": image.width, "height": image.height},
        "terminated": bool(terminated),
        "truncated": bool(truncated),
        "error": error,
    }


def start(terms):
    close()
    try:
        arguments = EnvArgs(task_name=terms["task"], task_seed=terms["seed"], max_steps=terms["budget"])
        episode.env = arguments.make_env(action_mapping=actions.to_python_code, exp_dir=pathlib.Path("."))
    except gymnasium.error.Error as error:
        raise BadInput(f"{terms['task']} is no task of BrowserGym: {error}") from error
    episode.steps, episode.reward, episode.info = 0, 0.0, {}
    if terms.get("pageSeed") is not None:
        _seed_page(terms["pageSeed"])
    observation, info = episode.env.reset(seed=terms["seed"])
    episode.info = info["task_info"]
    return {"goal": observation["goal"], **observed(observation)}


def _seed_page(seed):
    """Sets the seed of the page itself, which BrowserGym draws from the task's, to compare with other adapters."""
    environment = episode.env.unwrapped
    entrypoint = environment.task_entrypoint

    def seeded(**terms):
        task = entrypoint(**terms)
        task.random = types.SimpleNamespace(randint=lambda low, high: seed)
        return task

    environment.task_entrypoint = seeded


def step(terms):
    observation, reward, terminated, truncated, info = _started().step(terms["action"])
    episode.steps += 1
    episode.reward += reward
    episode.info = info["task_info"]
    return observed(observation, terminated, truncated, observation["last_action_error"])


def finish(_terms):
    _started()
    return {"steps": episode.steps, "reward": episode.reward, "raw": episode.info.get("RAW_REWARD_GLOBAL", 0)}


def _started():
    if episode.env is None:
        raise BadInput("no task was started")
    return episode.env


def close():
    if episode.env is not None:
        episode.env.close()
    episode.env = None


serve({"hello": hello, "start": start, "step": step, "finish": finish}, close)
