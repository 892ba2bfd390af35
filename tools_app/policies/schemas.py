"""API schemas of policies. Clients send a `PolicyDocument`, and get it back with its version, author and place."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from ninja import Field, Schema
from pydantic import BeforeValidator

from agentsite.base.errors import Missing
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.rest.schemas import UserView
from tools_app.models import PolicyVersion
from tools_app.permission import presets
from tools_app.permission.presets import PresetName
from tools_app.policies.current import Policies
from tools_app.policies.documents import PolicyDocument, RuleDocument, stored

MAX_VERSION = 2**31 - 1


def _version_number(value: Any) -> int:
    """Parse a version number. Raises Missing for any text that is not a version number."""
    text = str(value)
    if not (text.isascii() and text.isdigit()) or len(text) > 10 or int(text) > MAX_VERSION:
        raise Missing(f"There is no version '{text[:60]}'.")
    return int(text)


VersionNumber = Annotated[int, BeforeValidator(_version_number)]


class InheritedPreset(Schema):
    """The preset that applies if this policy has none, and the policy that chose it."""

    preset: PresetName
    preset_from: Literal["site", "team", "default"]

    @classmethod
    def of(cls, above: Policies) -> Self:
        if above.team.preset:
            return cls(preset=above.team.preset, preset_from="team")
        if above.site.preset:
            return cls(preset=above.site.preset, preset_from="site")
        return cls(preset=presets.DEFAULT, preset_from="default")


class PolicyView(PolicyDocument):
    """A version of a policy. `version` is 0 if no policy was ever saved. `can_edit`: you may change the policy."""

    place: str
    version: int
    author: UserView | None
    reason: str
    restored_from: int | None
    created_at: datetime | None
    can_edit: bool
    inherited: InheritedPreset

    @classmethod
    def of(cls, row: PolicyVersion | None, *, place: str, can_edit: bool, above: Policies) -> Self:
        document = stored(row) if row else PolicyDocument()
        return cls(
            **document.model_dump(),
            place=place,
            version=row.version if row else 0,
            author=_author(row),
            reason=row.reason if row else "",
            restored_from=row.restored_from if row else None,
            created_at=row.created_at if row else None,
            can_edit=can_edit,
            inherited=InheritedPreset.of(above),
        )


class PolicyVersionView(Schema):
    """A version of a policy. `changes` is a short description, such as "3 rules added, 1 removed"."""

    version: int
    author: UserView | None
    reason: str
    restored_from: int | None
    created_at: datetime
    changes: str

    @classmethod
    def of(cls, row: PolicyVersion, *, changes: str) -> Self:
        return cls(
            version=row.version,
            author=_author(row),
            reason=row.reason,
            restored_from=row.restored_from,
            created_at=row.created_at,
            changes=changes,
        )


class PolicyComparison(Schema):
    """A version of a policy and its difference from another version. `diff` is a unified diff with one rule per
    line."""

    policy: PolicyView
    diff: str


class PolicyChange(RequestBody):
    """A change to a policy. `base_version` is the version that was edited, 0 if none was ever saved."""

    document: PolicyDocument
    base_version: int = Field(ge=0, le=MAX_VERSION)
    reason: str = Field(default="", max_length=500)


class PolicyRollback(RequestBody):
    version: int = Field(ge=0, le=MAX_VERSION)
    base_version: int = Field(ge=0, le=MAX_VERSION)
    reason: str = Field(default="", max_length=500)


class PresetView(Schema):
    name: PresetName
    description: str
    rules: list[RuleDocument]


class PresetPage(Schema):
    items: list[PresetView]


def _author(row: PolicyVersion | None) -> UserView | None:
    return UserView.of(row.author) if row and row.author else None
