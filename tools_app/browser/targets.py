"""Find the element that an agent means: a name of the outline, a role with a name, or a CSS selector."""

import re
from collections.abc import Mapping
from typing import Any, Final

from tools_app.browser.devtools import Devtools, RequestRefused

_REF: Final = re.compile(r"e\d+")
_ROLE: Final = re.compile(r'([A-Za-z]+)\s+"(.*)"')
HOW: Final = 'Call `text` for the names of elements, or give a role and a name (button "Save") or a CSS selector.'


class NoElement(Exception):
    """The page has no such element, or several. The message says so, and what to do."""


async def find_element(target: str, elements: Mapping[str, int], devtools: Devtools, page: str) -> int:
    """Return the browser's id of the element `target`: a name in the last outline, a role with a label, or a CSS
    selector. `elements` maps the names in the outline to the browser's ids. Raises NoElement."""
    target = target.strip()
    if _REF.fullmatch(target):
        if target in elements:
            return elements[target]
        raise NoElement(f"There is no element {target} in the page as it is now. Call `text` again for its elements.")
    if found := _ROLE.fullmatch(target):
        return await _with_role(found[1], found[2], devtools, page)
    return await _with_selector(target, devtools, page)


async def _document(devtools: Devtools, page: str) -> int:
    root = await devtools.call("DOM.getDocument", {"depth": 0}, page=page)
    return int(root["root"]["nodeId"])


async def _with_role(role: str, name: str, devtools: Devtools, page: str) -> int:
    query = {"nodeId": await _document(devtools, page), "role": role, "accessibleName": name}
    answer = await devtools.call("Accessibility.queryAXTree", query, page=page)
    nodes = [node for node in answer.get("nodes", ()) if not node.get("ignored") and node.get("backendDOMNodeId")]
    _require_one(len(nodes), f'{role} "{name}"')
    return int(nodes[0]["backendDOMNodeId"])


async def _with_selector(selector: str, devtools: Devtools, page: str) -> int:
    query = {"nodeId": await _document(devtools, page), "selector": selector}
    try:
        answer = await devtools.call("DOM.querySelectorAll", query, page=page)
    except RequestRefused as error:
        raise NoElement(f"{selector!r} is no valid CSS selector. {HOW}") from error
    found = answer.get("nodeIds", ())
    _require_one(len(found), selector)
    return int((await described(devtools, page, nodeId=found[0]))["backendNodeId"])


async def described(devtools: Devtools, page: str, **element: Any) -> Mapping[str, Any]:
    """Return the browser's description of an element: `nodeName`, `attributes` and others."""
    answer = await devtools.call("DOM.describeNode", element, page=page)
    node: Mapping[str, Any] = answer["node"]
    return node


def _require_one(count: int, target: str) -> None:
    if not count:
        raise NoElement(f"The page has no element {target}. {HOW}")
    if count > 1:
        raise NoElement(f"The page has {count} elements {target}. Name one of them. {HOW}")
