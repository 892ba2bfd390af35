"""The addresses of previews: one host name, and so one origin, for each port of each workspace."""

import re
import uuid
from typing import Final, NamedTuple
from urllib.parse import urlsplit

_HOST: Final = re.compile(r"\{id\}(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+")
_LABEL: Final = re.compile(r"([1-9][0-9]{0,4})-([0-9a-f]{32})")
_ADVICE: Final = "AGENTSITE_PREVIEW_URL must be like https://{id}.preview.example.net, without a path."
MAX_PORT: Final = 65_535


class PreviewPlace(NamedTuple):
    """The workspace and the port whose pages a preview shows."""

    port: int
    workspace: uuid.UUID

    @property
    def label(self) -> str:
        """The first label of the preview's host name."""
        return f"{self.port}-{self.workspace.hex}"


def preview_address(given: str, port: int, site_url: str) -> str:
    """Return the pattern of the addresses of previews, with `{id}` for the label, or "" if there are no previews.

    `given` is the operator's setting. "none" turns previews off. "" means addresses below `localhost`, which browsers
    resolve to their own machine, if the site itself is at `localhost`. Raises SystemExit if the pattern is not valid.
    """
    if given == "none":
        return ""
    if not given:
        is_local = port and is_here(urlsplit(site_url).hostname or "")
        return f"http://{{id}}.preview.localhost:{port}" if is_local else ""
    parts = urlsplit(given.rstrip("/"))
    host = (parts.hostname or "").lower()
    if parts.scheme not in ("http", "https") or parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        raise SystemExit(_ADVICE)
    if not _HOST.fullmatch(host):
        raise SystemExit(_ADVICE)
    if parts.scheme == "http" and not is_here(host):
        raise SystemExit("AGENTSITE_PREVIEW_URL must begin with https://, because browsers keep its cookie only then.")
    return f"{parts.scheme}://{parts.netloc.lower()}"


def is_here(host: str) -> bool:
    """Return whether browsers resolve the host name to their own machine."""
    return host in ("localhost", "127.0.0.1", "::1") or host.endswith(".localhost")


def place_of_host(host: str, pattern: str) -> PreviewPlace | None:
    """Return the port and workspace of the preview at this host name; None if it is not a preview's host name.

    `host` is the content of a Host header.
    """
    name = host.strip().lower().partition(":")[0]
    label, dot, rest = name.partition(".")
    if not dot or rest != (urlsplit(pattern).hostname or "").partition(".")[2]:
        return None
    return place_of_label(label)


def place_of_label(label: str) -> PreviewPlace | None:
    found = _LABEL.fullmatch(label)
    if found is None or int(found[1]) > MAX_PORT:
        return None
    return PreviewPlace(int(found[1]), uuid.UUID(hex=found[2]))


def framing_origins(site_url: str) -> str:
    """Return the origins whose pages may show previews in frames, for a content security policy. A site on this machine
    has two origins, because it has two host names."""
    parts = urlsplit(site_url)
    port = f":{parts.port}" if parts.port else ""
    names = ("localhost", "127.0.0.1") if is_here(parts.hostname or "") else (parts.hostname or "",)
    return " ".join(f"{parts.scheme}://{name}{port}" for name in names)
