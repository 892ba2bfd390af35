"""Rules for the names of variables, and for the length of their values."""

import re
from typing import Final

from agentsite.base.errors import BadInput
from tools_app.masking import MIN_CHARACTERS
from tools_app.network.environment import ALL_NAMES
from tools_app.permission.shell.assignments import is_powerful
from tools_app.text import is_clean

MAX_NAME_CHARACTERS: Final = 100
MAX_VALUE_BYTES: Final = 32 << 10
MAX_SECRET_BYTES: Final = 8 << 10
MAX_VARIABLES: Final = 100  # of one team, project or person
MAX_TOTAL_BYTES: Final = 128 << 10  # of all names and values of one team, project or person

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_PROXY: Final = re.compile(r"(?i:\w*_proxy|no_?proxy|proxy)")
_OF_SANDBOX: Final = frozenset({"USER", "LOGNAME", "HOSTNAME", "LC_CTYPE", "TERM", "DEBIAN_FRONTEND"})
_RESERVED: Final = re.compile(r"(?i:AGENTSITE_\w*|SANDBOX_\w*)")
_ONLY_CREDENTIALS: Final = frozenset({"NODE_AUTH_TOKEN"})
"""Names of variables that look like options of a program, but that only the configuration of a package manager
reads."""
_ONLY_ADDRESSES: Final = re.compile(
    r"PIP_(EXTRA_)?INDEX_URL|PIP_FIND_LINKS|UV_((EXTRA_)?INDEX_URL|DEFAULT_INDEX|INDEX)|UV_INDEX_\w+_(USERNAME|PASSWORD)"
    r"|(npm_config|NPM_CONFIG)_(registry|REGISTRY)|YARN_(REGISTRY|NPM_REGISTRY_SERVER|NPM_AUTH_TOKEN)"
    r"|CARGO_REGISTRY_TOKEN|CARGO_REGISTRIES_[A-Z0-9_]+_(INDEX|TOKEN)|BUNDLE_RUBYGEMS__PKG__GITHUB__COM"
)
"""Addresses of package indexes and credentials for them. They do not change which program a command runs, and the door
judges the host. Where packages come from is the decision of whoever sets the variable: admins, or people for their own
turns. Options that run code (`*_OPTS`, `NODE_OPTIONS`), name programs or files of settings, or disable the check of
certificates (`PIP_TRUSTED_HOST`) stay refused."""


def check_name(name: str, *, in_commands: bool = True) -> None:
    """Raise BadInput unless a variable may have this name. `in_commands`: commands or set-up get the variable."""
    if problem := name_problem(name, in_commands=in_commands):
        raise BadInput(f"A variable cannot be called '{name[:60]}': {problem}.", fields={"name": problem})


def name_problem(name: str, *, in_commands: bool = True) -> str:
    """Return why a variable cannot have this name, or ""."""
    if len(name) > MAX_NAME_CHARACTERS:
        return f"a name has at most {MAX_NAME_CHARACTERS} characters"
    if _NAME.fullmatch(name) is None:
        return "a name consists of letters, digits and underscores, and does not begin with a digit"
    if not in_commands:
        return ""
    if _ONLY_ADDRESSES.fullmatch(name):
        return ""
    if name in ALL_NAMES or _PROXY.fullmatch(name):
        return "the site sets it, so that programs find the network"
    if name in _OF_SANDBOX or _RESERVED.fullmatch(name):
        return "the sandbox sets it"
    if is_powerful(name) and name not in _ONLY_CREDENTIALS:
        return "it changes which programs a command runs or how they behave, so rules about commands would not hold"
    return ""


def check_value(value: str, *, secret: bool) -> None:
    """Raise BadInput unless a variable may have this value."""
    problem = ""
    if not is_clean(value):
        problem = "a value cannot contain a NUL or half of a character"
    elif secret and len(value.strip()) < MIN_CHARACTERS:
        problem = f"a secret has at least {MIN_CHARACTERS} characters, because shorter ones cannot be masked in output"
    elif len(value.encode()) > (most := MAX_SECRET_BYTES if secret else MAX_VALUE_BYTES):
        problem = f"it has at most {most // 1024} KiB"
    if problem:
        raise BadInput(f"The value is not valid: {problem}.", fields={"value": problem})
