"""Validate webhook addresses, as far as possible without resolving their host names."""

from django.conf import settings

from agentsite.base.errors import BadInput
from tools_app.web.address import BadAddress, parse_address
from tools_app.web.rules import AddressRefused, WebRules


def webhook_address(text: str) -> str:
    """Check the address of a webhook, and return it normalized. Raises BadInput with the reason if it is not
    allowed."""
    try:
        address = parse_address(text)
        WebRules.exempting(settings.WEBHOOK_ALLOW).check(address)
    except (BadAddress, AddressRefused) as error:
        raise BadInput("This address cannot be used for a webhook.", fields={"url": str(error)}) from error
    return str(address)
