"""An identity provider on this machine."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the provider warns of its own libraries
    from oidc_provider_mock import User as Identity
    from oidc_provider_mock import run_server_in_thread

NAME: Final = "Example"


def _identity(sub: str, email: str, *, verified: bool) -> Any:
    claims = {"email": email, "email_verified": verified, "name": sub.title()}
    return Identity(sub=sub, claims=claims)


@contextmanager
def identity_provider() -> Iterator[str]:
    """Run an identity provider; yield its address.

    It knows `ada` with a confirmed e-mail address, `eve` with the same address unconfirmed, and `new` with another
    unconfirmed address.
    """
    people = [
        _identity("ada", "ada@example.org", verified=True),
        _identity("eve", "ada@example.org", verified=False),
        _identity("new", "new@example.org", verified=False),
    ]
    with run_server_in_thread(user_claims=people) as server:
        yield f"http://localhost:{server.server_port}"
