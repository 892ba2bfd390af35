import pytest

from sessions_app.agent.mentions import MAX_MENTIONS, call_hint, mentioned_agents

NAMES = ["explore", "general", "team/api", "v1.2"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@explore where is it?", ["explore"]),
        ("Ask @explore, then @general.", ["explore", "general"]),
        ("(@explore) @explore", ["explore"]),
        ("@team/api and @v1.2.", ["team/api", "v1.2"]),
        ("mail me@explore or @@explore", []),
        ("the code `@explore`", []),
        ("@build @nobody @explorer @Explore", []),
        ("@src/app.py", []),
        ("@", []),
        ("@general/x @general.x", []),
        ("@explore" + "./-" * 60_000, ["explore"]),
    ],
)
def test_agents_are_called_by_their_names(text: str, found: list[str]) -> None:
    assert mentioned_agents(text, NAMES) == found


def test_a_prompt_calls_only_so_many() -> None:
    names = [f"a{number}" for number in range(50)]
    assert len(mentioned_agents(" ".join(f"@{name}" for name in names), names)) == MAX_MENTIONS


def test_the_model_is_told_whom_to_call() -> None:
    assert 'subagent_type "explore"' in call_hint("explore")
