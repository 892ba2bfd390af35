import pytest

from agentsite.tenancy.roles import PERMITTED, Act, Role, may


def test_the_table_knows_every_act() -> None:
    assert set(PERMITTED) == set(Act)


@pytest.mark.parametrize("act", list(Act))
def test_what_a_smaller_role_may_a_greater_one_may_too(act: Act) -> None:
    permitted = [may(role, act) for role in (Role.VIEWER, Role.MEMBER, Role.ADMIN, Role.OWNER)]
    assert permitted == sorted(permitted)


def test_a_viewer_only_looks() -> None:
    assert [act for act in Act if may(Role.VIEWER, act)] == [Act.VIEW]


def test_a_member_without_approval_prompts_but_does_not_answer() -> None:
    assert may(Role.MEMBER, Act.PROMPT, may_approve=False)
    assert not may(Role.MEMBER, Act.ANSWER, may_approve=False)


def test_the_approval_switch_does_not_touch_admins() -> None:
    assert may(Role.ADMIN, Act.ANSWER, may_approve=False)


def test_an_unknown_role_is_an_error_and_not_a_no() -> None:
    with pytest.raises(ValueError, match="guest"):
        may("guest", Act.VIEW)
