"""Every letter that allauth may ask for is written, and says what it is for."""

from pathlib import Path

import allauth
import pytest

from agentsite.tenancy.accounts.emails import LETTERS, write_letter

ROOT = Path(allauth.__file__).parent / "templates"
# Letters of ways to sign in that the site does not have.
UNUSED = {"account/email/login_code", "account/email/base", "account/email/base_notification"}


def _asked_for() -> set[str]:
    subjects = [*ROOT.glob("account/email/*_subject.txt"), *ROOT.glob("*/email/*_subject.txt")]
    return {str(path.relative_to(ROOT)).removesuffix("_subject.txt") for path in subjects} - UNUSED


def test_every_letter_is_written() -> None:
    assert _asked_for() - set(LETTERS) <= {"account/email/password_reset_code"}


@pytest.mark.parametrize("name", sorted(LETTERS))
def test_a_letter_has_no_hole_and_no_markup(name: str) -> None:
    letter = write_letter(name, {"activate_url": "https://x/1"}, site="https://agents.example.org")
    assert "{" not in letter.text
    assert letter.subject
    assert letter.text.endswith("\n")


def test_what_people_named_themselves_is_no_template() -> None:
    letter = write_letter("account/email/email_deleted", {"deleted_email": "{site.__class__}"}, site="https://x")
    assert "{site.__class__}" in letter.text
