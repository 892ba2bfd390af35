"""The grammar of simple instructions, and the tool call for each. Pure functions."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from deploy import demo_project
from deploy.demo_model import outputs
from deploy.demo_model.conversation import FinishedCall
from deploy.demo_model.wire import Call, call

MAX_SHOWN_LINES: Final = 12
POLITE_PREFIX: Final = r"(?is)^(?:please |can you |could you |now |and )*"
QUOTED: Final = r"`.*?`|'.*?'|\".*?\"|\S+"
NEW_FILE: Final = r"(?: an?| the)?(?: new)?(?: file)?(?: called| named)?"
QUESTION: Final = {
    "question": "What would you like to drink?",
    "header": "Drink",
    "options": [{"label": label, "description": ""} for label in ("Tea", "Coffee", "Water")],
    "multiple": False,
}


@dataclass(frozen=True, slots=True)
class Task:
    """A tool call, the text before it, and a function that turns its output into a text."""

    intro: str
    call: Call
    report: Callable[[FinishedCall], str]


def understand(piece: str) -> Task | None:
    """Return the task for one instruction; None if no pattern matches."""
    for pattern, build in GRAMMAR:
        if found := pattern.match(piece):
            return build(found)
    return None


def _list(found: re.Match[str]) -> Task:
    path = _clean(found["path"] or ".")
    return Task("I'll list the files.", call("list", path=path), _show("I found:"))


def _read(found: re.Match[str]) -> Task:
    path = _clean(found["path"])
    return Task(f"I'll read `{path}`.", call("read", filePath=path), _report_file)


def _run(found: re.Match[str]) -> Task:
    words = found["command"].strip()
    quoted = re.match(r"`([^`]+)`", words)
    command = quoted[1] if quoted else words
    return Task(f"I'll run `{command}`.", call("bash", command=command, description="As asked"), _report_run)


def _run_tests(_found: re.Match[str]) -> Task:
    made = call("bash", command=demo_project.TEST_COMMAND, description="Run the tests")
    return Task("I'll run the tests.", made, _report_run)


def _write(found: re.Match[str]) -> Task:
    path, content = _clean(found["path"]), _clean(found["content"])
    return Task(f"I'll write `{path}`.", call("write", filePath=path, content=f"{content}\n"), _first_line)


def _replace(found: re.Match[str]) -> Task:
    path, old, new = _clean(found["path"]), _clean(found["old"]), _clean(found["new"])
    return Task(f"I'll change `{path}`.", call("edit", filePath=path, oldString=old, newString=new), _first_line)


def _search(found: re.Match[str]) -> Task:
    pattern = re.escape(_clean(found["text"])).replace("\\ ", " ")
    return Task("I'll search the files.", call("grep", pattern=pattern), _show("The search found:"))


def _find(found: re.Match[str]) -> Task:
    return Task("I'll look for them.", call("glob", pattern=_clean(found["pattern"])), _show("Found:"))


def _delegate(found: re.Match[str]) -> Task:
    agent, prompt = found["agent"].lower(), found["prompt"].strip()
    made = call("task", subagent_type=agent, description=prompt[:60], prompt=prompt)
    return Task(f"I'll ask @{agent} to do that.", made, _report_task)


def _ask(_found: re.Match[str]) -> Task:
    return Task(
        "One question:", call("question", questions=[QUESTION]), lambda done: f"You said: {done.output.strip()}"
    )


def _todo(found: re.Match[str]) -> Task:
    items = [item.strip() for item in re.split(r"[,;\n]", found["items"]) if item.strip()]
    todos = [{"content": item, "status": "pending", "priority": "medium"} for item in items]
    report = f"{len(items)} {'thing is' if len(items) == 1 else 'things are'} on the list."
    return Task("I'll write that down.", call("todowrite", todos=todos), lambda _done: report)


def _clean(text: str) -> str:
    return text.strip().strip("`'\"“”").strip()


def _show(intro: str) -> Callable[[FinishedCall], str]:
    return lambda done: f"{intro}\n\n{_block(done.output)}"


def _report_file(done: FinishedCall) -> str:
    text = outputs.file_text(done.output)
    if text is None:
        return _block(done.output)
    lines = text.count("\n")
    return f"It has {lines} line{'' if lines == 1 else 's'}:\n\n{_block(text)}"


def _report_run(done: FinishedCall) -> str:
    run = outputs.read_test_run(done.output)
    return f"All {run.passed} tests pass." if run.ok else f"The output is:\n\n{_block(done.output, last=True)}"


def _report_task(done: FinishedCall) -> str:
    words = outputs.task_result(done.output)
    return f"The sub-agent says:\n\n{words}" if words else _block(done.output)


def _first_line(done: FinishedCall) -> str:
    return done.output.strip().partition("\n")[0]


def _block(text: str, *, last: bool = False) -> str:
    lines = text.strip("\n").splitlines()
    shown = lines[-MAX_SHOWN_LINES:] if last else lines[:MAX_SHOWN_LINES]
    more = f"\n({len(lines) - len(shown)} more lines.)" if len(lines) > len(shown) else ""
    return "```\n" + "\n".join(shown) + "\n```" + more


GRAMMAR: Final[list[tuple[re.Pattern[str], Callable[[re.Match[str]], Task]]]] = [
    (re.compile(rf"{POLITE_PREFIX}{pattern}\s*$"), build)
    for pattern, build in (
        (r"run (?:all )?(?:the )?tests", _run_tests),
        (r"(?:run|execute)(?: the command)?:? (?P<command>.+)", _run),
        (
            r"(?:list|ls|show)(?: me)?(?: all)?(?: the)?(?: files| folder| directory)?(?: (?:in|of) (?P<path>\S+))?",
            _list,
        ),
        (
            rf"(?:write|create){NEW_FILE} (?P<path>\S+) (?:with|containing|saying):? (?P<content>.+)",
            _write,
        ),
        (rf"(?:replace|change) (?P<old>{QUOTED}) (?:with|to|by) (?P<new>{QUOTED}) in (?P<path>\S+)", _replace),
        (r"(?:find|glob)(?: the| all)?(?: files)?(?: matching| named| like)? (?P<pattern>\S*[*.?]\S*)", _find),
        (r"(?:search|grep|look)(?: for)? (?P<text>.+?)", _search),
        (r"(?:read|open|cat|show)(?: me)?(?: the)?(?: file)? (?P<path>`[^`]+`|\S*[./]\S*|\w+)", _read),
        (r"(?:ask|let|have|tell) @?(?P<agent>general|explore):?(?: to)? (?P<prompt>.+)", _delegate),
        (r"@(?P<agent>\w[\w./-]*\w)[:,]?\s+(?P<prompt>.+)", _delegate),
        (r"ask(?: me)?(?: a| something| anything)?.*", _ask),
        (r"todos?:? (?P<items>.+)", _todo),
    )
]
