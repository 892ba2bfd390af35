"""Mark e-mail addresses as verified without a confirmation e-mail, for accounts that operators or the demo create."""

from allauth.account.models import EmailAddress

from agentsite.tenancy.models import User


def mark_address_verified(user: User) -> None:
    """Mark the account's primary e-mail address as verified, so that the person can sign in."""
    EmailAddress.objects.update_or_create(user=user, email=user.email, defaults={"verified": True, "primary": True})
