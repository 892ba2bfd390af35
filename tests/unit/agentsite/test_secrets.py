import re
import string
import zlib

from agentsite.tenancy.secrets import new_token

ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase


def test_a_new_token_ends_with_the_checksum_of_its_random_part() -> None:
    found = re.fullmatch(r"ags_([0-9A-Za-z]{40})([0-9A-Za-z]{6})", new_token())
    assert found is not None
    body, check = found.groups()
    number = 0
    for digit in check:
        number = number * 62 + ALPHABET.index(digit)
    assert number == zlib.crc32(body.encode())


def test_no_two_tokens_are_the_same() -> None:
    assert len({new_token() for _ in range(100)}) == 100
