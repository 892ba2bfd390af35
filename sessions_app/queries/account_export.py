"""Export everything the site stores about a person as an archive of JSON files: the account, and their work in
sessions."""

import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any, Final

from agentsite.base.ids import to_public
from agentsite.tenancy.accounts import export
from agentsite.tenancy.models import User
from sessions_app.models import (
    Attachment,
    Configuration,
    McpAccount,
    Message,
    Part,
    PermissionRequest,
    ReviewComment,
    Session,
    SkillPackage,
    Variable,
)

_READ_ME: Final = """The data that this site stores about you.

profile.json       your account: addresses, MFA methods and identity providers (without secrets), devices
memberships.json   your teams and roles
invitations.json   invitations to your address
tokens.json        your API tokens, without the tokens themselves
variables.json     your own variables, with their values
configuration.json your own configuration document and instructions
skills.json        the skills that you uploaded for yourself
mcp_accounts.json  the MCP servers at which you have signed in, without the tokens
sessions.json      the sessions that you started and can still see
prompts.json       your prompts
files.json         the files that you attached
comments.json      your review comments, drafts too
answers.json       permission requests that you answered
audit.json         your actions in the audit log
"""


def write_export(user: User, target: IO[bytes]) -> None:
    """Write the archive of a person's data to `target`, row by row, because a person may have written a lot."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", _READ_ME)
        archive.writestr("profile.json", json.dumps(export.profile_of(user), indent=1))
        for name, rows in LISTS.items():
            with archive.open(f"{name}.json", "w") as file:
                _write_list(file, rows(user))


def _write_list(file: IO[bytes], rows: Iterator[dict[str, Any]]) -> None:
    before = b"["
    for row in rows:
        file.write(before + b"\n" + json.dumps(row).encode())
        before = b","
    file.write(b"[]\n" if before == b"[" else b"\n]\n")


def _sessions_of(user: User) -> Iterator[dict[str, Any]]:
    rows = Session.objects.visible_to(user).filter(created_by=user).order_by("id")
    for row in rows.iterator(chunk_size=500):
        project = to_public("prj", row.project_id)
        yield {"id": row.public_id, "project": project, "title": row.title, "at": row.created_at.isoformat()}


def _variables_of(user: User) -> Iterator[dict[str, Any]]:
    """Yield the person's own variables. Variables of people are never secret: the person reads them on the account
    page, too."""
    for row in Variable.objects.filter(person=user).order_by("name"):
        yield {"id": row.public_id, "name": row.name, "value": row.value, "changed_at": row.changed_at.isoformat()}


def _configuration_of(user: User) -> Iterator[dict[str, Any]]:
    for row in Configuration.objects.filter(person=user):
        yield {
            "id": row.public_id,
            "text": row.text,
            "instructions": row.instructions,
            "changed_at": row.changed_at.isoformat(),
        }


def _skills_of(user: User) -> Iterator[dict[str, Any]]:
    for row in SkillPackage.objects.filter(person=user):
        for version in row.versions.defer("content"):
            yield {
                "id": row.public_id,
                "name": row.name,
                "version": version.number,
                "description": version.description,
                "files": version.files,
                "uploaded_at": version.created_at.isoformat(),
            }


def _mcp_accounts_of(user: User) -> Iterator[dict[str, Any]]:
    for row in McpAccount.objects.filter(person=user).select_related("server").order_by("id"):
        yield {
            "server": row.server.name,
            "address": row.server.url,
            "issuer": row.issuer,
            "scopes": row.scopes,
            "signed_in_at": row.signed_in_at.isoformat(),
        }


def _prompts_of(user: User) -> Iterator[dict[str, Any]]:
    """Yield the user's own prompts, also from teams that the user has left."""
    parts = Part.objects.filter(message__author=user, message__role=Message.Role.USER, type=Part.Type.TEXT)
    for part in parts.order_by("id").iterator(chunk_size=500):
        session = to_public("ses", part.session_id)
        yield {"session": session, "at": part.created_at.isoformat(), "text": part.text}


def _files_of(user: User) -> Iterator[dict[str, Any]]:
    for row in Attachment.objects.filter(created_by=user).order_by("id").iterator(chunk_size=500):
        session = to_public("ses", row.session_id)
        yield {"session": session, "name": row.name, "media_type": row.media_type, "size": row.size}


def _comments_of(user: User) -> Iterator[dict[str, Any]]:
    for row in ReviewComment.objects.filter(author=user).order_by("id").iterator(chunk_size=500):
        lines = {"side": row.side, "first_line": row.first_line, "last_line": row.last_line, "quote": row.quote}
        about = {"session": to_public("ses", row.session_id), "path": row.path, **lines}
        yield {**about, "at": row.created_at.isoformat(), "state": row.state, "text": row.text}


def _answers_of(user: User) -> Iterator[dict[str, Any]]:
    for row in PermissionRequest.objects.filter(answered_by=user).order_by("id").iterator(chunk_size=500):
        yield {
            "id": row.public_id,
            "session": to_public("ses", row.session_id),
            "title": row.title,
            "answer": row.state,
        }


LISTS: Final[Mapping[str, Callable[[User], Iterator[dict[str, Any]]]]] = {
    "memberships": export.memberships_of,
    "invitations": export.invitations_of,
    "tokens": export.tokens_of,
    "variables": _variables_of,
    "configuration": _configuration_of,
    "skills": _skills_of,
    "mcp_accounts": _mcp_accounts_of,
    "sessions": _sessions_of,
    "prompts": _prompts_of,
    "files": _files_of,
    "comments": _comments_of,
    "answers": _answers_of,
    "audit": export.audit_entries_by,
}
