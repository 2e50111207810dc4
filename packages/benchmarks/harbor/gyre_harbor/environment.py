"""A Harbor environment on a session of `gyre serve sandbox`, with a root file system of its own."""

import asyncio
import contextlib
import re
import shlex
import tempfile
import uuid
from pathlib import Path
from typing import override

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities, EnvironmentResourceCapabilities
from harbor.environments.tar_transfer import (
    extract_dir_from_file,
    pack_dir_to_file,
    remote_pack_command,
    remote_unpack_command,
)
from harbor.models.task.config import NetworkMode

from gyre_harbor.server import GyreServer, RuntimeRequestError

_TTL_SECONDS = 1800
_RENEW_SECONDS = 300
_DAY_SECONDS = 86_400
# The session's files are its home.
_HOME = "/home/agent"
_TRANSFER = ".gyre-harbor"
_MAX_OUTPUT = 4 * 2**20
_MAX_COMMAND = 900_000


class GyreEnvironment(BaseEnvironment):
    """Leases one session per trial.

    Options (--ek NAME=VALUE): url and token of the server (GYRE_URL, GYRE_TOKEN); root, the name of one of the server's
    roots, `machine` (default), or `image` or `task` for the one named like the task's docker_image or the task, with _
    for / and :; disk_mb; allow, the hosts that a task with a public network reaches, separated by commas (default: none).
    """

    def __init__(self, *args, url=None, token=None, root="machine", disk_mb=None, allow="", **kwargs):
        self._server = GyreServer(url, token)
        self._root = str(root)
        self._disk_mb = int(disk_mb) if disk_mb is not None else None
        self._allow = [host.strip() for host in str(allow).split(",") if host.strip()]
        self._session: str | None = None
        self._renewing: asyncio.Task | None = None
        super().__init__(*args, **kwargs)

    @staticmethod
    @override
    def type() -> str:
        return "gyre"

    @classmethod
    @override
    def resource_capabilities(cls) -> EnvironmentResourceCapabilities:
        return EnvironmentResourceCapabilities(cpu_limit=True, memory_limit=True, fractional_cpus=True)

    @property
    @override
    def capabilities(self) -> EnvironmentCapabilities:
        return EnvironmentCapabilities(
            disable_internet=True,
            network_allowlist=True,
            network_allowlist_hostnames=True,
            network_allowlist_wildcard_hostnames=True,
        )

    @override
    def _validate_definition(self) -> None:
        if self._root == "image" and not self.task_env_config.docker_image:
            raise ValueError("root=image needs a task with docker_image; name a root with --ek root=NAME")
        if list(self.environment_dir.glob("docker-compose.y*ml")):
            raise ValueError(f"{self.environment_name} needs several containers, and a session of gyre is one machine")

    @override
    async def start(self, force_build: bool) -> None:
        root = self._root
        if root in ("image", "task"):
            name = self.environment_name if root == "task" else self.task_env_config.docker_image or ""
            root = re.sub(r"[/:@]", "_", name)
        elif self.task_env_config.docker_image or (self.environment_dir / "Dockerfile").exists():
            self.logger.warning(f"the image of {self.environment_name} is not built: it runs on the root {root}")
        lease = {"kind": "shell", "root": root, "ttlMs": _TTL_SECONDS * 1000, "waitMs": 600_000}
        limits = self._limits()
        if limits:
            lease["limits"] = limits
        network = self._network()
        if network != "none":
            lease["network"] = network
        self._session = (await self._server.call("POST", "/v1/sessions", json=lease, seconds=700))["id"]
        self._renewing = asyncio.create_task(self._renew())
        folders = [self.task_env_config.workdir or "/app", "/tests", "/solution"]
        folders += ["/logs/agent", "/logs/verifier", "/logs/artifacts"]
        result = await self.exec(f"mkdir -p {shlex.join(folders)} && chmod 777 /logs/*", cwd="/", user="root")
        if result.return_code != 0:
            raise RuntimeRequestError(f"cannot make the folders of Harbor: {result.stderr}")
        await self._upload_environment_dir_after_start()

    @override
    async def stop(self, delete: bool) -> None:
        if self._renewing:
            self._renewing.cancel()
        session, self._session = self._session, None
        if session and delete:
            await self._server.call("DELETE", f"/v1/sessions/{session}", seconds=120)
        elif session:
            self.logger.info(f"session {session} stays for {_TTL_SECONDS} s after its last use")

    @override
    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        seconds = timeout_sec or _DAY_SECONDS
        folder = cwd or self.task_env_config.workdir or "/app"
        lines = [f"export {name}={shlex.quote(value)}" for name, value in (self._merge_env(env) or {}).items()]
        lines.append(f"cd -- {shlex.quote(folder)} 2>/dev/null || {{ {'exit 126' if cwd else 'cd /'}; }}")
        lines.append(f"exec {_as_user(self._resolve_user(user))}bash -c {shlex.quote(command)}")
        script = "\n".join(lines)
        if len(script) > _MAX_COMMAND:
            raise ValueError(f"a command of {len(script)} characters is too long; upload it as a file")
        body = {"command": script, "timeoutMs": seconds * 1000, "cwd": "/", "maxOutput": _MAX_OUTPUT}
        path = f"/v1/sessions/{self._leased}/run"
        result = await self._server.call("POST", path, json=body, seconds=seconds + 60)
        if result["timedOut"]:
            raise RuntimeError(f"Command timed out after {timeout_sec} seconds")
        # A signal has no exit code.
        return ExecResult(stdout=result["stdout"], stderr=result["stderr"], return_code=result.get("exitCode", 137))

    @override
    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        source = Path(source_path)
        mode = f"{source.stat().st_mode & 0o777:o}"
        target = shlex.quote(str(target_path))
        async with self._passing() as name:
            await self._server.upload(self._leased, name, source)
            copy = f"cp -- {_HOME}/{name} {target} && chmod {mode} {target}"
            await self._checked(f"mkdir -p -- $(dirname -- {target}) && {copy}", f"upload {target_path}")

    @override
    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder) / "packed.tar.gz"
            await asyncio.to_thread(pack_dir_to_file, source_dir, archive, include_root=False)
            async with self._passing() as name:
                await self._server.upload(self._leased, name, archive)
                unpack = remote_unpack_command(f"{_HOME}/{name}", str(target_dir), no_same_owner=True)
                await self._checked(unpack, f"upload {target_dir}")

    @override
    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        async with self._passing() as name:
            await self._checked(f"cp -- {shlex.quote(str(source_path))} {_HOME}/{name}", f"download {source_path}")
            await self._server.download(self._leased, name, Path(target_path))

    @override
    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder) / "packed.tar.gz"
            async with self._passing() as name:
                await self._checked(remote_pack_command(str(source_dir), f"{_HOME}/{name}"), f"download {source_dir}")
                await self._server.download(self._leased, name, archive)
            await asyncio.to_thread(extract_dir_from_file, archive, target_dir)

    @property
    def _leased(self) -> str:
        if self._session is None:
            raise RuntimeRequestError("the session has ended, or start() was not called")
        return self._session

    def _limits(self) -> dict[str, float]:
        mebibyte = 2**20
        limits: dict[str, float] = {}
        if self._effective_cpus:
            limits["cpus"] = self._effective_cpus
        if self._effective_memory_mb:
            limits["memoryBytes"] = self._effective_memory_mb * mebibyte
        if self._disk_mb:
            limits["diskBytes"] = self._disk_mb * mebibyte
        return limits

    def _network(self) -> str | dict[str, list[str]]:
        policy = self.network_policy
        if policy.network_mode == NetworkMode.PUBLIC and not self._allow:
            self.logger.warning(f"{self.environment_name} has no network: name its hosts with --ek allow=HOST,HOST")
        public = policy.network_mode == NetworkMode.PUBLIC
        hosts = self._allow if public else list(policy.allowed_hosts)
        return {"allow": hosts} if hosts else "none"

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            # The next call says what is wrong.
            with contextlib.suppress(RuntimeRequestError):
                await self._server.call("POST", f"/v1/sessions/{self._session}/renew")

    @contextlib.asynccontextmanager
    async def _passing(self):
        """Names a file of the session's home, through which files pass."""
        name = f"{_TRANSFER}/{uuid.uuid4().hex}"
        await self._checked(f"mkdir -p {_HOME}/{_TRANSFER}", "make a folder")
        try:
            yield name
        finally:
            await self.exec(f"rm -f {_HOME}/{name}", cwd="/", user="root")

    async def _checked(self, command: str, what: str) -> None:
        result = await self.exec(command, cwd="/", user="root", timeout_sec=600)
        if result.return_code != 0:
            raise RuntimeRequestError(f"cannot {what}: {(result.stderr or '').strip()[:500]}")


def _as_user(user: str | int | None) -> str:
    if user in (None, "root", 0, "0"):
        return ""
    name = shlex.quote(str(user))
    return f"setpriv --reuid {name} --regid $(id -g {name} 2>/dev/null || echo {name}) --init-groups -- "
