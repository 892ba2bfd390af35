"""Git LFS of the forge: the batch API, locks, and the storage of objects, which may be a separate host.

The storage accepts only tickets that the batch API issues, one for each object.
"""

import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from deploy.demo_forge.model import ForgeRepository, LfsFiles

MEDIA_TYPE: Final = "application/vnd.git-lfs+json"


@dataclass
class LfsStorage:
    """A storage of Git LFS objects at `url`. `tickets` are the accepted tickets: (repository, object id) by ticket.
    With `redirects_to`, downloads are redirected to another storage, which accepts the ticket in the query. `requests`
    are the requests so far, as "METHOD oid" with the headers."""

    url: str
    tickets: dict[str, tuple[str, str]] = field(default_factory=dict)
    redirects_to: "LfsStorage | None" = None
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def ticket(self, repository: str, oid: str) -> str:
        made = f"lfs_{secrets.token_hex(20)}"
        self.tickets[made] = (repository, oid)
        return made

    async def answer(self, request: Request, repository: ForgeRepository, oid: str) -> Response:
        self.requests.append((f"{request.method} {oid}", dict(request.headers)))
        kind, _, ticket = request.headers.get("authorization", "").partition(" ")
        ticket = ticket if kind == "Bearer" else request.query_params.get("ticket", "")
        if self.tickets.get(ticket) != (repository.full_name, oid):
            return PlainTextResponse("Forbidden", 403)
        objects = repository.lfs.objects
        if request.method == "PUT":
            try:
                content = await request.body()
            except ClientDisconnect:  # a process was killed during the transfer
                return Response(status_code=400)
            if hashlib.sha256(content).hexdigest() != oid:
                return PlainTextResponse("The content has another hash.", 422)
            objects[oid] = content
            return Response(status_code=200)
        if self.redirects_to is not None:
            further = self.redirects_to
            place = f"{further.url}/lfs-storage/{repository.full_name}/{oid}"
            return RedirectResponse(f"{place}?ticket={further.ticket(repository.full_name, oid)}", 302)
        return _part(objects[oid], request) if oid in objects else PlainTextResponse("Not Found", 404)


def _part(content: bytes, request: Request) -> Response:
    """Return the content from the byte position in the request's `Range` header."""
    start = request.headers.get("range", "").removeprefix("bytes=").partition("-")[0]
    if not start.isdigit():
        return Response(content, media_type="application/octet-stream")
    rest = content[int(start) :]
    named = {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"}
    return Response(rest, 206, named, media_type="application/octet-stream")


async def answer_api(
    request: Request, below: str, repository: ForgeRepository, login: str, storage: LfsStorage
) -> Response:
    """Answer a batch request or a `locks/verify` request of Git LFS."""
    if not repository.may_read(login):
        return _message(404 if login else 401, "Repository not found.")
    if not repository.lfs.enabled:
        return _message(404, "Git LFS is disabled for this repository.")
    asked = json.loads(await request.body())
    if below == "locks/verify":
        theirs = [{"id": path, "path": path, "owner": {"name": owner}} for path, owner in repository.lfs.locks.items()]
        return _json({"ours": [], "theirs": theirs})
    is_upload = asked["operation"] == "upload"
    if is_upload and not repository.may_write(login):
        return _message(403, "Write access to repository not granted.")
    repository.lfs.batches.append(asked)
    objects = [_object(each, repository, storage, is_upload=is_upload) for each in asked["objects"]]
    return _json({"transfer": "basic", "objects": objects})


def _object(
    asked: dict[str, Any], repository: ForgeRepository, storage: LfsStorage, *, is_upload: bool
) -> dict[str, Any]:
    oid, files = asked["oid"], repository.lfs
    if is_upload == (oid in files.objects):  # there is nothing to upload, or nothing to download
        return asked if is_upload else {**asked, "error": {"code": 404, "message": "Object does not exist"}}
    place = f"{storage.url}/lfs-storage/{repository.full_name}/{oid}"
    header = {"Authorization": f"Bearer {storage.ticket(repository.full_name, oid)}"}
    action = {"href": place, "header": header, "expires_in": files.seconds}
    verify = {"verify": {"href": f"{place}/verify", "header": header}} if is_upload else {}
    return {**asked, "actions": {"upload" if is_upload else "download": action, **verify}}


async def answer_verify(request: Request, repository: ForgeRepository, oid: str, storage: LfsStorage) -> Response:
    """Answer a client's request to verify that an object was stored."""
    asked = json.loads(await request.body())
    stored = repository.lfs.objects.get(oid)
    storage.requests.append((f"VERIFY {oid}", dict(request.headers)))
    is_there = stored is not None and asked == {"oid": oid, "size": len(stored)}
    return _json({}) if is_there else _message(404, "Object does not exist")


def pointer(files: LfsFiles, content: bytes) -> str:
    """Store an object and return the pointer text that the repository contains instead of it."""
    oid = hashlib.sha256(content).hexdigest()
    files.objects[oid] = content
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(content)}\n"


def _json(body: dict[str, Any]) -> Response:
    return JSONResponse(body, media_type=MEDIA_TYPE)


def _message(status: int, text: str) -> Response:
    return JSONResponse({"message": text}, status, media_type=MEDIA_TYPE)
