"""Calls the HTTP API of `gyre serve sandbox`."""

import os
from pathlib import Path
from typing import Any

import httpx


class RuntimeRequestError(RuntimeError):
    """A fault of gyre's server or program, the network, the session or the model's server.

    Harbor's error policies go by the name: such a trial is not graded, has no valid reward and may be tried again.
    """


class GyreServer:
    def __init__(self, url: str | None, token: str | None):
        url = url or os.environ.get("GYRE_URL") or "http://127.0.0.1:8700"
        token = token or os.environ.get("GYRE_TOKEN")
        if not token:
            raise ValueError("no token of gyre serve sandbox: set GYRE_TOKEN, or add --ek token=TOKEN")
        self.url = url.rstrip("/")
        self._headers = {"authorization": f"Bearer {token}"}

    async def call(
        self, method: str, path: str, *, json: Any = None, params: dict | None = None, seconds: float = 60
    ) -> Any:
        """Returns the reply's JSON, or None. Raises RuntimeRequestError."""
        async with self._client(seconds) as client:
            reply = await self._send(client.request(method, path, json=json, params=params))
        return reply.json() if reply.content else None

    async def upload(self, session: str, path: str, file: Path) -> None:
        async def pieces():
            with file.open("rb") as stream:
                while piece := stream.read(2**20):
                    yield piece

        headers = {"content-type": "application/octet-stream", "content-length": str(file.stat().st_size)}
        async with self._client(600) as client:
            target = f"/v1/sessions/{session}/file"
            await self._send(client.put(target, params={"path": path}, content=pieces(), headers=headers))

    async def download(self, session: str, path: str, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        async with self._client(600) as client:
            try:
                async with client.stream("GET", f"/v1/sessions/{session}/file", params={"path": path}) as reply:
                    if reply.is_error:
                        await reply.aread()
                        raise _refused(reply)
                    with file.open("wb") as stream:
                        async for piece in reply.aiter_bytes():
                            stream.write(piece)
            except httpx.HTTPError as error:
                raise self._unreachable(error) from error

    def _client(self, seconds: float) -> httpx.AsyncClient:
        timeout = httpx.Timeout(30, read=seconds, write=seconds)
        return httpx.AsyncClient(base_url=self.url, headers=self._headers, timeout=timeout, trust_env=False)

    async def _send(self, request) -> httpx.Response:
        try:
            reply = await request
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error
        if reply.is_error:
            raise _refused(reply)
        return reply

    def _unreachable(self, error: Exception) -> RuntimeRequestError:
        return RuntimeRequestError(f"gyre serve sandbox at {self.url} does not answer: {error or type(error).__name__}")


def _refused(reply: httpx.Response) -> RuntimeRequestError:
    try:
        body = reply.json()
    except ValueError:
        body = {}
    failure = body.get("error", body) if isinstance(body, dict) else {}
    message = failure.get("message") if isinstance(failure, dict) else failure
    details = [f"{name}: {failure[name]}" for name in ("field", "fix") if isinstance(failure, dict) and name in failure]
    text = "; ".join([str(message or reply.text[:300]), *details])
    return RuntimeRequestError(f"gyre refused {reply.request.method} {reply.request.url.path} ({reply.status_code}): {text}")
