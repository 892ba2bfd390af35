"""AddedSecret: a secret that the door (network proxy) adds to requests for named hosts, so that no program has it.
Pure."""

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import quote, unquote_plus

from tools_app.masking import Masks
from tools_app.web.address import BadAddress, parse_address

AddedAs = Literal["bearer", "basic", "header", "query"]
"""`bearer`: `Authorization: Bearer VALUE`. `basic`: `Authorization: Basic` with the value `user:password` in base64.
`header`: the value of a header. `query`: the value of a parameter in the address."""

ADDED_AS: Final[tuple[AddedAs, ...]] = ("bearer", "basic", "header", "query")
HTTPS_PORT: Final = 443
MAX_NAME_CHARACTERS: Final = 100
_TOKEN: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", re.ASCII)
_PARAMETER: Final = re.compile(r"[A-Za-z0-9._~-]+", re.ASCII)
_VISIBLE: Final = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_OF_CONNECTION: Final = frozenset(
    {"host", "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "content-length", "expect",
     "accept-encoding", "content-type", "content-encoding", "range"}
)  # fmt: skip

Header = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class AddedSecret:
    """A secret, the hosts that it is for (`host` or `host:port`), and how it is added to a request. `key` identifies
    it."""

    key: str
    name: str
    value: str
    places: tuple[str, ...]
    added_as: AddedAs = "bearer"
    added_name: str = ""

    @property
    def header(self) -> str:
        """The name of the header; "" if the secret is added as a parameter."""
        if self.added_as == "query":
            return ""
        return self.added_name if self.added_as == "header" else "Authorization"

    @property
    def header_value(self) -> str:
        if self.added_as == "bearer":
            return f"Bearer {self.value}"
        return f"Basic {_base64(self.value)}" if self.added_as == "basic" else self.value

    def is_for(self, host: str, port: int) -> bool:
        return place_of(host, port) in self.places

    @property
    def masked_texts(self) -> tuple[str, ...]:
        """Texts to mask in responses, because a server could repeat them: the value, and the password or token in
        it."""
        if self.added_as == "basic":
            return self.value, self.value.partition(":")[2]
        return self.value, self.value.rpartition(" ")[2]


def place_of(host: str, port: int) -> str:
    """Return the host as secrets name it: `host`, or `host:port` unless the port is 443."""
    return host if port == HTTPS_PORT else f"{host}:{port}"


def parse_place(text: str) -> str:
    """Return a host, with its port unless it is 443, in canonical spelling. Raises ValueError, whose text is for
    people."""
    text = text.strip()
    if "*" in text:
        raise ValueError(f"'{text[:100]}' is a pattern: write the whole name of each host, without wildcards.")
    try:
        address = parse_address(f"https://{text}/")
    except BadAddress as error:
        raise ValueError(str(error)) from None
    if address.target != "/" or "/" in text or "@" in text:
        raise ValueError(f"'{text[:100]}' is not a host: write a name such as api.example.com.")
    if address.ip is not None or "." not in address.host:
        raise ValueError(f"'{text[:100]}' is not the full name of a host, such as api.example.com.")
    return place_of(address.host, address.port)


def header_problem(name: str) -> str:
    """Return the reason why no secret can be added as a header with this name, or ""."""
    if not _TOKEN.fullmatch(name) or len(name) > MAX_NAME_CHARACTERS:
        return "a header's name consists of letters, digits and hyphens"
    if name.lower() in _OF_CONNECTION or name.lower().startswith(("proxy-", "sec-")):
        return "this header is part of the connection"
    return ""


def parameter_problem(name: str) -> str:
    """Return the reason why no secret can be added as a query parameter with this name, or ""."""
    if not _PARAMETER.fullmatch(name) or len(name) > MAX_NAME_CHARACTERS:
        return "a parameter's name consists of letters, digits, '.', '_', '~' and '-'"
    return ""


def value_problem(value: str, added_as: AddedAs) -> str:
    """Return why this value cannot be part of a request, or ""."""
    if not _VISIBLE.fullmatch(value):
        return "a value that is added to requests has only visible ASCII characters, and spaces between them"
    if added_as == "basic" and ":" not in value:
        return "for basic authentication, the value is 'user:password'"
    return ""


def with_secrets(
    target: bytes, headers: Sequence[Header], secrets: Sequence[AddedSecret]
) -> tuple[bytes, list[Header]]:
    """Return the target and headers of a request with the secrets added. A secret replaces the value that the program
    sent in the same header or parameter. If several secrets have the same header or parameter, the last one wins."""
    added = {secret.header.lower(): (secret.header, secret.header_value) for secret in secrets if secret.header}
    kept = [(name, value) for name, value in headers if name.lower().decode("latin-1") not in added]
    for secret in secrets:
        if not secret.header:
            target = _with_parameter(target, secret.added_name, secret.value)
    return target, [*kept, *((name.encode(), value.encode()) for name, value in added.values())]


def _with_parameter(target: bytes, name: str, value: str) -> bytes:
    path, _, query = target.partition(b"?")
    others = [part for part in query.split(b"&") if part and _name_of(part) != name]
    return path + b"?" + b"&".join([*others, f"{name}={quote(value, safe='')}".encode()])


def _name_of(part: bytes) -> str:
    return unquote_plus(part.partition(b"=")[0].decode("latin-1"))


def masks_of(secrets: Sequence[AddedSecret]) -> Masks:
    """Return the masks that hide these secrets in responses."""
    return Masks((secret.name, text) for secret in secrets for text in secret.masked_texts)


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
