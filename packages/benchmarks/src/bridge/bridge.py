"""Serves a benchmark's official code to gyre: one JSON request per line in, one JSON reply per line out.

A request is {"id": 1, "op": "start", "terms": {...}}; its reply is {"id": 1, "result": {...}}, or
{"id": 1, "error": {"kind": "infra" or "bad_input", "message": "..."}}. An exception of the official code is "infra".
"""

import json
import os
import sys
import traceback


class BadInput(Exception):
    """Refuses the terms of a request."""


def serve(operations, close=lambda: None):
    """Answers requests until the input ends. `operations` maps names to functions of a request's terms."""
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Official code prints, and starts programs that would read the requests.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    try:
        for line in requests:
            request = json.loads(line)
            reply = {"id": request["id"], **_answer(operations, request)}
            replies.write(json.dumps(reply) + "\n")
            replies.flush()
    finally:
        close()


def _answer(operations, request):
    try:
        return {"result": operations[request["op"]](request["terms"])}
    except BadInput as error:
        return _error("bad_input", str(error))
    # Official code also calls exit().
    except (Exception, SystemExit) as error:
        traceback.print_exc()
        return _error("infra", f"{type(error).__name__}: {error}")


def _error(kind, message):
    return {"error": {"kind": kind, "message": message[:2000] or kind}}
