from collections import Counter
from itertools import chain

import pytest

from agentsite.tenancy.scopes import (
    FRAMES,
    NOT_WITH_TOKEN,
    OPERATIONS,
    Scope,
    in_order,
    scope_of_frame,
    scope_of_operation,
)
from sessions_app.transport.ws.session_consumer import HANDLERS
from tests.support.frame_check import type_of
from tests.support.parsed_once import committed_api


def _operations() -> dict[str, bool]:
    """Return, for each operation id, whether it needs no sign-in."""
    paths = committed_api()["paths"].values()
    return {one["operationId"]: "security" not in one for methods in paths for one in methods.values()}


def test_every_operation_that_wants_somebody_signed_in_has_a_scope() -> None:
    private = {name for name, is_public in _operations().items() if not is_public}
    assert private - set(chain(NOT_WITH_TOKEN, *OPERATIONS.values())) == set()


def test_no_scope_names_an_operation_that_is_not_there() -> None:
    assert set(chain(NOT_WITH_TOKEN, *OPERATIONS.values())) - set(_operations()) == set()


def test_no_operation_has_two_scopes() -> None:
    counted = Counter(chain(NOT_WITH_TOKEN, *OPERATIONS.values()))
    assert [name for name, times in counted.items() if times > 1] == []


def test_every_frame_has_exactly_one_scope() -> None:
    counted = Counter(chain(*FRAMES.values()))
    assert set(map(type_of, HANDLERS)) <= set(counted)
    assert set(counted.values()) == {1}


def test_what_no_list_names_wants_the_most() -> None:
    assert scope_of_operation("something_new") is Scope.ADMIN
    assert scope_of_frame("something.new") is Scope.ADMIN


def test_scopes_are_kept_once_and_in_order() -> None:
    assert in_order(["answer", "read", "answer"]) == ["read", "answer"]
    with pytest.raises(ValueError, match="nonsense"):
        in_order(["nonsense"])
