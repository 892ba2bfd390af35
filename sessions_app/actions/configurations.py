"""Read and save the configuration documents of the site, of teams, projects and people."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, NotAllowed, Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.models import User
from sessions_app.configuration.keys import is_secret
from sessions_app.configuration.reading import BadDocument, Setting, Source, dump, parse, read
from sessions_app.configured import row_settings
from sessions_app.models import Configuration, SkillPackage
from sessions_app.queueing import enqueue_skill_addresses
from tools_app.policies.scopes import PolicyScope, find_scope, may_edit, require_edit
from tools_app.text import is_clean

MAX_TEXT_BYTES: Final = 65_536
MAX_INSTRUCTIONS_BYTES: Final = 32_768
"""As much as one configuration file and one instruction file of a repository may have."""


@dataclass(frozen=True, slots=True)
class ConfigurationOwner:
    """The owner of a configuration document: the site, a team or a project (`scope`), or a person. `key` names the
    owner in the API and the database, where it is called `place`."""

    key: str
    scope: PolicyScope | None = None
    person: User | None = None

    def may_edit(self, user: User) -> bool:
        """Return whether `user` may change the document. People may change their own document, admins the documents of
        their team and its projects, operators the site's document."""
        return True if self.scope is None else may_edit(user, self.scope)

    @property
    def team_id(self) -> uuid.UUID | None:
        return self.scope.team_id if self.scope is not None else None


def find_owner(user: User, place: str) -> ConfigurationOwner:
    """Return the site, team, project or person that `place` names as the owner of configuration documents. Raises
    Missing if `user` may not see it, NotAllowed for a person's own document if the token is restricted to a team or
    project."""
    if not place.startswith(f"{User.PREFIX}_"):
        return ConfigurationOwner(place, scope=find_scope(user, place))
    if place != user.public_id:
        raise Missing(f"There is no '{place[:60]}'.")
    if not user.token_restriction.is_unrestricted:
        raise NotAllowed(
            "An API token for one team or project cannot use your own configuration.",
            hint="Use a token without that restriction.",
        )
    return ConfigurationOwner(place, person=user)


def find_configuration(owner: ConfigurationOwner) -> Configuration | None:
    """Return the owner's stored document; None if nothing was ever saved."""
    return Configuration.objects.filter(place=owner.key).select_related("changed_by").first()


def save_configuration(
    *, actor: User, owner: ConfigurationOwner, text: str, instructions: str, base_version: int
) -> Configuration:
    """Save a document. It applies to the next step of every session of its owner.

    `base_version` is the version that the actor edited, 0 if there was none. Raises Stale if another version is stored,
    and BadInput if the text is not a document or contains a key or password.
    """
    if owner.scope is not None:
        require_edit(actor, owner.scope)
    _check(text, instructions)
    try:
        with sqlite_write_lock(), transaction.atomic():
            row = Configuration.objects.select_for_update().filter(place=owner.key).first()
            _require_current(row, base_version)
            row = row or Configuration(place=owner.key, version=0)
            row.text, row.instructions, row.version = text, instructions, row.version + 1
            row.changed_by, row.changed_at = actor, timezone.now()
            set_owner(row, owner)
            row.save()
            _audit(actor, owner, row)
            if row.person is None and (row.skill_sources or '"skills"' in text):
                transaction.on_commit(partial(enqueue_skill_addresses, row.pk))
    except IntegrityError:  # another request saved the first version at the same time
        raise _stale() from None
    return row


def set_owner(row: Configuration | SkillPackage, owner: ConfigurationOwner) -> None:
    """Set the columns of a row that name its owner: person, project or team."""
    row.person = owner.person
    if owner.scope is not None:
        row.project_id = owner.scope.project_id
        row.team_id = owner.team_id if owner.scope.kind == "team" else None


def session_document(config: Mapping[str, Any] | None) -> str:
    """Return the text to store for a session's own configuration document; "" for an empty document.

    Raises BadInput for unknown keys and invalid values, for a document that contains a key or password, and for one
    that is too long.
    """
    if not config:
        return ""
    text = dump(config)
    _check_size("config", text, MAX_TEXT_BYTES)
    settings = _settings("config", text)
    wrong = {f"config.{each.key}": each.reason for each in settings if each.status in ("unknown", "invalid")}
    if wrong:
        raise BadInput("The session's configuration was not understood.", fields=dict(list(wrong.items())[:50]))
    return text


def _check(text: str, instructions: str) -> None:
    _check_size("text", text, MAX_TEXT_BYTES)
    _check_size("instructions", instructions, MAX_INSTRUCTIONS_BYTES)
    _settings("text", text)


def _check_size(field: str, value: str, most: int) -> None:
    if not is_clean(value):
        raise BadInput(f"The {field} contains a NUL or an incomplete character.", fields={field: "not text"})
    if len(value.encode()) > most:
        raise BadInput(f"The {field} is longer than {most >> 10} KiB.", fields={field: f"at most {most >> 10} KiB"})


def _settings(field: str, text: str) -> list[Setting]:
    if not text.strip():
        return []
    try:
        settings = read(parse(text), Source("session"))
    except BadDocument as error:
        raise BadInput(f"The configuration was not understood. {error}", fields={field: str(error)}) from None
    keys = [each.key for each in settings if is_secret(each.path) and each.value not in ("", None, {}, [])]
    if keys:
        raise BadInput(
            f"The configuration contains a key or password: {', '.join(keys[:5])}. Everybody who may read the"
            " configuration would see it.",
            hint="Remove it. Keys of providers are added under Providers, and those of MCP servers under MCP servers.",
            fields={field: f"contains {keys[0]}"},
        )
    return settings


def _require_current(row: Configuration | None, base_version: int) -> None:
    if (row.version if row is not None else 0) != base_version:
        raise _stale()


def _stale() -> Stale:
    return Stale("Somebody else has changed this configuration.", code=ErrorCode.STALE_CONFIGURATION)


def _audit(actor: User, owner: ConfigurationOwner, row: Configuration) -> None:
    """Record a change of a configuration document in the audit log, without the keys of a person's own document."""
    keys = [] if owner.person is not None else sorted({each.path[0] for each in row_settings(row)})
    audit.record(
        team_id=owner.team_id,
        actor=actor,
        action="configuration_document.saved",
        subject=row.public_id,
        data={"place": owner.key, "version": row.version, "keys": keys[:100]},
        project_id=owner.scope.project_id if owner.scope is not None else None,
    )
