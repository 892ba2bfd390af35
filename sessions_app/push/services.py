"""The push services of browsers, to which the site sends notices."""

from typing import Final

from django.conf import settings

from agentsite.base.errors import BadInput
from tools_app.web.address import BadAddress, WebAddress, parse_address
from tools_app.web.rules import AddressRefused, WebRules

KNOWN: Final = (
    "fcm.googleapis.com",
    "jmt17.google.com",
    "updates.push.services.mozilla.com",
    "push.apple.com",
    "notify.windows.com",
)
"""Hosts of the services of Chrome, Firefox, Safari and Edge. Their subdomains are accepted, too."""
MAX_ADDRESS_CHARS: Final = 2_000


def service_address(text: str) -> WebAddress:
    """Return the address of a browser at its push service. Raises BadInput if the site does not send to this service.

    A browser names its own service. Without this check, people could make the site send requests to any host.
    """
    try:
        address = parse_address(text)
        rules = WebRules.exempting(settings.PUSH_ALLOW)
        rules.check(address)
    except (BadAddress, AddressRefused) as error:
        raise BadInput("This address cannot be used for push notices.", fields={"endpoint": str(error)}) from error
    if not rules.exempts(address) and not (address.scheme == "https" and is_known(address.host)):
        raise BadInput(
            f"This site does not send notices through {address.host}.",
            hint="Ask the operators of this site to add the push service of your browser to PUSH_ALLOW.",
            fields={"endpoint": "not a known push service"},
        )
    return address


def is_known(host: str) -> bool:
    return any(host == known or host.endswith(f".{known}") for known in KNOWN)
