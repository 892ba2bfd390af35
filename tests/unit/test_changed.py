"""The selection of the tests that belong to a changed file."""

from tests.support.changed import select_tests

TESTS = [
    "tests/integration/sessions_app/test_webhooks.py",
    "tests/integration/tenancy/test_members.py",
    "tests/unit/sandbox/test_frames.py",
    "tests/unit/sandbox/test_tree.py",
    "tests/unit/sessions_app/test_agents.py",
]


def test_a_module_runs_the_select_tests_its_name() -> None:
    assert select_tests(["sandbox/runner/tree.py"], TESTS) == ["tests/unit/sandbox/test_tree.py"]


def test_a_folder_of_a_feature_runs_the_tests_of_the_feature() -> None:
    assert select_tests(["sessions_app/webhooks/outbox.py"], TESTS) == [
        "tests/integration/sessions_app/test_webhooks.py"
    ]


def test_a_module_without_tests_of_its_name_runs_the_unit_tests_of_its_package() -> None:
    expected = ["tests/unit/sandbox/test_frames.py", "tests/unit/sandbox/test_tree.py"]
    assert select_tests(["sandbox/limits.py"], TESTS) == expected


def test_tenancy_has_a_folder_of_tests_of_its_own() -> None:
    assert select_tests(["agentsite/tenancy/actions/members.py"], TESTS) == [
        "tests/integration/tenancy/test_members.py"
    ]


def test_a_changed_test_runs_and_other_files_run_nothing() -> None:
    files = ["tests/unit/sandbox/test_tree.py", "README.md", "frontend/src/main.tsx"]
    assert select_tests(files, TESTS) == ["tests/unit/sandbox/test_tree.py"]
