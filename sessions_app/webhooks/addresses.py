"""Which addresses a webhook may have, as far as can be said before anybody is asked for the name's addresses."""

from django.conf import settings

from agentsite.base.errors import BadInput
from tools_app.web.address import BadAddress, parse_address
from tools_app.web.rules import AddressRefused, WebRules


def webhook_address(text: str) -> str:
    """The canonical spelling. Raises BadInput with the reason."""
    try:
        address = parse_address(text)
        WebRules.exempting(settings.WEBHOOK_ALLOW).check(address)
    except (BadAddress, AddressRefused) as error:
        raise BadInput("A webhook cannot be sent there.", fields={"url": str(error)}) from error
    return str(address)
