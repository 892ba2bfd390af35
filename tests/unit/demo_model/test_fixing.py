"""The demo model fixes the tea shop's known mistake, and reports a workspace that does not contain it."""

import json
from pathlib import Path

import pytest

from deploy import demo_project
from deploy.demo_model import publishing, texts
from deploy.demo_model.conversation import Conversation, FinishedCall
from deploy.demo_model.planner import next_reply
from deploy.demo_project import fix
from tests.unit.demo_model.workbench import ALL_TOOLS, Workbench

PROMPT = demo_project.SUGGESTED_PROMPT
READ_ONLY = [tool for tool in ALL_TOOLS if tool not in ("edit", "write", "bash")]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    for path, content in demo_project.files().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    return tmp_path


def replace(shop: Path, path: str, old: str, new: str) -> None:
    text = (shop / path).read_text()
    assert text.count(old) == 1
    (shop / path).write_text(text.replace(old, new))


def test_the_known_mistake_is_in_the_demo_project_once() -> None:
    files = demo_project.files()
    assert files[fix.PATH].decode().count(fix.OLD) == 1
    path, test = fix.FAILING_TEST
    assert f"def {test}(" in files[path].decode()


def test_it_runs_the_tests_corrects_the_mistake_and_runs_them_again(shop: Path) -> None:
    bench = Workbench(shop)
    last_words = bench.prompt(PROMPT)
    assert [name for name, _ in bench.calls] == ["list", "bash", "read", "edit", "bash"]
    assert {call["command"] for call in bench.calls_of("bash")} == {demo_project.TEST_COMMAND}
    assert "all 9 tests pass" in last_words
    assert "not a language model" in last_words


def test_every_step_has_a_text_and_the_failure_is_quoted(shop: Path) -> None:
    bench = Workbench(shop)
    bench.prompt(PROMPT)
    assert all(reply.text for reply in bench.replies)
    after_the_tests = bench.replies[1].text
    assert "test_ten_packets_get_the_bulk_discount" in after_the_tests
    assert "assert 6400 == 5760" in after_the_tests


def test_only_the_mistake_is_changed(shop: Path) -> None:
    Workbench(shop).prompt(PROMPT)
    expected = demo_project.files()
    expected[fix.PATH] = expected[fix.PATH].replace(fix.OLD.encode(), fix.NEW.encode())
    assert {path: (shop / path).read_bytes() for path in expected} == expected


def test_a_second_prompt_finds_nothing_left_to_fix(shop: Path) -> None:
    bench = Workbench(shop)
    bench.prompt(PROMPT)
    assert "nothing to fix" in bench.prompt(PROMPT)
    assert len(bench.calls_of("edit")) == 1


def test_a_rejected_test_run_ends_the_turn_without_a_change(shop: Path) -> None:
    bench = Workbench(shop, refuse=["bash"])
    assert "I changed nothing" in bench.prompt(PROMPT)
    assert not bench.calls_of("edit")


def test_the_reason_of_a_rejection_is_repeated(shop: Path) -> None:
    refusal = "The person rejected this call. It was not run. They say: not now, the machine is busy"
    last_words = Workbench(shop, refuse=["edit"], refusal=refusal).prompt(PROMPT)
    assert "not now, the machine is busy" in last_words
    assert "I changed nothing" in last_words


def test_a_rejected_second_test_run_leaves_an_unconfirmed_change(shop: Path) -> None:
    bench = Workbench(shop, refuse_after={"bash": 1})
    assert "have not confirmed" in bench.prompt(PROMPT)
    assert fix.NEW in bench.read(fix.PATH)


def test_a_refused_edit_is_reported(shop: Path) -> None:
    bench = Workbench(shop, refuse=["edit"], refusal="teashop/pricing.py has changed since you last read it.\nMore.")
    assert "has changed since" in bench.prompt(PROMPT)
    assert len(bench.calls_of("edit")) == 1


def test_an_agent_without_edit_explains_the_correction(shop: Path) -> None:
    bench = Workbench(shop, tools=READ_ONLY)
    assert fix.NEW.strip() in bench.prompt(PROMPT)
    assert [name for name, _ in bench.calls] == ["read"]


def test_an_agent_without_bash_asks_for_a_test_run(shop: Path) -> None:
    bench = Workbench(shop, tools=[*READ_ONLY, "edit"])
    assert texts.CANNOT_RUN in bench.prompt(PROMPT)
    assert fix.NEW in bench.read(fix.PATH)


