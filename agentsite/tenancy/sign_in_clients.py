"""The site's OAuth clients, with which people sign in at model providers."""

from django.conf import settings

from agentsite.base.errors import BadInput
from agentsite.tenancy.provider_kinds import ProviderKind


def client_of(kind: ProviderKind) -> str:
    """Return the id of the site's OAuth client at the provider; "" if operators have set none."""
    return str(getattr(settings, kind.client_setting)) if kind.client_setting else ""


def require_sign_in(kind: ProviderKind) -> None:
    """Raise BadInput, with what to do instead, if people cannot sign in at this kind of provider."""
    if not kind.signs_in:
        raise BadInput("This kind of provider has no sign-in.", hint="Set its key instead.")
    if not client_of(kind):
        raise BadInput(
            f"This site has no OAuth client for {kind.title}, so nobody can sign in with a code.",
            hint=f"Ask an operator to set {kind.client_setting}; `docs/models.md` says how. Until then, set a token as"
            " the key.",
        )


def sign_in_problem(kind: ProviderKind) -> str:
    """Return the reason why people cannot sign in at a provider of this kind, in whole sentences.

    Returns "" if they can, or if providers of this kind have no sign-in.
    """
    if not kind.signs_in:
        return ""
    try:
        require_sign_in(kind)
    except BadInput as error:
        return f"{error.message} {error.hint}"
    return ""
