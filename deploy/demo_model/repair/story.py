"""The next step of "fix the failing test", decided from what the calls so far have brought. Pure.

Look around, read the tests and what they import, find the change on paper, make it, run the tests, say what came out.
Where paper is not enough, the tests are run first and changes are tried one after another, each taken back again.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from deploy.demo_model import outputs, texts
from deploy.demo_model.conversation import Conversation
from deploy.demo_model.repair.diagnosis import Diagnosis, Repair
from deploy.demo_model.repair.knowledge import README, Edit, Knowledge, learn
from deploy.demo_model.repair.trials import trials
from deploy.demo_model.wire import Call, Reply, call

Diagnose = Callable[[Mapping[str, str]], Diagnosis]

MOST_READS: Final = 8
TEST_TIMEOUT: Final = 60_000
DEFAULT_TEST_COMMAND: Final = "python3 -m pytest -q"
TEST_COMMAND: Final = re.compile(r"`((?:python3? -m )?pytest(?: [\w./-]+)*)`")


def next_step(conversation: Conversation, diagnose: Diagnose) -> Reply:
    known = learn(conversation)
    if conversation.done and outputs.is_rejection(conversation.done[-1].output):
        return _after_rejection(conversation, known)
    if known.failed_edit:
        return Reply(texts.EDIT_REFUSED.format(why=known.failed_edit.splitlines()[0]))
    if not known.events:
        return _look_around(conversation, known) or _from_paper(conversation, diagnose(known.files))
    last = known.events[-1]
    if isinstance(last, Edit):
        return _after_edit(conversation, known, diagnose)
    return _after_run(known, last, diagnose)


def _look_around(conversation: Conversation, known: Knowledge) -> Reply | None:
    """What is still to be found out before thinking; None when that is all."""
    if not conversation.offers("glob", "read"):
        return Reply(texts.NEEDS_TOOLS)
    if not conversation.outputs("glob"):
        calls = [call("list", path=".")] if conversation.offers("list") else []
        return Reply("I'll look at the project first.", calls=(*calls, call("glob", pattern="**/*.py")))
    overview = _overview(conversation, known)
    return overview or _read_more(known) or (None if known.has_tests else Reply(texts.NO_TESTS))


def _overview(conversation: Conversation, known: Knowledge) -> Reply | None:
    if known.tried or conversation.outputs("grep"):
        return None
    calls = [call("read", filePath=README)] if known.has_readme else []
    if conversation.offers("grep"):
        calls.append(call("grep", pattern=r"^\s*def test_", include="*.py"))
    promise = ", and what does the README promise" if known.has_readme else ""
    return Reply(f"Which tests are there{promise}?", calls=tuple(calls)) if calls else None


def _read_more(known: Knowledge) -> Reply | None:
    if unread := known.unread_tests()[:MOST_READS]:
        return Reply("Now the tests.", calls=_reads(unread))
    if unread := known.unread_imports()[:MOST_READS]:
        return Reply("And the code that the tests use.", calls=_reads(unread))
    return None


def _reads(paths: Sequence[str]) -> tuple[Call, ...]:
    return tuple(call("read", filePath=path) for path in paths)


def _from_paper(conversation: Conversation, found: Diagnosis) -> Reply:
    if found.repairs:
        return _propose(conversation, found)
    if found.failures:
        return Reply(texts.NO_SMALL_CHANGE.format(test=found.failures[0].test, why=found.failures[0].why))
    if not conversation.offers("bash"):
        return Reply(f"On paper I see no failing test ({found.passed} pass). {texts.CANNOT_RUN}")
    surely = found.passed and not found.unclear
    why = "On paper all tests pass" if surely else "I cannot work through all of these tests on paper"
    return Reply(f"{why}, so I'll run them.", calls=(_run_tests(conversation),))


def _propose(conversation: Conversation, found: Diagnosis) -> Reply:
    failure, repair = found.failures[0], found.repairs[0]
    facts = {
        "test": failure.test, "test_path": failure.path, "why": failure.why, "path": repair.path, "line": repair.line,
        "change": repair.change, "total": found.passed + len(found.failures),
    }  # fmt: skip
    thought, text = texts.THOUGHT.format(**facts), texts.REASON.format(**facts)
    if not conversation.offers("edit"):
        return Reply(f"{text}\n\n{texts.MAY_NOT_EDIT}", reasoning=thought)
    return Reply(text, reasoning=thought, calls=(_edit(repair),))


def _after_edit(conversation: Conversation, known: Knowledge, diagnose: Diagnose) -> Reply:
    if known.standing is None:
        return _next_attempt(known, diagnose)
    if not conversation.offers("bash"):
        return Reply(f"{_changed(known.standing)} {texts.CANNOT_RUN}")
    return Reply("Now I'll run the tests to see whether that was it.", calls=(_run_tests(conversation),))


def _after_run(known: Knowledge, run: outputs.TestRun, diagnose: Diagnose) -> Reply:
    if run.ok:
        return _success(known, run)
    if not run.understood:
        return Reply(texts.TESTS_DID_NOT_RUN.format(output=_quoted(run.output), leftover=_leftover(known)))
    if known.standing is None:
        return _next_attempt(known, diagnose)
    standing = known.standing
    back = call("edit", filePath=standing.path, oldString=standing.new, newString=standing.old)
    return Reply(f"That was not it: {_counts(run)}. I take the change back.", calls=(back,))


def _next_attempt(known: Knowledge, diagnose: Diagnose) -> Reply:
    """The first change that has not been tried yet; the list is worked out anew from the same facts each time."""
    tried = {(edit.path, edit.old, edit.new) for edit in known.attempts}
    for repair in (*diagnose(known.originals).repairs, *trials(known.originals, known.runs[0])):
        if (repair.path, repair.old, repair.new) not in tried:
            return Reply(f"I'll try this in `{repair.path}`: {repair.change}.", calls=(_edit(repair),))
    first = known.runs[0]
    names = ", ".join(f"`{name}`" for _, name in first.failing) or "A test"
    return Reply(texts.GAVE_UP.format(names=names, counts=_counts(first), tried=len(tried)))


def _success(known: Knowledge, run: outputs.TestRun) -> Reply:
    if known.standing is None:
        return Reply(f"All {run.passed} tests pass already. There is nothing to fix, and I changed nothing.")
    return Reply(f"Fixed: all {run.passed} tests pass now.\n\n{_changed(known.standing)}")


def _after_rejection(conversation: Conversation, known: Knowledge) -> Reply:
    words = outputs.words_of_rejection(conversation.done[-1].output)
    heard = f"Understood: “{words}”. " if words else "Understood, I leave that. "
    return Reply(heard + _leftover(known))


def _leftover(known: Knowledge) -> str:
    if known.standing is None:
        return "The files are as they were before."
    return f"{_changed(known.standing)} {texts.UNCONFIRMED.format(command=DEFAULT_TEST_COMMAND)}"


def _changed(edit: Edit) -> str:
    old, new = edit.old.strip(), edit.new.strip()
    if "\n" in old or "\n" in new:
        return f"I changed `{edit.path}`; the diff shows how."
    return f"In `{edit.path}` I changed `{old}` to `{new}`."


def _counts(run: outputs.TestRun) -> str:
    if run.timed_out:
        return "the tests do not end"
    parts = ((run.failed, "failed"), (run.errors, "with errors"), (run.passed, "passed"))
    return ", ".join(f"{number} {word}" for number, word in parts if number)


def _quoted(output: str) -> str:
    return "```\n" + "\n".join(output.strip().splitlines()[-8:]) + "\n```"


def _edit(repair: Repair) -> Call:
    return call("edit", filePath=repair.path, oldString=repair.old, newString=repair.new)


def _run_tests(conversation: Conversation) -> Call:
    """The command that the project's own instructions name, when it is plainly pytest."""
    found = TEST_COMMAND.search(conversation.system)
    return call(
        "bash", command=found[1] if found else DEFAULT_TEST_COMMAND, description="Run the tests", timeout=TEST_TIMEOUT
    )
