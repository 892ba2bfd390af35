"""The files of uploaded skills, for the tool `skill`."""

from collections.abc import Mapping

from asgiref.sync import sync_to_async

from agentsite.base.errors import SiteError
from agentsite.base.ids import from_public
from sessions_app.configuration.skill_packages import PackagedFile, unpack
from sessions_app.models import SkillVersion
from tools_app.spec import ToolError


async def stored_files(version_id: str) -> Mapping[str, PackagedFile]:
    """Return the files of a version of an uploaded skill by their paths. Raises ToolError if the version was
    removed."""
    return await sync_to_async(_stored_files, thread_sensitive=False)(version_id)


def _stored_files(version_id: str) -> Mapping[str, PackagedFile]:
    try:
        row = SkillVersion.objects.filter(pk=from_public(SkillVersion.PREFIX, version_id)).first()
    except SiteError:
        row = None
    if row is None:
        raise ToolError("This skill was removed meanwhile. Continue without it.")
    return unpack(bytes(row.content))
