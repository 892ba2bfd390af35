"""Encryption of stored values: the processes that can decrypt them, and key rotation."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from agentsite.base.errors import Unavailable
from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.encryption import SECRETS, CannotUnseal, make_pair, seal, unseal
from agentsite.tenancy.key_pairs import KeyPair
from agentsite.tenancy.variable_encryption import VARIABLES

PAIRS = ("SEALING", "VARIABLES", "DOOR")


def test_what_is_sealed_is_read_with_the_private_key_only(settings: Settings) -> None:
    sealed = seal("sk-canary-ünder")
    assert "canary" not in sealed
    assert unseal(sealed) == "sk-canary-ünder"
    settings.SEALING_PRIVATE_KEYS = []
    with pytest.raises(CannotUnseal):
        unseal(sealed)


def test_the_same_text_is_sealed_differently_each_time() -> None:
    assert seal("same") != seal("same")


def test_a_site_without_a_key_refuses_to_keep_a_secret(settings: Settings) -> None:
    settings.SEALING_PUBLIC_KEY = ""
    with pytest.raises(Unavailable, match="no key to encrypt"):
        seal("sk-canary")


@pytest.mark.parametrize("pair", [SECRETS, VARIABLES, DOOR], ids=PAIRS)
def test_each_pair_reads_only_what_was_encrypted_with_it(pair: KeyPair) -> None:
    for other in (SECRETS, VARIABLES, DOOR):
        if other is pair:
            assert pair.unseal(other.seal("a canary")) == "a canary"
        else:
            with pytest.raises(CannotUnseal):
                pair.unseal(other.seal("a canary"))


@pytest.mark.parametrize("text", ["", "plain", "sealed1:", "sealed1:AAAA", "sealed1:" + "A" * 200, "sealed1:ü"])
def test_what_was_never_sealed_is_not_read(text: str) -> None:
    with pytest.raises(CannotUnseal):
        unseal(text)


def test_after_a_rotation_old_and_new_are_read(settings: Settings) -> None:
    old = seal("old")
    private, public = make_pair()
    settings.SEALING_PUBLIC_KEY = public
    settings.SEALING_PRIVATE_KEYS = [private, *settings.SEALING_PRIVATE_KEYS]
    new = seal("new")
    assert (unseal(old), unseal(new)) == ("old", "new")
    assert (SECRETS.is_sealed_for_newest(old), SECRETS.is_sealed_for_newest(new)) == (False, True)


@pytest.mark.django_db
def test_resealing_needs_a_process_that_may_read(settings: Settings) -> None:
    settings.SEALING_PRIVATE_KEYS = []
    with pytest.raises(CommandError, match="SEALING_PRIVATE_KEYS"):
        call_command("reseal_secrets", stdout=StringIO())


def test_a_new_pair_is_printed_as_settings() -> None:
    out = StringIO()
    call_command("make_sealing_keys", stdout=out)
    names = [line.partition("=")[0] for line in out.getvalue().splitlines()]
    assert names == [f"{pair}_{key}" for pair in PAIRS for key in ("PUBLIC_KEY", "PRIVATE_KEYS")]
