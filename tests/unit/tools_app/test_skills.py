import pytest

from tools_app.skills import MAX_DESCRIPTION_CHARACTERS, Skill, parse_skill

FOLDER = ".claude/skills/pdf"


def skill(name: str, description: str) -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\nHow."


def test_a_skill_says_what_it_is_good_for() -> None:
    assert parse_skill(FOLDER, skill("pdf-forms", "Fills  in\n  forms")) == Skill("pdf-forms", "Fills in forms", FOLDER)


def test_a_skill_without_a_name_has_its_folders() -> None:
    assert parse_skill(FOLDER, "---\ndescription: Forms\n---\n").name == "pdf"


def test_a_long_description_is_cut() -> None:
    assert len(parse_skill(FOLDER, skill("a", "x" * 5000)).description) == MAX_DESCRIPTION_CHARACTERS


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("no fields", "no description"),
        (skill("a", "''"), "no description"),
        ("---\nname: a\ndescription: [b]\n---\n", "no description"),
        (skill("../a", "b"), "name"),
        ("---\nname: 3\ndescription: b\n---\n", "name"),
        ("---\nname: [\n---\n", "cannot be read"),
    ],
)
def test_what_cannot_be_used_says_why(text: str, word: str) -> None:
    assert word in parse_skill(FOLDER, text).problem