def test_an_agent_without_read_is_told_what_is_missing(shop: Path) -> None:
    bench = Workbench(shop, tools=["bash", "edit"])
    assert "`read`" in bench.prompt(PROMPT)
    assert not bench.calls


def test_an_unknown_failure_is_quoted_and_left_alone(shop: Path) -> None:
    replace(shop, fix.PATH, fix.OLD, fix.NEW)
    replace(shop, fix.PATH, "DELIVERY = 490", "DELIVERY = 409")
    bench = Workbench(shop)
    last_words = bench.prompt(PROMPT)
    assert "test_delivery_is_free_from_forty_euros" in last_words
    assert "The first error is `assert 1049 == (640 + 490)`" in last_words
    assert texts.ONLY_TEA_SHOP in last_words
    assert not bench.calls_of("edit")


def test_another_mistake_behind_the_known_failure_is_left_alone(shop: Path) -> None:
    replace(shop, fix.PATH, fix.OLD, "    if quantity > 99:")
    bench = Workbench(shop)
    last_words = bench.prompt(PROMPT)
    assert "does not contain the mistake that I know" in last_words
    assert texts.ONLY_TEA_SHOP in last_words
    assert not bench.calls_of("edit")


def test_a_failure_beside_the_known_one_is_reported_after_the_correction(shop: Path) -> None:
    replace(shop, fix.PATH, "DELIVERY = 490", "DELIVERY = 409")
    bench = Workbench(shop)
    last_words = bench.prompt(PROMPT)
    assert fix.NEW in bench.read(fix.PATH)
    assert "test_delivery_is_free_from_forty_euros" in last_words
    assert texts.ONLY_TEA_SHOP in last_words


def test_tests_that_do_not_end_are_reported(tmp_path: Path) -> None:
    (tmp_path / "test_loop.py").write_text("import time\n\n\ndef test_loop():\n    time.sleep(60)\n")
    last_words = Workbench(tmp_path, time_limit=3).prompt("make the tests pass")
    assert "time limit" in last_words
    assert texts.ONLY_TEA_SHOP in last_words


def test_a_project_without_tests_gets_the_same_answer(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("print('hi')\n")
    last_words = Workbench(tmp_path).prompt("fix the bug")
    assert texts.TESTS_DID_NOT_RUN in last_words
    assert "no tests ran" in last_words
    assert texts.ONLY_TEA_SHOP in last_words
    assert "MODEL_NAME" in last_words


def commands_after_the_fix(
    *outputs: str, prompt: str = "Fix the failing test, commit, and push"
) -> tuple[list[str], str]:
    """Return the demo model's commands after the passing tests, and its last text. Each command prints one of the
    outputs."""
    edit = FinishedCall("edit", f"Edited {fix.PATH}")
    done = [edit, FinishedCall("bash", "9 passed in 0.1s", demo_project.TEST_COMMAND)]
    made: list[str] = []
    for number in range(len(outputs) + 1):
        reply = next_reply(Conversation("", prompt, tuple(done), frozenset(ALL_TOOLS)))
        if not reply.calls:
            break
        made.append(json.loads(reply.calls[0].arguments)["command"])
        done.append(FinishedCall("bash", outputs[number], made[-1]))
    return made, reply.text


def test_it_commits_and_pushes_if_asked_to_and_again_when_a_person_allowed_the_push() -> None:
    asked = (
        "[remote rejected] x -> x (needs permission)\n(Push to x is allowed now. Run the command again if it needs it.)"
    )
    made, words = commands_after_the_fix("(No output.)", asked, "To http://...")
    assert made == [publishing.COMMIT, publishing.PUSH, publishing.PUSH]
    assert words == texts.PUSHED
    assert commands_after_the_fix("", prompt="Fix the failing test and commit it") == (
        [publishing.COMMIT],
        texts.COMMITTED,
    )
    assert commands_after_the_fix(prompt="Fix the failing test")[0] == []


def test_it_reports_a_push_that_is_refused() -> None:
    made, words = commands_after_the_fix("", " ! [remote rejected] x -> x (a rule denies it)")
    assert made == [publishing.COMMIT, publishing.PUSH]
    assert "a rule denies it" in words
