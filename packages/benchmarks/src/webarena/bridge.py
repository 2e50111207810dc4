"""Serves WebArena-Verified's tasks and evaluators to gyre, which acts in its own browser and records the network."""

import json
import pathlib
import sys
from importlib.metadata import version

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bridge"))

from bridge import BadInput, serve  # noqa: E402
from webarena_verified.api import WebArenaVerified  # noqa: E402
from webarena_verified.types.agent_response import FinalAgentResponse  # noqa: E402


class State:
    benchmark = None


def hello(terms):
    try:
        State.benchmark = WebArenaVerified(config=pathlib.Path(terms["config"]))
    except (OSError, ValueError) as error:
        raise BadInput(f"{terms['config']} is no configuration: {error}") from error
    environments = State.benchmark.config.environments or {}
    tasks = []
    for task in State.benchmark.get_tasks():
        places = [environments.get(site) for site in task.sites]
        missing = [site.value for site, place in zip(task.sites, places) if place is None]
        urls = [] if missing else [rendered(url, task.sites, environments) for url in task.start_urls]
        tasks.append(
            {
                "id": task.task_id,
                "sites": [site.value for site in task.sites],
                "intent": task.intent,
                "urls": urls,
                "missing": missing,
                "login": [each for each in map(login, task.sites, places) if each],
            }
        )
    hosts = [url for place in environments.values() for url in place.urls]
    return {
        "versions": {"webarena-verified": version("webarena-verified")},
        "tasks": tasks,
        "hosts": hosts,
        "schema": json.dumps(FinalAgentResponse.model_json_schema()),
    }


def rendered(url, sites, environments):
    for site in sites:
        if url.startswith(site.url_name_template):
            return environments[site].render_url(url, site)
    return url


def login(site, place):
    if place is None or not place.credentials:
        return None
    return {"site": site.value, "credentials": place.credentials}


def finish(terms):
    folder = pathlib.Path(terms["folder"])
    result = State.benchmark.evaluate_task(
        task_id=terms["id"],
        agent_response=folder / "agent_response.json",
        network_trace=folder / "network.har",
    )
    text = result.model_dump_json(indent=2)
    (folder / "eval_result.json").write_text(text)
    # Its own runs report an exception as an error, with no score.
    if result.status == "error":
        raise RuntimeError(result.error_msg)
    return {"score": result.score, "evaluators": [
        {"name": each.evaluator_name, "score": each.score} for each in result.evaluators_results
    ]}


serve({"hello": hello, "finish": finish})
