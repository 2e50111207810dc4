"""Serves MobileGym's tasks and judges to gyre, which has the browser.

Official code awaits a page. Here each of its calls suspends the coroutine, and is sent to gyre as `ask`; gyre resumes it
by the op `answer`. A request of gyre thus ends in {"ask": {...}} or {"result": ...}.
"""

import asyncio
import dataclasses
import datetime
import os
import pathlib
import random
import re
import sys
import types
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bridge"))
sys.path.insert(0, os.environ["GYRE_MOBILEGYM"])
# The judges are part of the clone, which stays as it is.
sys.dont_write_bytecode = True

from bridge import BadInput, serve  # noqa: E402


class Episode:
    env = None
    task = None
    initial = None
    coroutine = None
    today = datetime.date.today()


episode = Episode()


@types.coroutine
def ask(kind, **terms):
    answer = yield {"kind": kind, **terms}
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer.get("value")


async def _sleep(seconds, result=None):
    await ask("sleep", seconds=seconds)
    return result


# Official code sleeps for the page's sake, whose time is gyre's.
asyncio.sleep = _sleep


class _DateType(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, _real_date)


class _PageDate(datetime.date, metaclass=_DateType):
    """Has the page's today, which tasks set dates by."""

    @classmethod
    def today(cls):
        return episode.today


_real_date = datetime.date
datetime.date = _PageDate

from bench_env.config import RunnerConfig  # noqa: E402
from bench_env.env.base import Action, ActionType  # noqa: E402
from bench_env.env.mobile_gym import MobileGymEnv  # noqa: E402
from bench_env.runner.base import Controller, Evaluator  # noqa: E402
from bench_env.splits import resolve_split  # noqa: E402
from bench_env.task.registry import TaskRegistry  # noqa: E402


class Page:
    """The part of Playwright's page that MobileGym's set-ups and judges use."""

    async def evaluate(self, expression, argument=None):
        return await ask("evaluate", expression=expression, argument=argument)

    async def wait_for_function(self, expression, arg=None, timeout=30_000):
        await ask("wait", expression=expression, argument=arg, timeoutMs=timeout)

    async def goto(self, url, **_terms):
        await ask("goto", url=url)

    async def wait_for_load_state(self, *_state, **_terms):
        pass

    async def screenshot(self, **_terms):
        """Returns nothing: judges by state see no pictures."""
        return b""


registry = TaskRegistry()
# Has the step budgets of MobileGym's own runner.
config = RunnerConfig(agent="gyre", model_name="gyre")


def hello(_terms):
    splits = {name: resolve_split(name) for name in ("train", "test")}
    lacking = _apps_without_data()
    tasks, left_out = [], {}
    for suite in registry.list_suites(include_generated=False):
        try:
            names = registry.list_tasks(suite)
        except OSError as error:  # Judges read the apps' data when they are loaded.
            names = [id.split(".")[1] for id in sorted(splits["test"]) if id.startswith(f"{suite}.")]
            left_out.setdefault(f"the clone lacks {_within(error.filename)}", []).extend(f"{suite}.{name}" for name in names)
            continue
        for name in names:
            id, official = f"{suite}.{name}", registry.get(suite, name)
            split = next((key for key, ids in splits.items() if id in ids), None)
            # Without apps of its own, a task starts on the home screen with all of them.
            lacks = next((lacking[app] for app in official.apps or lacking if app in lacking), None)
            if split is None:
                continue
            if lacks is not None:
                if split == "test":
                    left_out.setdefault(f"the clone lacks {lacks}", []).append(id)
                continue
            tasks.append({"id": id, "split": split, "budget": config.get_max_steps(official(_seed=0))})
    return {
        "tasks": tasks,
        "leftOut": [{"reason": reason, "tasks": ids} for reason, ids in left_out.items()],
        "total": len(splits["test"]),
    }


def _within(path):
    return os.path.relpath(path, os.environ["GYRE_MOBILEGYM"])


def _apps_without_data():
    """Returns the first file that each app refers to and that is not there, by app."""
    reference = re.compile(r"""(?:new URL\(|import\(|from )['"](\.{1,2}/[^'"]+\.jsonl?)['"]""")
    lacking = {}
    for source in sorted(pathlib.Path(os.environ["GYRE_MOBILEGYM"], "apps").rglob("*.ts*")):
        app = source.relative_to(pathlib.Path(os.environ["GYRE_MOBILEGYM"], "apps")).parts[0]
        for path in reference.findall(source.read_text(encoding="utf-8")):
            if not (source.parent / path).exists():
                lacking.setdefault(app.lower(), _within(os.path.normpath(source.parent / path)))
    # `WechatReading` has the tasks of `wechat_reading`.
    return {app: lacking[key] for app in MobileGymEnv.APP_NAME_MAP.values() if (key := app.replace("_", "")) in lacking}


def start(terms):
    close()
    try:
        official = registry.get_by_id(terms["task"])
    except ValueError as error:
        raise BadInput(str(error)) from error
    return _begin(_set_up(official, terms))


async def _set_up(official, terms):
    today = await ask("evaluate", expression="new Date().toLocaleDateString('sv')", argument=None)
    episode.today = _real_date.fromisoformat(today)
    # As MobileGym seeds its instances.
    seed = (terms["seed"] ^ zlib.crc32(f"{terms['task']}:0".encode())) & 0xFFFFFFFF
    random.seed(seed)
    episode.task = official(_seed=seed)
    episode.env = MobileGymEnv(url=terms["url"], viewport_size=(360, 800), headless=True, verbose=False)
    episode.env._page = Page()
    episode.initial, _ = await Controller.setup(episode.env, episode.task)
    return {"instruction": episode.task.description}


def act(terms):
    """Carries out an action as MobileGym's environment does, where a mouse cannot."""
    _started()
    return _begin(_act(Action(ActionType(terms["type"]), terms["data"])))


async def _act(action):
    await episode.env._handlers[action.action_type].execute(action)
    return {}


def judge(terms):
    _started()
    return _begin(_judge(terms["answer"]))


async def _judge(answer):
    env, task = episode.env, episode.task
    state = await env.get_state(required_apps=list(task.apps) or None)
    final = dataclasses.replace(episode.initial, route=await env.get_route(), state=state)
    execution = types.SimpleNamespace(agent_answer=answer, agent_message=answer, stop_reason=None)
    result = await Evaluator().evaluate(task, episode.initial, final, execution)
    if result.judge_error:
        raise RuntimeError(result.judge_error)
    return {
        "goal": bool(result.success),
        "clean": bool(result.clean),
        "progress": float(result.progress),
        "sideEffects": [str(warning.get("field")) for warning in result.warnings],
        "failed": [str(issue.get("field", issue.get("reason"))) for issue in result.issues if not issue.get("passed")],
    }


def _started():
    if episode.task is None or episode.initial is None:
        raise BadInput("no task was started")


def _begin(coroutine):
    episode.coroutine = coroutine
    return _resume(None)


def answer(terms):
    if episode.coroutine is None:
        raise BadInput("nothing was asked")
    return _resume(terms)


def _resume(value):
    try:
        return {"ask": episode.coroutine.send(value)}
    except StopIteration as end:
        episode.coroutine = None
        return {"result": end.value}
    except BaseException:
        episode.coroutine = None
        raise


def close():
    if episode.coroutine is not None:
        episode.coroutine.close()
    episode.task = episode.env = episode.initial = episode.coroutine = None


serve({"hello": hello, "start": start, "act": act, "judge": judge, "answer": answer}, close)
