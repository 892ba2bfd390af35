from tests.unit.tools_app.permission.shell.support import analyzed, touched


def test_the_parent_of_a_directory_is_the_one_by_name_or_the_one_that_the_sandbox_resolves() -> None:
    assert touched("cd a && cd .. && cat b", "read") >= {"/workspace/b", "/workspace/a/../b"}
    assert touched("cd -P a && cd .. && cat b", "read") >= {"/workspace/b", "/workspace/a/../b"}


def test_going_down_leads_to_one_place() -> None:
    assert touched("cd a && cat b", "read") == {"/workspace/a", "/workspace/a/b"}
    assert touched("cd a/b; cd /workspace/c && cat d", "read") >= {"/workspace/c/d"}


def test_the_remembered_directory_is_not_known_after_a_physical_change() -> None:
    assert analyzed("cd a && cat $PWD/b").complete
    assert not analyzed("cd -P a && cat $PWD/b").complete


def test_a_directory_that_is_not_known_makes_relative_paths_unknown() -> None:
    assert not analyzed("cd - && cat a").complete
    assert not analyzed("pushd a && popd && cat a").complete
    assert analyzed("cd - && pwd").complete
