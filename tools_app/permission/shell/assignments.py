"""Tables of environment variables: harmless ones, and variables that change which programs run.

Sources: bash(1), git(1), ld.so(8).
"""

import re
from typing import Final

from tools_app.permission.names import names

_HARMLESS: Final = re.compile(
    r"LANG|LANGUAGE|LC_\w+|TZ|CI|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|TERM|DEBUG|VERBOSE"
    r"|NODE_ENV|RAILS_ENV|RACK_ENV|APP_ENV|FLASK_ENV|FLASK_DEBUG|DJANGO_DEBUG|ENVIRONMENT|LOG_LEVEL|LOGLEVEL"
    r"|PYTHONDONTWRITEBYTECODE|PYTHONUNBUFFERED|PYTHONHASHSEED|PYTHONIOENCODING|PYTHONUTF8|PYTHONFAULTHANDLER"
    r"|PYTHONASYNCIODEBUG|PYTHONDEVMODE|PY_COLORS"
    r"|RUST_BACKTRACE|RUST_LOG|CARGO_TERM_COLOR|CARGO_INCREMENTAL|GOOS|GOARCH|CGO_ENABLED|GO111MODULE|GOMAXPROCS"
    r"|MIX_ENV|DATABASE_URL|VITE_\w+|NEXT_PUBLIC_\w+|REACT_APP_\w+"
    r"|HUSKY|npm_config_loglevel|PORT|TESTING|TEST_\w+|OMP_NUM_THREADS|MAKEFLAGS_QUIET|SOURCE_DATE_EPOCH|TMOUT_TEST"
)
_POWERFUL: Final = re.compile(
    r"PATH|IFS|BASH_ENV|ENV|LD_\w+|DYLD_\w+|GIT_\w+|CDPATH|HOME|PWD|OLDPWD|SHELLOPTS|BASHOPTS|GLOBIGNORE|PS[0-4]"
    r"|PROMPT_COMMAND|BASH_\w+|EXECIGNORE|FIGNORE|SHELL|EDITOR|VISUAL|PAGER|BROWSER|MANPAGER|LESS\w*|PYTHON\w+|NODE_\w+"
    r"|PERL\w*|RUBY\w*|JAVA_\w+|_JAVA_OPTIONS|MAKEFLAGS|GREP_OPTIONS|RIPGREP_CONFIG_PATH|TAR_OPTIONS|TMPDIR|POSIXLY_CORRECT"
    r"|HISTFILE|INPUTRC|XDG_\w+|SSH_\w+|TZDIR|NLSPATH|LOCPATH|FUNCNEST|OPTIND|OPTARG|S?RANDOM|UID|EUID|histchars"
    r"|BASHPID|HISTCMD|LINENO|SECONDS|EPOCH\w+|PPID|DIRSTACK|GROUPS|COMP_\w+|FUNCNAME|TIMEFORMAT|REPLY_\w+|_"
    r"|PIPESTATUS|MAPFILE|COPROC|COMPREPLY|BASH|HIST\w+|MAIL|MAILPATH|MAILCHECK|OPTERR|TMOUT|IGNOREEOF|SHLVL|CHILD_MAX"
    r"|PROMPT_\w+|READLINE_\w+|auto_resume|EMACS|FCEDIT|INSIDE_EMACS|GCONV_PATH|GO\w*FLAGS|PYTEST_\w+|\w*_WRAPPER|\w+_ENV_ARGS|\w*LIBPATH|\w+_ADDOPTS|HOSTFILE|MAGIC"
    r"|(?:MAVEN|GRADLE|JAVA|SBT|JRUBY|ANT)_OPTS|\w*_PROXY|\w*_proxy|(?i:npm_config_\w+)|npm_\w+|SSL_\w+|DENO_\w+|CURL_\w+|REQUESTS_\w+|PIP_\w+"
    r"|CARGO_\w+|YARN_\w+|UV_\w+|DEPENDENCIES_OUTPUT|SUNPRO_DEPENDENCIES|COMPILER_PATH|GCC_\w+|GCOV_\w+|CCC_\w+|CPATH|LIBRARY_PATH|\w+_INCLUDE_PATH"
    r"|[A-Z]+SAN_OPTIONS|RUST(?:C|DOC)?FLAGS|RUSTC\w*|GEM_\w+|BUNDLE_\w+"
    r"|DOCKER_(?:HOST|CONTEXT)|CONTAINER_(?:HOST|CONNECTION)|(?:BORG|RESTIC|BUPSTASH)_REPO(?:SITORY)?|CVSROOT|NIX_REMOTE"
    r"|(?:LIBVIRT_DEFAULT|VIRSH_DEFAULT_CONNECT)_URI|PARALLEL|TAPE|DISTCC_\w+"
)
STANDS_FOR: Final = {
    "GIT_TEMPLATE_DIR": ".git/hooks",
    "GIT_CONFIG_GLOBAL": ".git/config",
    "GIT_CONFIG_SYSTEM": ".git/config",
}
"""Variables that name a file or a folder, and the files of git in the place of which it stands."""
NOWHERE: Final = names("/dev/null '' \"\"")
_LIKE_A_PATH: Final = re.compile(r"[/$`~]|\w\.\w")
_OF_PLACES: Final = re.compile("(?:DIR|FILE|PATH|OUT|OUTPUT|LOG|DEST|FOLDER|ROOT|REPORT)$")
_FILE: Final = re.compile(r":|/|.*\.\.")
_SET_BY_BASH: Final = names("COLUMNS LINES REPLY HOSTNAME HOSTTYPE MACHTYPE OSTYPE")
"""Variables with harmless names that bash sets by itself. It also sets many of _POWERFUL."""


def is_harmless(name: str) -> bool:
    """Return whether setting the variable cannot change which programs run (`LANG=C ls`)."""
    return bool(_HARMLESS.fullmatch(name))


def names_file(name: str, value: str) -> bool:
    """Return whether the value of a harmless variable, as written, makes programs read another file."""
    plain = value.strip("'\"")
    return (name == "TZ" and bool(_FILE.match(plain))) or (name == "LANGUAGE" and "/" in plain)


def may_name_files(name: str, source: str) -> bool:
    """Return whether the value of a variable may name a file for a program to read or write.

    The value of a harmless variable may do so only if it looks like a path or the variable's name suggests one.
    """
    return not is_harmless(name) or bool(_LIKE_A_PATH.search(source) or _OF_PLACES.search(name))


def is_powerful(name: str) -> bool:
    """Return whether setting the variable (such as `PATH`) changes how the shell or common programs find the programs
    that they run."""
    return bool(_POWERFUL.fullmatch(name)) and not is_harmless(name)


def keeps_its_value(name: str) -> bool:
    """Return whether the variable keeps an assigned value. bash sets some variables by itself."""
    return name not in _SET_BY_BASH
