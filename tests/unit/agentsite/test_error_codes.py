"""Every error code is declared once, in `agentsite.base.error_codes`, and has the HTTP status of the error classes that
use it."""

import ast
from collections.abc import Iterator

import sandbox.errors
import sandbox.runner.errors
from agentsite.base import errors
from agentsite.base.error_codes import ErrorCode, code_of
from agentsite.base.errors import SiteError, Stale, UnknownField
from tests.support.parsed_once import syntax_trees

CLASSES = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, SiteError)}
OTHER_STATUS = {("BadInput", "METHOD_NOT_ALLOWED"), ("SiteError", "REQUEST_FAILED")}


def codes_in(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield the value of each `code=` of a call, `"code":` of a dict and `code = ` of a class."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from (word.value for word in node.keywords if word.arg == "code")
        elif isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            yield from (value for key, value in pairs if isinstance(key, ast.Constant) and key.value == "code")
        elif isinstance(node, ast.Assign) and any(isinstance(at, ast.Name) and at.id == "code" for at in node.targets):
            yield node.value


def test_no_code_is_written_as_text() -> None:
    found = [
        f"{path}:{value.lineno}: {value.value!r}"
        for path, tree in syntax_trees()
        for value in codes_in(tree)
        if isinstance(value, ast.Constant) and isinstance(value.value, str)
    ]
    assert not found, "use a member of ErrorCode"


def test_every_class_has_the_status_of_its_codes() -> None:
    wrong = []
    for path, tree in syntax_trees():
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CLASSES):
                continue
            for word in node.keywords:
                if word.arg != "code" or not isinstance(word.value, ast.Attribute):
                    continue
                said = (node.func.id, word.value.attr)
                if CLASSES[said[0]].status != ErrorCode[said[1]].status and said not in OTHER_STATUS:
                    wrong.append(f"{path}:{node.lineno}: {said}")
    assert not wrong


def test_every_class_of_error_has_a_code_of_its_own() -> None:
    assert {kind.code.status for kind in CLASSES.values()} == {kind.status for kind in CLASSES.values()}
    assert len({kind.code for kind in CLASSES.values()}) == len(CLASSES)


def test_a_code_says_what_it_means_and_what_to_do() -> None:
    for code in ErrorCode:
        assert code.name == code.value.upper()
        assert code.meaning.endswith((".", "`).")), code
        assert code.hint.endswith("."), code
        assert code.status is None or 400 <= code.status < 600, code


def test_every_code_of_the_sandbox_is_known() -> None:
    raised = {kind.code for kind in vars(sandbox.errors).values() if isinstance(kind, type) and hasattr(kind, "code")}
    refused = {value for name, value in vars(sandbox.runner.errors).items() if name.isupper() and name != "BY_ERRNO"}
    assert raised | refused <= {str(code) for code in ErrorCode}


def test_an_error_has_the_hint_of_its_code_unless_it_has_its_own() -> None:
    assert Stale("Changed.", code=ErrorCode.STALE_AGENT).hint == ErrorCode.STALE_AGENT.hint
    assert Stale("Changed.", hint="Wait.").hint == "Wait."
    assert UnknownField("Unknown.").hint == ErrorCode.UNKNOWN_PARAMETER.hint


def test_a_code_of_another_release_is_answered_as_unavailable() -> None:
    assert code_of("workspace_silent") is ErrorCode.WORKSPACE_SILENT
    assert code_of("something_new") is ErrorCode.UNAVAILABLE
