"""git over HTTP: checks the forge's tokens, and then runs `git http-backend` as a CGI program."""

import asyncio
import base64
import binascii
import os
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Final

import anyio
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from deploy.demo_forge.model import ForgeRepository, Push

CHUNK: Final = 1 << 16
MAX_HEAD: Final = 1 << 16


def login_of(request: Request, logins: Callable[[str], str | None]) -> str | None:
    """Return the login that a request authenticates as: "" without credentials, None for an invalid token."""
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "basic":
        try:
            given = base64.b64decode(given).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return None
    given = given or request.headers.get("private-token", "")
    return logins(given.strip()) if given else ""


@dataclass(frozen=True, slots=True)
class GitRequest:
    """A git client's request for a path below a repository, such as `info/refs`."""

    repository: ForgeRepository
    below: str
    login: str

    async def answer(self, request: Request) -> Response:
        writing = "git-receive-pack" in (self.below, request.query_params.get("service"))
        if not self.repository.may_read(self.login):
            return _unauthorized() if not self.login else PlainTextResponse("Repository not found.", 404)
        if writing and not self.login:
            return _unauthorized()
        if writing and not self.repository.may_write(self.login):
            return PlainTextResponse("Write access to repository not granted.", 403)
        return await self._run(request)

    async def _run(self, request: Request) -> Response:
        with tempfile.TemporaryFile() as body:  # read before the response begins, which listens for the client's end
            async for piece in request.stream():
                body.write(piece)
            body.seek(0)
            before = self.repository.heads() if self.below == "git-receive-pack" else {}
            process = await asyncio.create_subprocess_exec(
                "git", "http-backend", env=self._environment(request),
                stdin=body, stdout=asyncio.subprocess.PIPE, limit=MAX_HEAD,
            )  # fmt: skip
        assert process.stdout is not None
        status, headers = 200, {}
        while line := (await process.stdout.readline()).strip().decode("latin-1"):
            name, _, value = line.partition(": ")
            if name.lower() == "status":
                status = int(value.split()[0])
            else:
                headers[name] = value
        return StreamingResponse(self._output(process, before), status, headers)

    async def _output(self, process: asyncio.subprocess.Process, before: dict[str, str]) -> AsyncIterator[bytes]:
        assert process.stdout is not None
        is_noted = self.below != "git-receive-pack"
        try:
            held = b""
            while piece := await process.stdout.read(CHUNK):
                if held:
                    yield held
                held = piece
            await process.wait()
            if not is_noted:  # known before the client reads the end
                is_noted = True
                self._note_push(before)
            yield held
        finally:
            if process.returncode is None:  # the client went away
                process.kill()
            with anyio.CancelScope(shield=True):  # or its pipe outlives the loop
                await process.communicate()
            if not is_noted:  # git accepted the push, although no client read the response
                self._note_push(before)

    def _note_push(self, before: dict[str, str]) -> None:
        after = self.repository.heads()
        moved = {
            name: (before.get(name, ""), after.get(name, ""))
            for name in before.keys() | after.keys()
            if before.get(name) != after.get(name)
        }
        if moved:
            self.repository.pushes.append(Push(self.login, moved))

    def _environment(self, request: Request) -> dict[str, str]:
        headers = {
            "CONTENT_TYPE": request.headers.get("content-type", ""),
            "CONTENT_LENGTH": request.headers.get("content-length", ""),
            "HTTP_CONTENT_ENCODING": request.headers.get("content-encoding", ""),
            "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
            "REMOTE_USER": self.login,
        }
        return {
            "PATH": os.environ["PATH"],
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_SYSTEM": "/dev/null",
            "GIT_PROJECT_ROOT": str(self.repository.path),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": f"/{self.below}",
            "QUERY_STRING": request.url.query,
            "REQUEST_METHOD": request.method,
            **{name: value for name, value in headers.items() if value},
        }


def _unauthorized() -> Response:
    return PlainTextResponse("Authentication required.", 401, {"WWW-Authenticate": 'Basic realm="forge"'})
