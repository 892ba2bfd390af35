"""The `skill` tool: load the instructions of a skill."""

from collections.abc import Mapping

from pydantic import Field

from sandbox.errors import LimitReached, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT, RealPath
from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.front_matter import read_front_matter
from tools_app.skills import MAX_FILE_BYTES, SKILL_FILE, Skill, find_skills
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolError, ToolResult
from tools_app.text import clean

MAX_FILES = 10  # listed beside SKILL.md


class SkillArguments(ToolArguments):
    name: str = Field(min_length=1, max_length=64, description="The skill's name, as in the list of skills.")


class SkillTool(Tool[SkillArguments]):
    id = "skill"
    permission = "skill"
    parameters = SkillArguments
    description = description_beside(__file__)

    async def needs(self, args: SkillArguments, ctx: ToolContext) -> list[PermissionNeed]:
        skill = await _find(args.name, ctx)
        title = f"Use the skill {skill.name}"
        return [PermissionNeed("skill", (skill.name,), (skill.name,), {"title": title, "path": skill.path})]

    async def run(self, args: SkillArguments, ctx: ToolContext) -> ToolResult:
        skill = await _find(args.name, ctx)
        place = RealPath(skill.folder if skill.package else f"{WORKSPACE_ROOT}/{skill.folder}")
        if skill.package:
            await _put(skill, ctx)
        content = await ctx.runtime.read(RealPath(f"{place}/{SKILL_FILE}"), limit=MAX_FILE_BYTES)
        _, body = read_front_matter(content.content.decode("utf-8", "replace"))
        files = await _sample(place, ctx)
        parts = [f"# Skill: {skill.name}", body.strip(), _about_folder(skill, files)]
        metadata = {"name": skill.name, "folder": skill.folder, "files": files}
        return ToolResult(f"Used the skill {skill.name}", "\n\n".join(filter(None, parts)), metadata)


async def _find(name: str, ctx: ToolContext) -> Skill:
    """Find a skill by its name among the skills of the session, or of the workspace if there is no session. Raises
    ToolError, which lists the available skills."""
    known = ctx.settings.get("skills")
    skills = (await find_skills(ctx.runtime))[0] if known is None else [_known(each) for each in known]
    skill = next((each for each in skills if each.name == name), None)
    if skill is None:
        raise ToolError(f"There is no skill {name!r}. {_choice(skills)}")
    if skill.problem:
        raise ToolError(f"The skill {name!r} ({skill.path}) cannot be used. {skill.problem}")
    return skill


def _known(each: Mapping[str, str]) -> Skill:
    return Skill(each["name"], each["description"], each["folder"], each["problem"], package=each.get("package", ""))


async def _put(skill: Skill, ctx: ToolContext) -> None:
    """Write the files of an uploaded skill below its folder in the home directory. Files that were changed there since
    the skill was last loaded are replaced. Raises ToolError."""
    if ctx.stored_skill is None:
        raise ToolError("Uploaded skills can only be loaded in a session.")
    files = await ctx.stored_skill(skill.package)
    try:
        for path, file in files.items():
            mode = 0o555 if file.runnable else 0o444
            await ctx.runtime.write(RealPath(f"{skill.folder}/{path}"), file.content, mode=mode)
    except (SandboxRefused, LimitReached) as error:
        raise ToolError(
            f"The files of the skill {skill.name!r} could not be put into {skill.folder}: {error.message}"
        ) from error


def _choice(skills: list[Skill]) -> str:
    names = ", ".join(sorted(each.name for each in skills if not each.problem))
    return f"The skills are: {names}." if names else "This workspace has no skills."


async def _sample(place: RealPath, ctx: ToolContext) -> list[str]:
    """Return up to 10 files of the skill besides SKILL.md, relative to the skill's folder."""
    try:
        found = await ctx.runtime.glob("**", path=place, limit=MAX_FILES + 1)
    except (SandboxRefused, LimitReached):
        return []
    below = [path.removeprefix(place.removeprefix(f"{WORKSPACE_ROOT}/") + "/") for path in found.paths]
    return [clean(name) for name in sorted(below) if name != SKILL_FILE][:MAX_FILES]


def _about_folder(skill: Skill, files: list[str]) -> str:
    lines = [f"Paths in this skill are relative to its folder, {skill.folder}."]
    if files:
        lines += ["Some of its files:", *(f"- {skill.folder}/{name}" for name in files)]
    return "\n".join(lines)
