from uuid import UUID

import pytest

from agentsite.base.errors import Missing
from agentsite.base.ids import from_public, new_id, to_public


def test_ids_sort_by_the_time_they_were_made() -> None:
    made = [new_id() for _ in range(50)]
    assert sorted(made) == made or sorted(made, key=lambda one: one.int >> 64) == made


def test_an_id_is_a_version_7_uuid() -> None:
    assert (new_id().version, new_id().variant) == (7, "specified in RFC 4122")


def test_an_id_is_larger_than_the_one_before_it_even_when_the_clock_went_back() -> None:
    tomorrow = UUID(int=new_id().int + (86_400_000 << 80))
    later = new_id(after=tomorrow)
    assert later > tomorrow
    assert later.version == 7


def test_the_public_form_leads_back() -> None:
    one = new_id()
    assert from_public("ses", to_public("ses", one)) == one


@pytest.mark.parametrize(
    "text", ["", "ses_", "prj_" + "0" * 32, "ses_" + "g" * 32, "ses_" + "0" * 31, "ses_é" + "0" * 31]
)
def test_anything_else_is_simply_not_there(text: str) -> None:
    with pytest.raises(Missing):
        from_public("ses", text)
