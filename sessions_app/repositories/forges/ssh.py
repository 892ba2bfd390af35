"""Test git servers that are reached by ssh, and read the refs of their repositories."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from django.conf import settings

from sessions_app.repositories.forges.access import Access
from sessions_app.repositories.forges.port import ForgeError
from tools_app.network.destination import ConnectionRefused, Unreachable
from tools_app.network.git.ssh_address import stored_place
from tools_app.network.git.ssh_keys import SshLogin
from tools_app.network.git.ssh_server import HostKeyChanged, NotAccepted, SshServer, log_in
from tools_app.network.git.target import FETCH, GitTarget
from tools_app.network.upstream import Upstream
from tools_app.web.address import BadAddress
from tools_app.web.rules import WebRules

MAX_ANSWER: Final = 64 << 20  # bytes
REGISTER: Final = "Register the connection's public key at the server as a deploy key, then test the connection again."


def ssh_login(access: Access) -> SshLogin:
    """Return the ssh key of a connection of the kind `ssh`. Raises ForgeError."""
    if access.ssh is None:
        raise ForgeError("credential", "This connection has no key.", REGISTER)
    return access.ssh


async def test_ssh(access: Access) -> str:
    """Log in to the server by ssh, and return its public host key. Raises ForgeError."""
    login = replace(ssh_login(access), is_test=True)
    try:
        connection, found = await log_in(_upstream(), stored_place(access.base_url), login)
    except NotAccepted:
        raise ForgeError("credential", "The server does not accept the key.", REGISTER) from None
    except HostKeyChanged as error:
        raise ForgeError("credential", str(error)) from None
    except (ConnectionRefused, Unreachable, BadAddress) as error:
        raise ForgeError("address", str(error)) from None
    connection.close()
    return found


class SshClient:
    """A client that reads the refs of a repository, with the interface of ForgeClient."""

    def __init__(self, access: Access, clone_url: str) -> None:
        self._login = ssh_login(access)
        self._place = stored_place(clone_url)

    async def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | int] | None = None,
        content: Mapping[str, Any] | bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """Send a request of git's protocol over ssh and return the body of a successful response. Raises ForgeError."""
        target = GitTarget("x", FETCH, announces=path.startswith("/info/refs"))
        answer = b""
        try:
            async with SshServer(_upstream(), self._place, self._login, target) as server:
                given = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
                await server.begin(method.encode(), given)
                if isinstance(content, bytes):
                    await server.send(content)
                response = await server.respond()
                _require_success(response.status_code)
                async for piece in server.body():
                    answer += piece
                    if len(answer) > MAX_ANSWER:
                        raise ForgeError("broken", "The server's answer is too long.")
        except HostKeyChanged as error:
            raise ForgeError("credential", str(error)) from None
        except (ConnectionRefused, Unreachable) as error:
            raise ForgeError("address", str(error)) from None
        except OSError:
            raise ForgeError("address", f"{self._place.host.origin} ended the connection.") from None
        return answer


def _require_success(status: int) -> None:
    if status in (401, 403):
        raise ForgeError("credential", "The server does not accept the key.", REGISTER)
    if status == 404:
        raise ForgeError("missing", "There is no such repository, or the key may not read it.", REGISTER)
    if status != 200:
        raise ForgeError("broken", "The server did not answer as a git server does.", "Check the address.")


def _upstream() -> Upstream:
    return Upstream(WebRules.exempting(settings.NETWORK_ALLOW))
