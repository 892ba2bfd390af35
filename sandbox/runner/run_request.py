"""RunRequest: the fields of a request to run a command."""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from .digests import small_digest
from .errors import REFUSED, Refusal

OUTPUT_LIMIT: Final = 8 << 20  # bytes kept of a call's output
TIMEOUT_LIMIT: Final = 24 * 3600.0  # seconds
SERVICE_TIMEOUT: Final = 30 * TIMEOUT_LIMIT
SERVICE_FLOOD: Final = 1 << 60  # bytes: as much output as it likes


class RunRequest(NamedTuple):
    """The fields of a `run` or `start` request."""

    call_id: str
    command: str
    workdir: str
    exact: bool
    timeout: float
    env: Mapping[str, str]
    output_limit: int
    flood_limit: int
    owner: str
    background: bool
    service: bool

    @property
    def kind(self) -> str:
        return "service" if self.service else "background" if self.background else "command"

    @classmethod
    def parse(cls, header: Mapping[str, Any], *, background: bool = False) -> "RunRequest":
        """Return the request that a header describes. Raises Refusal if it is incomplete or invalid."""
        service = background and header.get("service") is True
        try:
            request = cls(
                call_id=str(header["call_id"]),
                command=str(header["command"]),
                workdir=str(header["workdir"]),
                exact=header.get("exact") is True,
                timeout=SERVICE_TIMEOUT if service else min(float(header["timeout"]), TIMEOUT_LIMIT),
                env={str(name): str(value) for name, value in header["env"].items()},
                output_limit=max(0, min(int(header["output_limit"]), OUTPUT_LIMIT)),
                flood_limit=SERVICE_FLOOD if service else int(header["flood_limit"]),
                owner=str(header.get("owner", "")),
                background=background,
                service=service,
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise Refusal(REFUSED, "The run request has a missing or invalid field.") from error
        if "\0" in request.command or any("\0" in f"{n}{v}" or "=" in n or not n for n, v in request.env.items()):
            raise Refusal(REFUSED, "The command or its environment has a zero byte or an invalid variable name.")
        return request

    def digest(self) -> str:
        """Return the hash of the fields that must be equal when a call id is used again.

        Variables may change between the start of a command and a repeated request for its result.
        """
        fields = [self.command, self.workdir, self.timeout, self.output_limit]
        if self.background:
            fields += ["background", self.owner]
        if self.service:
            fields += ["service"]
        return small_digest(json.dumps(fields).encode())
