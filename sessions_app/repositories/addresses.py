"""Check and normalize the addresses of forges and repositories."""

import re
from typing import Final

from django.conf import settings

from agentsite.base.errors import BadInput
from sessions_app.repositories.forges.kinds import ADDRESSES
from sessions_app.repositories.models import Connection
from tools_app.network.git.ssh_address import SshPlace, check_path, is_ssh, parse_ssh, stored_place
from tools_app.web.address import BadAddress, WebAddress, parse_address
from tools_app.web.rules import AddressRefused, WebRules

MAX_NAME_CHARS: Final = 300
SSH_NEEDS: Final = "A repository with an address of ssh needs a connection of the kind ssh."
_SEGMENT: Final = re.compile(r"[A-Za-z0-9_.~-]+")


def forge_address(kind: str, text: str) -> str:
    """Return the normalized address of a forge; if the text is empty, return the address of the public site of this
    kind of forge. Raises BadInput."""
    if kind == Connection.Kind.SSH:
        return _ssh_server(text)
    text = text.strip() or ADDRESSES.get(kind, "")
    if not text:
        raise BadInput("The address of the server is missing.", fields={"base_url": "such as https://git.example.org"})
    return _checked(text, "base_url").removesuffix("/")


def clone_address(connection: Connection | None, name: str, url: str) -> tuple[str, str]:
    """Return the clone URL and the full name of a repository: `name` at the connection's forge, or a `url`.

    Raises BadInput, also for a URL that is not below the connection's address, because its credential must not be sent
    elsewhere.
    """
    if bool(name.strip()) == bool(url.strip()):
        raise BadInput("Give the name of a repository, or its address.", fields={"name": "either this or url"})
    if connection is not None and connection.kind == Connection.Kind.SSH:
        return _ssh_repository(connection, name, url)
    if url.strip():
        if is_ssh(url):
            raise BadInput(SSH_NEEDS, fields={"url": "an https:// address, or a connection of the kind ssh"})
        address = _checked(url, "url").removesuffix("/")
        if connection is not None and not address.startswith(f"{connection.base_url}/"):
            raise BadInput(
                "This repository is not at the connection's server.",
                fields={"url": f"an address below {connection.base_url}/"},
            )
        base = connection.base_url if connection else address[: address.index("/", 8) if "/" in address[8:] else None]
        return address, _full_name(address.removeprefix(base), "url")
    if connection is None:
        raise BadInput("A name needs a connection.", fields={"connection": "missing", "name": "give the url instead"})
    full_name = _full_name(name, "name")
    ending = "" if connection.kind == Connection.Kind.GIT else ".git"
    return f"{connection.base_url}/{full_name}{ending}", full_name


def _ssh_server(text: str) -> str:
    try:
        place = parse_ssh(text)
        WebRules.exempting(settings.NETWORK_ALLOW).check(place.host)
    except (BadAddress, AddressRefused) as error:
        raise BadInput("This address cannot be used.", fields={"base_url": str(error)}) from error
    return str(SshPlace(place.user, place.host))


def _ssh_repository(connection: Connection, name: str, url: str) -> tuple[str, str]:
    field = "url" if url.strip() else "name"
    try:
        place = parse_ssh(url) if url.strip() else stored_place(connection.base_url)
        path = place.path if url.strip() else check_path(name.strip())
    except BadAddress as error:
        raise BadInput("This address cannot be used.", fields={field: str(error)}) from error
    if str(SshPlace(place.user, place.host)) != connection.base_url:
        raise BadInput(
            "This repository is not at the connection's server.", fields={"url": f"an address at {connection.base_url}"}
        )
    full_name = path.strip("/").removesuffix(".git")
    if not full_name:
        raise BadInput("This is not the name of a repository.", fields={field: "such as team/shop.git"})
    return str(SshPlace(place.user, place.host, path)), full_name


def _full_name(path: str, field: str) -> str:
    full_name = path.strip().strip("/").removesuffix(".git")
    segments = full_name.split("/")
    if len(full_name) > MAX_NAME_CHARS or not all(map(_is_segment, segments)):
        raise BadInput("This is not the name of a repository.", fields={field: "such as owner/name"})
    return full_name


def _is_segment(text: str) -> bool:
    return _SEGMENT.fullmatch(text) is not None and text.strip(".") != ""


def _checked(text: str, field: str) -> str:
    try:
        address = parse_address(text)
        rules = WebRules.exempting(settings.NETWORK_ALLOW)
        rules.check(address)
    except (BadAddress, AddressRefused) as error:
        raise BadInput("This address cannot be used.", fields={field: str(error)}) from error
    if problem := _problem(address, rules):
        raise BadInput("This address cannot be used.", fields={field: problem})
    return str(address)


def _problem(address: WebAddress, rules: WebRules) -> str:
    if address.scheme != "https" and not rules.exempts(address):
        return "it must begin with https://, because credentials are only sent over TLS"
    return "it cannot have a query" if "?" in address.target else ""
