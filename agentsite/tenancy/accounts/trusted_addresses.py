"""E-mail addresses that count as a person's own without a letter: somebody who may has vouched for them."""

from allauth.account.models import EmailAddress

from agentsite.tenancy.models import User


def vouch_for_address(user: User) -> None:
    """The account's address is confirmed, so that its person can sign in."""
    EmailAddress.objects.update_or_create(user=user, email=user.email, defaults={"verified": True, "primary": True})
