"""gyre as an agent of Harbor: gyre's loop decides, Harbor's environment runs the commands."""

import asyncio
import json
import os
import shlex
from pathlib import Path
from typing import Any, override

from harbor.agents.base import BaseAgent
from harbor.agents.capabilities import AgentCapabilities
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext
from harbor.models.trajectories.trajectory import Trajectory

from gyre_harbor.server import RuntimeRequestError

_MAX_LINE = 64 * 2**20
# Harbor ends a command that runs a little longer.
_GRACE_SECONDS = 5


class GyreAgent(BaseAgent):
    """Runs `gyre serve agent` for an instruction, in any environment of Harbor.

    -m NAME is the model. Options (--ak NAME=VALUE): model_url, its OpenAI-compatible server (GYRE_MODEL_URL); gyre, the
    command (GYRE_COMMAND, default `gyre`); turns (default 100); flags, more of `gyre serve agent`, such as "--format doubao".
    """

    capabilities = AgentCapabilities(atif=True)

    def __init__(self, *args, model_url=None, gyre=None, turns=100, flags="", **kwargs):
        super().__init__(*args, **kwargs)
        self._model_url = model_url or os.environ.get("GYRE_MODEL_URL")
        if not self._model_url:
            raise ValueError("no model server: set GYRE_MODEL_URL, or add --ak model_url=URL")
        self._command = shlex.split(gyre or os.environ.get("GYRE_COMMAND") or "gyre")
        self._turns = int(turns)
        self._flags = shlex.split(flags)
        self._version: str | None = None

    @staticmethod
    @override
    def name() -> str:
        return "gyre"

    @override
    def version(self) -> str | None:
        return self._version

    @override
    async def setup(self, environment: BaseEnvironment) -> None:
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command, "--version", stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE
            )
        except OSError as error:
            raise RuntimeRequestError(f"gyre does not start: {error}; add --ak gyre=COMMAND") from error
        output, _ = await process.communicate()
        if process.returncode != 0:
            raise RuntimeRequestError(f"{shlex.join(self._command)} --version ended with {process.returncode}")
        self._version = output.decode().strip()

    @override
    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        arguments = ["serve", "agent", "--model", self._model_url, "--directory", str(self.logs_dir / "gyre")]
        if self.model_name:
            arguments += ["--model-name", self.model_name]
        arguments += self._flags
        self.logs_dir.mkdir(parents=True, exist_ok=True)
        errors = (self.logs_dir / "gyre.log").open("wb")
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *self._command, *arguments, stdin=pipe, stdout=pipe, stderr=errors, limit=_MAX_LINE
        )
        try:
            end = await self._serve(process, instruction, environment)
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()
            errors.close()
        self._report(end, context)

    async def _serve(self, process, instruction: str, environment: BaseEnvironment) -> dict[str, Any]:
        """Runs the agent's commands until its episode ends, and returns the end."""
        await self._write(process, {"instruction": instruction, "turns": self._turns})
        while line := await process.stdout.readline():
            try:
                message = json.loads(line)
            except ValueError:
                raise RuntimeRequestError(f"gyre wrote a line that is no JSON: {line[:200]!r}") from None
            if "end" in message:
                return message["end"]
            await self._write(process, await self._run_command(message["run"], environment))
        code = await process.wait()
        log = (self.logs_dir / "gyre.log").read_text(errors="replace").strip()
        raise RuntimeRequestError(f"gyre ended with {code}: {log[-500:]}")

    async def _run_command(self, call: dict[str, Any], environment: BaseEnvironment) -> dict[str, Any]:
        seconds = max(1, int(call["seconds"]))
        # Ended inside, so that the environment's own limit, which says nothing of the output, is not reached.
        command = f"timeout --signal=TERM --kill-after=2 {seconds} bash -c {shlex.quote(call['command'])}"
        try:
            result = await environment.exec(command, cwd=call.get("cwd"), timeout_sec=seconds + _GRACE_SECONDS)
        except Exception as error:
            # The episode ends as an infrastructure error, and Harbor records this one.
            return {"error": f"{type(error).__name__}: {error}"}
        return {"stdout": result.stdout or "", "stderr": result.stderr or "", "code": result.return_code}

    async def _write(self, process, message: dict[str, Any]) -> None:
        process.stdin.write(json.dumps(message).encode() + b"\n")
        try:
            await process.stdin.drain()
        except ConnectionError:
            # It has ended, which the next read tells.
            pass

    def _report(self, end: dict[str, Any], context: AgentContext) -> None:
        trajectory = Trajectory.model_validate(end["trajectory"])
        path = Path(self.logs_dir) / "trajectory.json"
        path.write_text(json.dumps(trajectory.to_json_dict(), indent=2))
        tokens = end.get("tokens")
        if tokens:
            context.n_input_tokens = tokens["prompt"]
            context.n_cache_tokens = tokens["cached"]
            context.n_output_tokens = tokens["answer"]
        context.metadata = {"episode": end["episode"], "end": end["end"]}
        state = end["end"]["state"]
        if state in ("infra_error", "cut"):
            raise RuntimeRequestError(f"the episode ended as {state}: {end['end'].get('message', '')}")
