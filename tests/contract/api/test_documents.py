"""The committed API documents match the code, and contain the names, types and examples that client generators need."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from agentsite.management.commands.export_openapi import FOLDER, documents, render
from deploy.client_types import TYPES_FILE, render_types
from deploy.error_codes import error_code_files
from sessions_app.events.schema import EVENT_VIEWS, SnapshotView, event_schema
from tests.support.parsed_once import made_documents

REFRESH = "run `make openapi` and commit what it writes"
# Fields of any type: arguments of tools, and data about their results.
FREE_FORM = {
    ("PartView", "data"),
    ("ToolCallView", "arguments"),
    ("ToolCallView", "metadata"),
    ("NeedView", "metadata"),
    ("ExplainQuestion", "arguments"),
    ("PolicyToCheck", "document"),
    ("ProjectFileView", "permission"),
    ("AuditEntryView", "data"),
    ("WorkspaceNoteView", "data"),
    ("TurnView", "output"),
    ("NewPrompt", "output_schema"),
    ("NewSession", "config"),
    ("ToolView", "parameters"),
    ("McpToolView", "parameters"),
    ("McpTry", "arguments"),
    ("McpTryResult", "structured"),
    ("AgentDocument", "options"),
    ("EffectiveAgentView", "options"),
    ("ConfigurationValue", "value"),
    ("OverriddenValue", "value"),
}


@pytest.mark.parametrize("name", ["openapi.json", "events.schema.json", "frames.schema.json"])
def test_the_committed_document_is_current(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == render(made_documents()[name]), REFRESH


def test_the_python_clients_types_are_those_of_the_document(tmp_path: Path) -> None:
    render_types(tmp_path / "types.py")
    assert TYPES_FILE.read_text(encoding="utf-8") == (tmp_path / "types.py").read_text(encoding="utf-8"), REFRESH


@pytest.mark.parametrize("path", error_code_files(), ids=lambda path: str(path.name))
def test_the_list_of_error_codes_is_current(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == error_code_files()[path], REFRESH


def test_the_document_is_the_same_each_time_it_is_made() -> None:
    assert documents() == made_documents()


def openapi() -> dict[str, Any]:
    document: dict[str, Any] = made_documents()["openapi.json"]
    return document


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in openapi()["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def test_every_operation_has_a_name_of_its_own() -> None:
    names = [operation["operationId"] for _, operation in operations()]
    assert len(names) > 30
    assert sorted(names) == sorted(set(names))


def test_every_operation_says_what_it_answers_and_how_it_fails() -> None:
    for route, operation in operations():
        answers = operation["responses"]
        assert answers["default"] == {"$ref": "#/components/responses/Failure"}, route
        assert answers[503] == {"$ref": "#/components/responses/Unavailable"}, route
        succeeding = {status: answer for status, answer in answers.items() if status != "default" and status < 300}
        assert succeeding, route
        for status, answer in succeeding.items():
            assert status == 204 or "content" in answer, f"{route} does not say what it answers"


def test_every_failure_has_the_one_shape() -> None:
    failures = openapi()["components"]["responses"].values()
    assert {failure["content"]["application/json"]["schema"]["$ref"] for failure in failures} == {
        "#/components/schemas/ErrorBody"
    }


def test_every_operation_that_needs_a_sign_in_can_be_asked_in_both_ways() -> None:
    ways = {tuple(name for way in operation.get("security", ()) for name in way) for _, operation in operations()}
    assert ways == {(), ("BearerToken", "SessionCookie")}
    assert all(scheme["description"] for scheme in openapi()["components"]["securitySchemes"].values())


def test_every_operation_says_what_it_is_for() -> None:
    for route, operation in operations():
        assert operation["summary"], route
        assert operation["description"].strip().endswith((".", "`")), route
        assert operation["tags"], route


def test_every_request_and_every_answer_has_an_example_that_fits() -> None:
    document = openapi()
    for route, operation in operations():
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for body in bodies:
            for media_type, content in body.get("content", {}).items():
                if media_type == "application/json":
                    schema = {**content["schema"], "components": document["components"]}
                    assert not list(Draft202012Validator(schema).iter_errors(content["example"])), route


def test_every_example_of_a_failure_fits() -> None:
    document = openapi()
    schema = {"$ref": "#/components/schemas/ErrorBody", "components": document["components"]}
    for failure in document["components"]["responses"].values():
        Draft202012Validator(schema).validate(failure["content"]["application/json"]["example"])


def test_only_what_is_free_by_nature_has_no_type() -> None:
    """Only fields for free-form values have no type. A generated client types all other fields; a field without a type
    would be `unknown` or a bare record."""
    found = set()
    for name, schema in openapi()["components"]["schemas"].items():
        for field, kind in schema.get("properties", {}).items():
            if _is_untyped(kind):
                found.add((name, field))
    assert found == FREE_FORM


def _is_untyped(kind: dict[str, Any]) -> bool:
    if "$ref" in kind or "enum" in kind or "const" in kind:
        return False
    if "anyOf" in kind or "allOf" in kind:
        return any(map(_is_untyped, kind.get("anyOf") or kind["allOf"]))
    if kind.get("type") == "array":
        return _is_untyped(kind.get("items", {}))
    if kind.get("type") == "object":
        return not isinstance(kind.get("additionalProperties"), dict)
    return "type" not in kind


def test_what_the_server_always_sends_is_required() -> None:
    views = openapi()["components"]["schemas"]
    for name in ("SessionView", "TokensView", "SnapshotView", "ToolCallView", "PermissionRequestView"):
        assert sorted(views[name]["required"]) == sorted(views[name]["properties"]), name


def test_the_event_schema_covers_every_event_and_the_snapshot() -> None:
    schema = event_schema()
    assert set(schema["events"]) == set(EVENT_VIEWS)
    assert set(schema["snapshot"]["properties"]) == set(SnapshotView.model_fields)
    assert json.loads(json.dumps(schema)) == schema
