"""Every account e-mail that allauth can send has a subject and a text."""

from pathlib import Path

import allauth
import pytest

from agentsite.tenancy.accounts.emails import EMAILS, render_email

ROOT = Path(allauth.__file__).parent / "templates"
# E-mails of sign-in methods that the site does not offer.
UNUSED = {"account/email/login_code", "account/email/base", "account/email/base_notification"}


def _asked_for() -> set[str]:
    subjects = [*ROOT.glob("account/email/*_subject.txt"), *ROOT.glob("*/email/*_subject.txt")]
    return {str(path.relative_to(ROOT)).removesuffix("_subject.txt") for path in subjects} - UNUSED


def test_every_email_is_written() -> None:
    assert _asked_for() - set(EMAILS) <= {"account/email/password_reset_code"}


@pytest.mark.parametrize("name", sorted(EMAILS))
def test_an_email_has_no_hole_and_no_markup(name: str) -> None:
    mail = render_email(name, {"activate_url": "https://x/1"}, site="https://agents.example.org")
    assert "{" not in mail.text
    assert mail.subject
    assert mail.text.endswith("\n")


def test_what_people_named_themselves_is_no_template() -> None:
    mail = render_email("account/email/email_deleted", {"deleted_email": "{site.__class__}"}, site="https://x")
    assert "{site.__class__}" in mail.text
