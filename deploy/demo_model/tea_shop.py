"""Fix the failing test of the demo project (the tea shop), whose mistake the demo model knows in advance.

The demo model runs the tests, reads their output, makes the correction of `deploy.demo_project.fix`, and runs the tests
again. If the tests or the file are not as expected, it reports that and changes nothing. All functions are pure: every
step is derived from the tool results of the current turn, so a repeated request gets the same reply.
"""

from typing import Final

from deploy import demo_project
from deploy.demo_model import outputs, publishing, texts
from deploy.demo_model.conversation import Conversation, FinishedCall
from deploy.demo_model.wire import Call, Reply, call
from deploy.demo_project import fix

TEST_TIMEOUT: Final = 60_000  # milliseconds
MAX_QUOTED_LINES: Final = 8


def next_step(conversation: Conversation) -> Reply:
    """Return the model's next reply in fixing the tea shop: a tool call or a report, chosen by this turn's last tool
    result."""
    if not conversation.offers("read"):
        return Reply(texts.NEEDS_READ)
    if not conversation.done:
        return _first_step(conversation)
    last = conversation.done[-1]
    if outputs.is_rejection(last.output):
        return _after_rejection(conversation, last)
    if publishing.is_own(last):
        return publishing.next_step(conversation)
    if last.tool == "bash":
        return _after_run(conversation, outputs.read_test_run(last.output))
    if last.tool == "edit":
        return _after_edit(conversation, last)
    return _after_read(conversation, last)


def _first_step(conversation: Conversation) -> Reply:
    if not conversation.offers("bash"):
        return Reply(f"I have no tool to run the tests, so I'll read `{fix.PATH}`.", calls=(_read(),))
    listing = (call("list", path="."),) if conversation.offers("list") else ()
    return Reply("I'll look at the project and run its tests.", calls=(*listing, _run_tests()))


def _after_run(conversation: Conversation, run: outputs.TestRun) -> Reply:
    edited = _is_edited(conversation)
    if run.ok and edited:
        report = texts.FIXED.format(passed=run.passed, changed=_changed())
        return publishing.first_step(report) if publishing.is_wanted(conversation) else Reply(report)
    if run.ok:
        return Reply(texts.NOTHING_TO_FIX.format(passed=run.passed))
    if edited or fix.FAILING_TEST not in run.failing:
        summary = _failure(run) if run.understood else texts.TESTS_DID_NOT_RUN
        facts = {"summary": summary, "output": _quoted(run.output), "leftover": _leftover(conversation)}
        return Reply(texts.UNKNOWN_FAILURE.format(**facts))
    return Reply(f"{_failure(run)} I'll read `{fix.PATH}`, which this test checks.", calls=(_read(),))


def _after_read(conversation: Conversation, done: FinishedCall) -> Reply:
    if (outputs.file_text(done.output) or "").count(fix.OLD) != 1:
        return Reply(_last_failure(conversation) + texts.UNKNOWN_MISTAKE.format(path=fix.PATH))
    words = texts.REASON.format(path=fix.PATH, old=fix.OLD.strip(), why=fix.WHY)
    if not conversation.offers("edit"):
        return Reply(f"{words} It should be `{fix.NEW.strip()}`. {texts.MAY_NOT_EDIT}")
    edit = call("edit", filePath=fix.PATH, oldString=fix.OLD, newString=fix.NEW)
    return Reply(words, reasoning=texts.THOUGHT.format(path=fix.PATH, test=fix.FAILING_TEST[1]), calls=(edit,))


def _after_edit(conversation: Conversation, done: FinishedCall) -> Reply:
    if not outputs.is_edit_done(done.output):
        return Reply(texts.EDIT_REFUSED.format(why=done.output.partition("\n")[0]))
    if not conversation.offers("bash"):
        return Reply(f"{_changed()} {texts.CANNOT_RUN}")
    return Reply("Now I'll run the tests again to check the change.", calls=(_run_tests(),))


def _after_rejection(conversation: Conversation, done: FinishedCall) -> Reply:
    words = outputs.words_of_rejection(done.output)
    answer = f"Understood: “{words}”. " if words else "Understood, I leave that. "
    return Reply(answer + _leftover(conversation))


def _failure(run: outputs.TestRun) -> str:
    """Name the failing tests and quote the first error."""
    names = ", ".join(f"`{path}::{name}`" for path, name in run.failing)
    error = f" The first error is `{run.first_error}`." if run.first_error else ""
    return f"{_counts(run)}.{f' Failing: {names}.' if names else ''}{error}"


def _counts(run: outputs.TestRun) -> str:
    if run.timed_out:
        return "The tests ran into their time limit"
    counts = ((run.failed, "failed"), (run.errors, "with errors"), (run.passed, "passed"))
    return "The tests ran: " + ", ".join(f"{number} {word}" for number, word in counts if number)


def _last_failure(conversation: Conversation) -> str:
    runs = conversation.outputs("bash")
    return f"{_failure(outputs.read_test_run(runs[-1].output))} " if runs else ""


def _is_edited(conversation: Conversation) -> bool:
    return any(outputs.is_edit_done(done.output) for done in conversation.outputs("edit"))


def _leftover(conversation: Conversation) -> str:
    """Return a sentence about the change that the demo model leaves in the workspace when it stops without passing
    tests."""
    return f"{_changed()} {texts.UNCONFIRMED}" if _is_edited(conversation) else "I changed nothing."


def _changed() -> str:
    return f"In `{fix.PATH}` I changed `{fix.OLD.strip()}` to `{fix.NEW.strip()}`: {fix.WHY}."


def _quoted(output: str) -> str:
    return "```\n" + "\n".join(output.strip().splitlines()[-MAX_QUOTED_LINES:]) + "\n```"


def _read() -> Call:
    return call("read", filePath=fix.PATH)


def _run_tests() -> Call:
    return call("bash", command=demo_project.TEST_COMMAND, description="Run the tests", timeout=TEST_TIMEOUT)
