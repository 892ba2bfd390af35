import pytest

from tools_app.permission.shell import arity


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git push origin main", "git push"),
        ("git remote add x y", "git remote add"),
        ("npm test -- x", "npm test"),
        ("npm run build", "npm run build"),
        ("docker compose up -d", "docker compose up"),
        ("docker ps", "docker ps"),
        ("kubectl get pods", "kubectl get"),
        ("aws s3 ls x", "aws s3 ls"),
        ("cargo add serde", "cargo add serde"),
        ("python3 x.py", "python3"),
        ("ls -la", "ls"),
        ("unknown a b", "unknown"),
        ("git", "git"),
        ("git -C x", "git -C"),
        (".venv/bin/python -m pytest x", ".venv/bin/python -m pytest"),
        ("python3.11 -m pytest x", "python3.11 -m pytest"),
        ("./gradlew test --info", "./gradlew test"),
        ("make deploy", "make deploy"),
    ],
)
def test_the_words_that_name_the_action(command: str, expected: str) -> None:
    assert " ".join(arity.prefix(command.split())) == expected


def test_no_words_have_no_prefix() -> None:
    assert arity.prefix([]) == ()


@pytest.mark.parametrize(
    ("command", "expected"),
    [("git log", True), ("git", False), ("npm run", False), ("mvn -q test", False), ("python -m pytest", True)],
)
def test_a_prefix_that_says_too_little_names_no_action(command: str, expected: bool) -> None:
    assert arity.names_an_action(command.split()) is expected
