"""Serves a benchmark of the CUBE standard on a free port, and prints its address: serve.py MODULE CONFIG."""

import importlib
import socket
import sys

import uvicorn
from cube.server import make_benchmark_jsonrpc_app

module, name = sys.argv[1:]
benchmark = getattr(importlib.import_module(module), name)().make()
listener = socket.create_server(("127.0.0.1", 0))
print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
uvicorn.Server(uvicorn.Config(make_benchmark_jsonrpc_app(benchmark), log_level="warning")).run(sockets=[listener])
