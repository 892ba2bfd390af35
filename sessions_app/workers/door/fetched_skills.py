"""Fetch skills from the addresses in stored configuration documents. Requests are sent by guarded processes.

Only addresses that admins chose are fetched: those in documents of the site, a team or a project, and in the defaults
of an organisation. Addresses in files of a repository are never fetched.
"""

import uuid
from collections.abc import Sequence
from typing import Any, Final

from django.conf import settings
from django.utils import timezone

from agentsite.base.background import background
from sessions_app.actions.fetched_skills import forget_other_addresses, keep_skills, note_sources
from sessions_app.configuration.reading import BadDocument
from sessions_app.configuration.skill_addresses import (
    MAX_ADDRESSES,
    IndexedSkill,
    addresses_of,
    fetched_skill,
    file_address,
    index_address,
    read_index,
)
from sessions_app.configuration.skill_packages import MAX_BYTES, BadPackage, SkillPackageContent
from sessions_app.configured import default_settings, row_settings
from sessions_app.models import Configuration
from sessions_app.queueing import is_first
from tools_app.text import clean
from tools_app.web.address import BadAddress, parse_address
from tools_app.web.documents import fetch_document
from tools_app.web.fetching import FetchError
from tools_app.web.rules import WebRules

SECONDS: Final = 10.0  # for the network, for each file
ONCE_IN_SECONDS: Final = 2.0  # a task that is delivered twice reads once


def refresh_skills(configuration_id: uuid.UUID) -> None:
    """Fetch the skills from the addresses of a document, at most `MAX_ADDRESSES`, and store them. If an address fails,
    its stored skills stay, and the reason is stored."""
    row = Configuration.objects.select_related("project").filter(pk=configuration_id, person=None).first()
    if row is None or not is_first(f"skills:{row.pk}:{row.version}", ONCE_IN_SECONDS):
        return
    addresses = wanted_addresses(row)
    chosen = addresses[:MAX_ADDRESSES]
    sources = [_refreshed(row, address) for address in chosen]
    sources += [_source(each, [], f"Only {MAX_ADDRESSES} addresses are read.") for each in addresses[MAX_ADDRESSES:]]
    forget_other_addresses(row, chosen)
    note_sources(row, sources)


def wanted_addresses(row: Configuration) -> list[str]:
    """Return the addresses of skills in a stored document and in the defaults of its organisation."""
    found = default_settings(row) if row.defaults_text else []
    return addresses_of([each for each in (*found, *row_settings(row)) if each.status == "applied"])


def _refreshed(row: Configuration, address: str) -> dict[str, Any]:
    try:
        found = background.run(_skills_of(address))
    except (FetchError, BadDocument, BadPackage) as error:
        before: list[str] = next((each["skills"] for each in row.skill_sources if each["address"] == address), [])
        stays = " The skills that were read before still apply." if before else ""
        return _source(address, before, f"{clean(str(error))[:400]}{stays}")
    problems = keep_skills(row, address, found)
    return _source(address, [each.name for each in found], " ".join(problems)[:500])


def _source(address: str, skills: Sequence[str], problem: str) -> dict[str, Any]:
    return {
        "address": address[:500], "skills": list(skills), "problem": problem, "tried_at": timezone.now().isoformat()
    }  # fmt: skip


async def _skills_of(address: str) -> list[SkillPackageContent]:
    """Fetch all skills of an address. If one cannot be fetched, raises FetchError, BadDocument or BadPackage, so that
    skills of an address are replaced all at once or not at all."""
    _require_encryption(address)
    index = read_index(await _document(index_address(address)))
    room = MAX_BYTES
    found = []
    for skill in index:
        contents = await _contents(address, skill)
        room -= sum(map(len, contents.values()))
        if room < 0:
            raise BadPackage(f"All skills of the address together have more than {MAX_BYTES >> 20} MiB.")
        found.append(_described(skill, contents))
    return found


def _require_encryption(address: str) -> None:
    """Raise BadDocument for an address without TLS, unless operators exempted its host: without TLS, an attacker on the
    network could change the instructions for agents."""
    try:
        found = parse_address(address)
    except BadAddress as error:
        raise BadDocument(str(error)) from None
    if found.scheme != "https" and not WebRules.exempting(settings.WEB_ALLOW).exempts(found):
        raise BadDocument("The address must begin with https://.")


def _described(skill: IndexedSkill, contents: dict[str, bytes]) -> SkillPackageContent:
    try:
        return fetched_skill(skill, contents)
    except BadPackage as error:
        raise BadPackage(f"The skill '{skill.name}' cannot be used. {error}") from None


async def _contents(address: str, skill: IndexedSkill) -> dict[str, bytes]:
    return {path: await _document(file_address(address, skill.name, path)) for path in skill.files}


async def _document(address: str) -> bytes:
    return await fetch_document(
        address, seconds=SECONDS, allowed=settings.WEB_ALLOW, certificates=settings.WEB_CERTIFICATES
    )
