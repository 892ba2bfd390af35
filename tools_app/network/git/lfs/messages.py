"""Messages of Git LFS: a program's request, the server's answer to the door, and the door's answer to the program.
Pure.

The door builds each message from the fields that it knows. Addresses and headers in a server's answer stay in the
door, because a header of an action is often a credential.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, Field, ValidationError

from sandbox.runner.door import PROXY_PORT
from tools_app.network.git.lfs.target import Kind, Operation, transfer_address

MEDIA_TYPE: Final = "application/vnd.git-lfs+json"
MAX_MESSAGE: Final = 8 << 20  # bytes
MAX_OBJECTS: Final = 1_000  # of one batch; git-lfs asks for 100
MAX_OBJECT: Final = 2 << 30  # bytes
MAX_SAID: Final = 300  # characters of the server's words
FRESH: Final = 600.0  # seconds for which an answer is used at most
SPARE: Final = 10.0  # seconds before a server's address expires
TOO_LARGE: Final = f"It has {{size:.1f}} GiB. The door passes on files in LFS of at most {MAX_OBJECT >> 30} GiB."
NO_BRANCH: Final = "Git LFS does not say which branch the files are for. Push with `git push`."


class BadMessage(ValueError):
    """A message is not a valid Git LFS message. The exception's text says what is wrong."""


class LfsObject(BaseModel):
    """A file in LFS. `oid` is its hash; `size` is in bytes."""

    oid: str = Field(pattern=r"^[0-9a-f]{64}$")
    size: int = Field(ge=0, le=10**15)


class _Ref(BaseModel):
    name: str = Field("", max_length=500)


class Batch(BaseModel):
    """A program's request to download or upload objects. `ref` is the ref that is pushed to."""

    operation: Operation
    objects: list[LfsObject] = Field(max_length=MAX_OBJECTS)
    ref: _Ref | None = None
    hash_algo: Literal["sha256"] = "sha256"

    @classmethod
    def read(cls, body: bytes) -> Self:
        """Parse the batch request of a Git LFS client. Raises BadMessage."""
        try:
            return cls.model_validate_json(body)
        except ValidationError as error:
            raise BadMessage(f"This is not a batch request of Git LFS: {error.errors()[0]['msg']}.") from None

    @classmethod
    def of(cls, operation: Operation, wanted: LfsObject, ref: str) -> Self:
        """Return a batch request for one Git LFS object."""
        return cls(operation=operation, objects=[wanted], ref=_Ref(name=ref) if ref else None)

    @property
    def ref_name(self) -> str:
        return self.ref.name if self.ref else ""

    def asked(self) -> bytes:
        """Return the body of the batch request that the door sends to the server."""
        named = {"ref": {"name": self.ref_name}} if self.ref_name else {}
        objects = [each.model_dump() for each in self.objects]
        return _dump({"operation": self.operation, "transfers": ["basic"], **named, "objects": objects})


class Action(BaseModel):
    """The transfer of an object as the server describes it. `header` may contain a credential of the storage."""

    href: str = Field(max_length=8_000)
    header: dict[str, str] = Field(default={}, repr=False)
    expires_in: float = FRESH
    known_at: float = Field(default_factory=time.monotonic)

    @property
    def is_fresh(self) -> bool:
        return time.monotonic() - self.known_at < min(self.expires_in - SPARE, FRESH)


class _Error(BaseModel):
    code: int = 500
    message: str = ""


class AnsweredObject(BaseModel):
    """The server's answer about one object: how it is transferred, an error, or nothing if the server already has an
    object that is to be uploaded."""

    oid: str
    size: int = 0
    actions: dict[str, Action] = {}
    error: _Error | None = None


