"""Store the credentials of sign-ins at providers whenever they are renewed, so that all agent workers use the newest
ones."""

from typing import Final

from asgiref.sync import sync_to_async

from agentsite.base.ids import from_public
from agentsite.tenancy.actions.providers import keep_renewed_key
from agentsite.tenancy.encryption import CannotUnseal, unseal
from agentsite.tenancy.models import Provider
from sessions_app.llm.port import ModelEndpoint
from sessions_app.queueing import is_first

RENEWAL_SECONDS: Final = 20.0  # in which one process renews, and the others wait for its result


class ProviderCredentials:
    """Access to the stored credentials of sign-ins at providers. They are stored in place of the providers' API
    keys."""

    async def may_renew(self, endpoint: ModelEndpoint) -> bool:
        """Return whether this process may renew the credential: it must be the first to ask within
        `RENEWAL_SECONDS`."""
        return await sync_to_async(is_first, thread_sensitive=False)(f"renew:{endpoint.provider}", RENEWAL_SECONDS)

    async def newest(self, endpoint: ModelEndpoint) -> str:
        """Return the stored credential of the model's provider, which another process may have renewed; "" if there is
        none."""
        return await sync_to_async(_newest, thread_sensitive=False)(endpoint.provider)

    async def keep(self, endpoint: ModelEndpoint, before: str, key: str) -> None:
        """Store a renewed credential, unless somebody has meanwhile replaced the credential `before`."""
        await sync_to_async(_keep, thread_sensitive=False)(endpoint.provider, before, key)


def _newest(provider: str) -> str:
    row = Provider.objects.filter(pk=from_public(Provider.PREFIX, provider)).only("sealed_key").first()
    return _key_of(row)


def _keep(provider: str, before: str, key: str) -> None:
    row = Provider.objects.filter(pk=from_public(Provider.PREFIX, provider)).only("sealed_key").first()
    if row is not None and _key_of(row) == before:
        keep_renewed_key(row.pk, sealed_before=row.sealed_key, key=key)


def _key_of(row: Provider | None) -> str:
    try:
        return unseal(row.sealed_key) if row is not None and row.sealed_key else ""
    except CannotUnseal:
        return ""
