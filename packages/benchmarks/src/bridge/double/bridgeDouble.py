"""Official code that behaves badly, behind the real loop of `bridge.py`."""

import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from bridge import BadInput, serve  # noqa: E402


def chatter(terms):
    print("progress: 100 %")
    os.write(1, b"a line of a C library\n")
    # A program that waits for input takes what its standard input has.
    taken = subprocess.run(["cat"], stdout=subprocess.PIPE, check=True).stdout
    return {"taken": len(taken), **terms}


def orphan(_terms):
    return {"pid": subprocess.Popen(["sleep", "600"]).pid}


def throw(terms):
    raise TypeError(terms["message"])


def refuse(terms):
    raise BadInput(terms["message"])


def die(_terms):
    print("out of cheese", file=sys.stderr, flush=True)
    os._exit(3)


serve(
    {
        "echo": lambda terms: terms,
        "chatter": chatter,
        "orphan": orphan,
        "throw": throw,
        "refuse": refuse,
        "exit": lambda terms: sys.exit(terms["code"]),
        "die": die,
        "hang": lambda terms: time.sleep(600),
    }
)