class Answer(BaseModel):
    """A server's answer to a batch request of Git LFS."""

    objects: list[AnsweredObject] = Field(max_length=MAX_OBJECTS)
    transfer: Literal["basic"] = "basic"

    @classmethod
    def read(cls, body: bytes) -> Self:
        """Parse the response of a git LFS server to a batch request. Raises BadMessage."""
        try:
            return cls.model_validate_json(body)
        except ValidationError:
            raise BadMessage("The server's answer is not one of Git LFS.") from None


@dataclass(frozen=True, slots=True)
class Told:
    """The response to a program's Git LFS batch request. `problems` maps ids of objects to the reasons why they are not
    transferred."""

    batch: Batch
    name: str
    answer: Answer
    problems: Mapping[str, str] = field(default_factory=dict)
    port: int = PROXY_PORT

    def body(self) -> bytes:
        """Return the body of the LFS batch response for the program. All upload and download addresses in the body lead
        to the door."""
        asked = {each.oid for each in self.batch.objects}
        objects = [self._object(each) for each in self.answer.objects if each.oid in asked]
        return _dump({"transfer": "basic", "objects": objects})

    def _object(self, answered: AnsweredObject) -> Mapping[str, Any]:
        facts = {"oid": answered.oid, "size": answered.size, "authenticated": True}
        if problem := self.problems.get(answered.oid):
            return {**facts, "error": {"code": 403, "message": problem}}
        if answered.error is not None:
            said = shown(answered.error.message)
            return {**facts, "error": {"code": answered.error.code, "message": said}}
        kinds: Sequence[Kind] = ("download",) if self.batch.operation == "download" else ("upload", "verify")
        ref = self.batch.ref_name
        links = {
            kind: {"href": transfer_address(self.name, kind, answered.oid, answered.size, ref, port=self.port)}
            for kind in kinds
            if kind in answered.actions
        }
        return {**facts, **({"actions": links} if links else {})}


def too_large(objects: Sequence[LfsObject]) -> Mapping[str, str]:
    """Return the problem of each object that is too large, by its id."""
    return {each.oid: TOO_LARGE.format(size=each.size / (1 << 30)) for each in objects if each.size > MAX_OBJECT}


def read_locks(body: bytes) -> bytes:
    """Parse a program's request to verify or list Git LFS locks, and return the request for the server with only the
    members `ref`, `cursor` and `limit`. Raises BadMessage."""
    given = _load(body)
    ref = given.get("ref")
    name = ref.get("name") if isinstance(ref, dict) else None
    cursor, limit = given.get("cursor"), given.get("limit")
    asked: dict[str, Any] = {"ref": {"name": name}} if isinstance(name, str) else {}
    asked |= {"cursor": cursor} if isinstance(cursor, str) else {}
    asked |= {"limit": limit} if isinstance(limit, int) else {}
    return _dump(asked)


def shown_locks(body: bytes) -> bytes:
    """Reduce a server's list of Git LFS locks to the members that programs in the workspace may see. Raises
    BadMessage."""
    found = _load(body)
    return _dump({name: found[name] for name in ("ours", "theirs", "next_cursor") if name in found})


def no_locks() -> bytes:
    """Return the body of an empty list of Git LFS locks, as a server without locks sends it."""
    return _dump({"ours": [], "theirs": []})


def said_in(body: bytes) -> str:
    """Return the message in the body of a server's error response; "" if it has none. Raises BadMessage."""
    found = _load(body).get("message")
    return shown(found) if isinstance(found, str) else ""


def shown(text: str) -> str:
    """Return a server's message without unprintable characters, at most `MAX_SAID` characters long."""
    return "".join(filter(str.isprintable, text))[:MAX_SAID]


def problem(sentence: str) -> bytes:
    """Return the body of an error response with a sentence that git-lfs prints."""
    return _dump({"message": sentence})


def _load(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except ValueError:
        raise BadMessage("This is not a message of Git LFS.") from None
    if not isinstance(found, dict):
        raise BadMessage("This is not a message of Git LFS.")
    return found


def _dump(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message).encode()
