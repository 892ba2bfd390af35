import pytest

from tests.integration.tools_app.conftest import Bench
from tools_app.skills import MAX_SKILLS, find_skills
from tools_app.spec import ToolError

PDF = "---\nname: pdf\ndescription: Fills in forms\n---\n# Forms\n\nRun fill.py.\n"


async def names(bench: Bench) -> dict[str, str]:
    skills, _ = await find_skills(bench.runtime)
    return {skill.name: skill.folder for skill in skills if not skill.problem}


async def test_a_skill_is_loaded_with_its_folder_and_files(bench: Bench) -> None:
    bench.write(".claude/skills/pdf/SKILL.md", PDF)
    bench.write(".claude/skills/pdf/fill.py", "print()")
    bench.write(".claude/skills/pdf/parts/a.txt", "a")
    result = await bench.call("skill", name="pdf")
    assert result.title == "Used the skill pdf"
    assert result.output == (
        "# Skill: pdf\n\n# Forms\n\nRun fill.py.\n\n"
        "Paths in this skill are relative to its folder, .claude/skills/pdf.\nSome of its files:\n"
        "- .claude/skills/pdf/fill.py\n- .claude/skills/pdf/parts/a.txt"
    )
    assert result.metadata == {"name": "pdf", "folder": ".claude/skills/pdf", "files": ["fill.py", "parts/a.txt"]}


async def test_every_folder_of_skills_is_looked_into_and_the_first_of_a_name_counts(bench: Bench) -> None:
    for folder in (".claude/skills/pdf", ".opencode/skill/pdf", ".agentsite/skills/office/pdf"):
        bench.write(f"{folder}/SKILL.md", PDF)
    bench.write(".opencode/skills/b/SKILL.md", "---\ndescription: b\n---\n")
    assert await names(bench) == {"pdf": ".agentsite/skills/office/pdf", "b": ".opencode/skills/b"}


async def test_a_skill_that_cannot_be_used_hides_none_that_can(bench: Bench) -> None:
    bench.write(".agentsite/skills/pdf/SKILL.md", "---\nname: pdf\n---\n")
    bench.write(".claude/skills/pdf/SKILL.md", PDF)
    assert await names(bench) == {"pdf": ".claude/skills/pdf"}


async def test_links_lead_to_no_skill(bench: Bench) -> None:
    bench.write("elsewhere/pdf/SKILL.md", PDF)
    bench.write(".opencode/skills/real/README.md", "")
    (bench.files / ".claude").symlink_to("elsewhere")
    (bench.files / ".opencode/skills/linked").symlink_to("../../elsewhere/pdf")
    (bench.files / ".opencode/skills/real/SKILL.md").symlink_to("../../../elsewhere/pdf/SKILL.md")
    assert await names(bench) == {}


async def test_a_repository_full_of_skills_has_an_end(bench: Bench) -> None:
    for number in range(MAX_SKILLS + 10):
        bench.write(f".claude/skills/s{number}/SKILL.md", f"---\ndescription: number {number}\n---\n")
    assert len(await names(bench)) == MAX_SKILLS


async def test_needs_are_by_name(bench: Bench) -> None:
    bench.write(".claude/skills/pdf/SKILL.md", PDF)
    need = (await bench.needs("skill", name="pdf"))[0]
    assert (need.permission, need.patterns, need.always) == ("skill", ("pdf",), ("pdf",))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing", "There is no skill 'nothing'. The skills are: pdf."),
        ("broken", "The skill 'broken' (.claude/skills/broken/SKILL.md) cannot be used. It has no description."),
    ],
)
async def test_what_cannot_be_loaded_says_what_can(name: str, words: str, bench: Bench) -> None:
    bench.write(".claude/skills/pdf/SKILL.md", PDF)
    bench.write(".claude/skills/broken/SKILL.md", "How.")
    with pytest.raises(ToolError) as failed:
        await bench.call("skill", name=name)
    assert failed.value.message == words
