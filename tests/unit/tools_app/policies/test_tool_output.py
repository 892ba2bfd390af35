"""The smallest limit of all policies decides how much of a tool's output a model reads."""

import pytest
from pydantic import ValidationError

from tools_app.policies.current import Policies
from tools_app.policies.documents import PolicyDocument


def saying(**tool_output: int) -> PolicyDocument:
    return PolicyDocument.model_validate({"options": {"tool_output": tool_output}})


def test_the_smallest_number_holds() -> None:
    policies = Policies(site=saying(lines=500, bytes=40_000), team=saying(lines=800), project=saying(bytes=9_000))
    assert policies.tool_settings == {"output_lines": 500, "output_bytes": 9_000}


def test_what_nobody_says_is_no_setting() -> None:
    assert Policies(team=saying(lines=100)).tool_settings == {"output_lines": 100}
    assert Policies().tool_settings == {}


@pytest.mark.parametrize("tool_output", [{"lines": 49}, {"lines": 2001}, {"bytes": 1999}, {"bytes": 51_201}])
def test_more_than_a_model_should_read_and_too_little_to_be_of_use_are_refused(tool_output: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        saying(**tool_output)
