"""Let people sign in at a provider with a code, and store the resulting credential as the provider's key."""

import json
import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from channels.layers import get_channel_layer
from django.utils import timezone

from agentsite.base.background import background
from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import SiteError
from agentsite.tenancy.actions.providers import note_sign_in, replace_key
from agentsite.tenancy.encryption import CannotUnseal, unseal
from agentsite.tenancy.models import Provider, User
from agentsite.tenancy.provider_kinds import KINDS
from agentsite.tenancy.sign_in_clients import client_of, require_sign_in
from sessions_app.llm.port import LlmError
from sessions_app.workers.agent.provider_keys import gateway


def answer_sign_in(provider_id: uuid.UUID, *, begin: bool, actor_id: uuid.UUID, reply_to: str) -> None:
    """Begin or continue a sign-in at a provider, and send {"ok": state} or {"error": ...} on the private reply
    channel."""
    provider = Provider.objects.filter(pk=provider_id).first()
    actor = User.objects.filter(pk=actor_id, is_active=True).first()
    if provider is None or actor is None:
        answer: Mapping[str, Any] = {"error": {"code": ErrorCode.NOT_FOUND, "message": "This provider was deleted."}}
    else:
        answer = _answer(provider, actor, begin=begin)
    background.run(get_channel_layer().send(reply_to, {"type": "provider.answer", **answer}))


def _answer(provider: Provider, actor: User, *, begin: bool) -> Mapping[str, Any]:
    try:
        return {"ok": _begin(provider) if begin else _continue(provider, actor)}
    except LlmError as error:
        return {"ok": {"state": "failed", "message": error.message, "hint": error.hint}}
    except SiteError as error:  # the person has lost the right meanwhile
        return {"ok": {"state": "failed", "message": str(error), "hint": error.hint}}


def _begin(provider: Provider) -> Mapping[str, Any]:
    kind = KINDS[provider.kind]
    require_sign_in(kind)
    device = background.run(gateway.sign_in.begin(kind.exchange, client_of(kind)))
    until = timezone.now() + timedelta(seconds=device.lifetime)
    note_sign_in(provider.pk, json.dumps({"code": device.code}), until)
    return {
        "state": "pending", "user_code": device.user_code, "address": device.address, "interval": device.interval,
        "expires_at": until.isoformat(),
    }  # fmt: skip


def _continue(provider: Provider, actor: User) -> Mapping[str, Any]:
    if not provider.sealed_sign_in or provider.sign_in_until is None or provider.sign_in_until < timezone.now():
        return {"state": "expired"}
    try:
        code = json.loads(unseal(provider.sealed_sign_in))["code"]
    except CannotUnseal:
        return {"state": "expired"}
    kind = KINDS[provider.kind]
    state, credential = background.run(gateway.sign_in.poll(kind.exchange, client_of(kind), code))
    if state == "done":
        replace_key(actor=actor, provider=provider, key=credential, shows_ending=kind.exchange == "copilot")
    if state != "pending":
        note_sign_in(provider.pk, "", None)
    return {"state": state}
