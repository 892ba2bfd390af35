"""The VAPID key pair of the site (RFC 8292): the operator's own, or one that is created on first use."""

from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings

from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.encryption import seal, unseal
from sessions_app.push.encryption import CURVE, PRIVATE_BYTES, base64url, public_of, read_private
from sessions_app.push.models import PushKey


def public_key() -> str:
    """Return the site's public VAPID key in base64url, the form that browsers need; creates a key pair if there is
    none. Raises Unavailable if the site cannot encrypt a new private key."""
    if settings.VAPID_PUBLIC_KEY:
        return str(settings.VAPID_PUBLIC_KEY).rstrip("=")
    row = PushKey.objects.first()
    return (row or _create()).public


def private_key() -> ec.EllipticCurvePrivateKey:
    """Return the site's private VAPID key. Raises CannotUnseal if this process cannot decrypt it, ValueError if the
    operator's key is not valid, and PushKey.DoesNotExist if the site has no key pair yet."""
    if not settings.VAPID_PUBLIC_KEY:
        return read_private(unseal(PushKey.objects.get().private))
    key = read_private(settings.VAPID_PRIVATE_KEY)
    if public_of(key) != settings.VAPID_PUBLIC_KEY.rstrip("="):
        raise ValueError("VAPID_PUBLIC_KEY is not the public key of VAPID_PRIVATE_KEY.")
    return key


def _create() -> PushKey:
    key = ec.generate_private_key(CURVE)
    number = key.private_numbers().private_value.to_bytes(PRIVATE_BYTES, "big")
    pair = {"public": public_of(key), "private": seal(base64url(number))}
    with sqlite_write_lock():
        return PushKey.objects.get_or_create(pk=1, defaults=pair)[0]
