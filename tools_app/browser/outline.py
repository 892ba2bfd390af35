"""The outline of a page: its texts and controls, as a screen reader would present them. Pure.

It is made from the browser's accessibility tree. Elements that can be used get a name (`e12`), which `click` and `type`
take.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

MAX_LINES: Final = 3_000
MAX_CHARACTERS: Final = 300  # of a text
USABLE: Final = frozenset(
    {
        "button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "listbox", "option", "menuitem",
        "menuitemcheckbox", "menuitemradio", "tab", "switch", "slider", "spinbutton", "treeitem", "DisclosureTriangle",
        "ColorWell", "Date", "DateTime", "InputTime",
    }
)  # fmt: skip
_TRANSPARENT: Final = frozenset(
    {"none", "generic", "RootWebArea", "paragraph", "Section", "LabelText", "Legend", "MenuListPopup", "LayoutTable"}
)
"""Roles that get no line of their own; their children do."""
_SKIPPED: Final = frozenset({"InlineTextBox", "LineBreak", "ListMarker"})
_STATES: Final = (
    "checked", "pressed", "selected", "expanded", "disabled", "required", "invalid", "readonly", "level", "focused",
)  # fmt: skip

Node = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outline:
    """The outline of a page: its lines, and the browser's ids of the elements that the lines name, such as `e5`."""

    lines: Sequence[str]
    elements: Mapping[str, int] = field(default_factory=dict)
    is_complete: bool = True


def outline_of(nodes: Sequence[Node]) -> Outline:
    """Return the outline of a page from the nodes of its accessibility tree."""
    drawing = _Drawing(nodes)
    return Outline(drawing.lines, drawing.elements, drawing.is_complete)


class _Drawing:
    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = {str(node.get("nodeId")): node for node in nodes if isinstance(node, dict)}
        self.lines: list[str] = []
        self.elements: dict[str, int] = {}
        self.is_complete = True
        roots = [node for node in self._nodes.values() if str(node.get("parentId")) not in self._nodes]
        self._draw(roots)

    def _draw(self, roots: Sequence[Node]) -> None:
        """Add the lines of the nodes to the outline in order, without recursion, because pages may be nested deeply."""
        waiting = [(root, 0, "") for root in reversed(roots)]
        seen: set[str] = set()
        while waiting:
            node, depth, said = waiting.pop()
            key = str(node.get("nodeId"))
            if key in seen:
                continue
            seen.add(key)
            if len(self.lines) >= MAX_LINES:
                self.is_complete = False
                return
            inside, said_inside = self._line(node, depth, said)
            waiting.extend((child, inside, said_inside) for child in reversed(list(self._children(node))))

    def _children(self, node: Node) -> Iterator[Node]:
        children = node.get("childIds")
        for key in children if isinstance(children, list) else ():
            if child := self._nodes.get(str(key)):
                yield child

    def _line(self, node: Node, depth: int, said: str) -> tuple[int, str]:
        """Add the line of one node to the outline. Returns the depth of the node's children, and the text that their
        lines do not repeat (the node's name and value)."""
        role, name = _text(node, "role"), _text(node, "name")
        if node.get("ignored") or role in _SKIPPED:
            return depth, said
        if role == "StaticText":
            if name and name not in said:
                self.lines.append(f"{'  ' * depth}- {_short(name)}")
            return depth, said
        usable = role in USABLE
        if role in _TRANSPARENT and not usable:
            return depth, said
        words = [f"{'  ' * depth}- {role}", *([f'"{_short(name)}"'] if name else []), *_facts(node)]
        if usable and (element := node.get("backendDOMNodeId")):
            words.append(f"[{self._named(element)}]")
        self.lines.append(" ".join(words))
        return depth + 1, f"{name} {_text(node, 'value')}".strip() or said

    def _named(self, element: Any) -> str:
        name = f"e{len(self.elements) + 1}"
        self.elements[name] = int(element)
        return name


def _facts(node: Node) -> Iterator[str]:
    value = _text(node, "value")
    if value and value != _text(node, "name"):
        yield f"= {_short(value)!r}"
    properties = node.get("properties")
    found = {
        each.get("name"): each["value"].get("value")
        for each in (properties if isinstance(properties, list) else ())
        if isinstance(each, dict) and isinstance(each.get("value"), dict)
    }
    for name in _STATES:
        state = found.get(name)
        if state is True or state == "true":
            yield f"({name})"
        elif state not in (None, False, "false", ""):
            yield f"({name} {_short(str(state))})"
        elif name in ("checked", "expanded", "pressed") and name in found:
            yield f"(not {name})"


def _text(node: Node, name: str) -> str:
    value = node.get(name)
    found = value.get("value") if isinstance(value, dict) else None
    return "" if found is None else " ".join(str(found).split())


def _short(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}..."
