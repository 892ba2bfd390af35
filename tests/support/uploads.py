"""Uploads of files to a session, as a person or a tool sends them."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from sessions_app.actions.attachments import upload_attachment
from sessions_app.models import Attachment, Session
from tests.support.builders import bearer
from tests.support.session_site import SessionSite


@pytest.fixture
def storage(settings: Settings, tmp_path: Path) -> Path:
    """Return the folder that attachments are stored in."""
    settings.ATTACHMENT_STORAGE = (tmp_path / "attachments").as_uri()
    return tmp_path / "attachments"


def stored(storage: Path) -> list[str]:
    return sorted(path.name for path in storage.rglob("*") if path.is_file())


def attach(site: SessionSite, session: Session, name: str, content: bytes) -> Attachment:
    return upload_attachment(actor=site.user, session=session, name=name, content=content)


def post_file(site: SessionSite, session: Session, name: str, content: bytes, media_type: str = "text/html") -> Any:
    """Upload a file over REST, as a program with a token."""
    file = SimpleUploadedFile(name, content, content_type=media_type)
    path = f"/api/v1/sessions/{session.public_id}/attachments"
    return Client().post(path, {"file": file}, headers=bearer(site.user))
