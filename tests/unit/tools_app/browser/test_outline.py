from typing import Any

import pytest

from tools_app.browser import outline
from tools_app.browser.outline import outline_of


def node(number: int, role: str, name: str = "", *children: int, **more: Any) -> dict[str, Any]:
    return {
        "nodeId": str(number),
        "role": {"value": role},
        "name": {"value": name},
        "childIds": [str(child) for child in children],
        "backendDOMNodeId": number * 10,
        **more,
    }


def states(**values: Any) -> list[dict[str, Any]]:
    return [{"name": name, "value": {"value": value}} for name, value in values.items()]


def test_it_says_what_can_be_read_and_names_what_can_be_used() -> None:
    found = outline_of(
        [
            node(1, "RootWebArea", "Shop", 2, 3, 4, 7),
            node(2, "heading", "Tea   shop", 20, properties=states(level=1)),
            node(20, "StaticText", "Tea shop"),
            node(3, "generic", "", 5, 6),
            node(5, "textbox", "Name", 21, value={"value": "Ada"}, properties=states(focused=True, required=True)),
            node(21, "StaticText", "Ada"),
            node(6, "checkbox", "Sugar", properties=states(checked="false")),
            node(4, "button", "Save", properties=states(disabled=True)),
            node(7, "StaticText", "Bye", 8),
            node(8, "InlineTextBox", "Bye"),
        ]
    )

    assert list(found.lines) == [
        '- heading "Tea shop" (level 1)',
        "- textbox \"Name\" = 'Ada' (required) (focused) [e1]",
        '- checkbox "Sugar" (not checked) [e2]',
        '- button "Save" (disabled) [e3]',
        "- Bye",
    ]
    assert found.elements == {"e1": 50, "e2": 60, "e3": 40}
    assert found.is_complete


def test_ignored_elements_are_left_out_and_what_is_in_them_is_not() -> None:
    found = outline_of([node(1, "RootWebArea", "", 2), node(2, "none", "", 3, ignored=True), node(3, "link", "Home")])
    assert list(found.lines) == ['- link "Home" [e1]']


def test_a_page_that_nests_deeply_or_in_a_circle_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = [node(number, "group", f"g{number}", number + 1) for number in range(5_000)]
    assert not outline_of(deep).is_complete
    circle = [node(1, "list", "a", 2), node(2, "list", "b", 1)]
    assert outline_of([node(0, "list", "r", 1), *circle]).lines
    monkeypatch.setattr(outline, "MAX_CHARACTERS", 5)
    assert list(outline_of([node(1, "button", "x" * 50)]).lines) == ['- button "xxxxx..." [e1]']


@pytest.mark.parametrize("nodes", [[], [{}], [{"nodeId": 1, "role": 3, "childIds": "x"}], ["x"]])
def test_malformed_nodes_are_no_error(nodes: Any) -> None:
    assert outline_of(nodes).is_complete
