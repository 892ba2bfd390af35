"""Commands that change what each later shell runs count as changing a file in the home directory."""

import pytest

from tests.unit.tools_app.permission.shell.support import touched

START_FILE = "/home/agent/.bashrc"


@pytest.mark.parametrize(
    "command",
    [
        "terraform -install-autocomplete",
        "./vault -autocomplete-install",
        "consul -autocomplete-uninstall",
        "uv run app --install-completion bash",
        "app --installCompletion=zsh",
        "npx netlify completion:install",
        "app completion install",
        "app completion bash --install",
        "app --completion install",
        "app install --completion",
        "app shell-integration install",
        "python3 -m pipx ensurepath",
        "app --add-to-path",
        "activate-global-python-argcomplete",
        "git credential-manager configure",
        "rbenv init bash",
        "pyenv init --install",
        "ng completion",
        "chezmoi init --apply x",
        "yadm clone x",
        "conda run -n x conda init",
    ],
)
def test_a_start_file_of_the_shell_is_changed(command: str) -> None:
    assert START_FILE in touched(command, "write")


@pytest.mark.parametrize(
    "command",
    [
        "terraform plan",
        "kubectl completion bash",
        "app --show-completion",
        "app --no-modify-path",
        "rbenv init -",
        "pyenv init -",
        "ng completion script",
        "chezmoi diff",
        "yadm status",
        "stow --help",
        "npm install completion",
        "yarn add autocomplete",
        "pytest -k completion tests/path",
        "npx tsc --showConfig",
        "grep -rn install-completion src",
        "git log --grep=ensurepath",
    ],
)
def test_no_start_file_is_changed(command: str) -> None:
    assert START_FILE not in touched(command, "write")
