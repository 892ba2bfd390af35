"""Commands that change the settings of a tool in the home directory, which control later commands of the same tool."""

import re
from collections.abc import Mapping, Sequence
from itertools import dropwhile
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.start_files import HINT, TOOLS, touch_start_files
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field

_MAX_CHARS: Final = 2_000
_LOGIN: Final = "login|logout|auth"
_OF_JUPYTER: Final = r"(?:.* )?(?:--generate-config|password|--user)|(?:lab|server|nb)extension"
_SETTING: Final[Mapping[str, str]] = {
    "go": r"env (?:.* )?--?[wu](?: |$)|telemetry (?:on|off|local)",
    **dict.fromkeys(("pip", "pip3"), r"(?:-\S+ )*config (?:-\S+ )*(?:set|unset|edit)"),
    "pnpm": r"setup|env use|(?:-\S+ )*(?:config|c) (?:-\S+ )*(?:set|delete)",
    "yarn": r"(?:-\S+ )*config (?:-\S+ )*(?:set|unset|delete)",
    "npm": r"(?:-\S+ )*(?:c|config) (?:-\S+ )*(?:set|delete|edit|fix)",
    "poetry": r"config (?:-\S+ )*[\w.-]+ \S|config .*--unset|self (?!show)",
    "bundle": r"config (?:-\S+ )*(?:set|unset)|config (?:--global )?(?!get|list|-)\S+ \S",
    "gem": r"sou\w* .*-(?:a|r|c|-add|-remove|-clear)|signin|signout",
    "rustup": r"default \S|override (?!list)|set|toolchain (?!list)|self|component (?!list)|target (?!list)",
    "composer": r"(?:(?:-d|--working-dir) \S+ )?(?:gl?o?b?a?l? |gl?o?b?a?l?$|\S+ (?:.* )?(?:-g|--gl\w*)(?: |$))",
    **dict.fromkeys(
        ("conda", "mamba", "micromamba"), r"config .*--(?:add|append|prepend|set|remove)|init|shell (?:de)?init"
    ),
    "kubectl": r"config (?:set|unset|use|delete|rename)|krew (?:install|uninstall|upgrade)",
    **dict.fromkeys(("kubectx", "kubens"), r"(?!-c|--current)\S"),
    **dict.fromkeys(("minikube", "kind", "k3s"), r"start|(?:create|export|get) kubeconfig|kubeconfig|create cluster"),
    "helm": rf"repo (?!list|ls)|plugin (?!list|ls)|registry (?:{_LOGIN})",
    **dict.fromkeys(
        ("docker", "podman"),
        rf"{_LOGIN}|context (?:create|use|rm|update|import)|plugin (?!ls)|trust key|extension (?!ls)"
        r"|scout config \S+ \S|(?:buildx|builder) (?:.* )?(?:create|use|rm|install|uninstall)(?: |$)"
        r"|(?:.* )?connection (?:add|remove|rm|default|rename)",
    ),
    "docker-buildx": r"(?:.* )?(?:create|use|rm|install|uninstall)(?: |$)",
    **dict.fromkeys(("funcsave", "fish_add_path", "fish_config", "fish_update_completions"), ""),
    "abbr": r"(?:.* )?(?:-[a-zA-Z]*U|--univ)",
    "dotnet": r"nuget (?:add|remove|update|enable|disable)|tool \S+ .*(?:-g|--global)|workload (?!list)|dev-certs"
    r"|new (?:install|uninstall)",
    **dict.fromkeys(("dart", "flutter"), r"config \S|pub global (?:de)?activate|--(?:dis|en)able-analytics"),
    **dict.fromkeys(
        ("pyenv", "rbenv", "nodenv", "goenv", "jenv", "plenv", "phpenv", "tfenv", "tgenv", "tenv"),
        r"(?:\w+ )?(?:global|use) \S|add \S",
    ),
    **dict.fromkeys(
        ("asdf", "mise", "rtx"),
        r"global|plugins? (?!list|ls)|settings? (?!get|ls|list)\S"
        r"|alias (?!get|ls|list)\S|trust|config set|implode"
        r"|(?:use|set|unuse) (?:.* )?(?:-u|--home)",
    ),
    **dict.fromkeys(
        ("fnm", "nvm", "volta", "nvs", "n", "jabba", "sdk", "rvm"), r"default|alias|install|use \S.*default|lts|\d|link"
    ),
    **dict.fromkeys(("gh", "glab"), r"auth (?!status|token)|config (?:set|clear)|alias (?!list)|extension (?!list)"),
    "hg": r"conf\w* (?:.* )?(?:set|edit|unset|-e|--edit)",
    "jj": r"config (?:.* )?(?:set|edit|unset|-e|--edit)",
    "aws": r"configure(?! list| get)|sso login",
    **dict.fromkeys(("gcloud", "az"), rf"config(?:ure)?(?! list| get)|init|{_LOGIN}"),
    "uv": r"python (?:install|uninstall|upgrade|update-shell)|self|tool update-shell",
    "scalar": "(?:un)?register|clone|reconfigure|run",
    "pipx": "ensurepath",
    "history": r"(?:.* )?-\w*[wa]",
    **dict.fromkeys(("hatch", "pdm", "rye", "pixi"), r"config (?:.* )?(?:set|--set\S*|-d)|config [\w.]+ \S|self"),
    **dict.fromkeys(("code", "codium", "cursor", "windsurf"), r"(?:.* )?--(?:un)?install-extension"),
    **dict.fromkeys(
        ("gpg", "gpg2"),
        r"(?:.* )?--(?:import|gen|full-gen|quick|edit|delete|recv|refresh"
        r"|lsign|sign-key|trust|update-trust|change|card-edit)",
    ),
    "ssh-keygen": r"(?!(?:.* )?-[fFlyYQ])",
    **dict.fromkeys(
        ("chsh", "chfn", "loginctl", "crontab", "corepack", "dconf", "home-manager"), "(?!-l|list|read|dump)"
    ),
    "systemctl": r"(?:.* )?--user (?!status|show|list|is-)",
    "gsettings": "set|reset",
    "defaults": "write|delete",
    **dict.fromkeys(("xdg-mime", "xdg-settings"), "default|set|install|uninstall"),
    "nix": "profile (?!list|history|diff)|registry (?:add|remove|pin)",
    **dict.fromkeys(
        ("nix-env", "nix-channel"), r"(?:.* )?(?:-[iueSG]\b|--(?:install|add|remove|update|upgrade|set|switch))"
    ),
    "opam": "init|switch (?!list|show)|var .*=|option .*=",
    "ghcup": "set|config (?:set|add)",
    "cabal": "user-config (?:init|update)",
    "stack": "config set",
    "mix": r"hex\.config \S+ \S",
    **dict.fromkeys(("jupyter", "jupyter-lab", "jupyter-notebook", "jupyter-server"), _OF_JUPYTER),
    "ipython": "profile create|kernel install|locate profile",
    "direnv": "allow|deny|grant|revoke|permit|disallow|block",
    "ccache": r"(?:.* )?(?:-[MFo]|--max-\w+|--set-config)",
    "conan": "profile detect|config install|remote (?!list)|home",
    "vcpkg": "integrate (?:install|remove)",
    **dict.fromkeys(
        ("claude", "codex", "gemini"), "config (?:set|add|remove|unset)|mcp (?:add|remove)|plugin (?:install|add)"
    ),
    **dict.fromkeys(("luarocks", "llm", "keyring"), r"config [\w.]+ \S|keys set|set \S"),
    **dict.fromkeys(("coursier", "cs"), "setup|java --setup"),
    "update-alternatives": r"(?:.* )?--(?:set|config|install|remove|auto)",
    "proto": r"pin (?:.* )?(?:global|user)",
    "tic": "",
    "pmap": r"(?:.* )?(?:-[a-zA-Z]*n|--create-rc(?: |$))",
    "mysql_config_editor": "set|remove|reset",
    **dict.fromkeys(("xdg-desktop-menu", "xdg-icon-resource", "xdg-desktop-icon"), "install|uninstall|forceupdate"),
    **dict.fromkeys(("xdg-user-dirs-update", "updmap-user", "fmtutil-user", "nstat", "rtacct", "ifstat"), ""),
    **dict.fromkeys(("updmap", "fmtutil"), r"(?:.* )?-?-user\b"),
    "tlmgr": r"(?:.* )?(?:init-usertree|-?-usermode)\b",
    **dict.fromkeys(("lxc", "incus"), "remote (?!list|get)"),
    "boundary": "authenticate",
    "jira": "init",
    "starship": r"toggle|config [\w.]+ \S",
    "nuget": r"sources? (?!list)|config (?:.* )?-set",
    "raco": r"pkg config (?:.* )?(?:--set|-s)",
    **dict.fromkeys(("bzr", "brz"), r"whoami \S"),
    "fossil": r"user default \S|settings? (?:.* )?--global",
    "cvs": r"(?:.* )?log(?:in|out)\b",
    "gconftool-2": r"(?:.* )?(?:-s|--set|-u|--unset)\b",
    **dict.fromkeys(("kwriteconfig", "kwriteconfig5", "kwriteconfig6"), r"\S"),
    "im-config": "(?!-l|-m)",
    "vagrant": "plugin (?!list)",
    **dict.fromkeys(("VBoxManage", "vboxmanage"), "setextradata|setproperty"),
    "databricks": "configure",
    "snow": "connection (?:add|set-default|remove)",
    "influx": "setup|config (?:create|rm|set)",
    **dict.fromkeys(("http", "https", "xh", "xhs"), r"(?:.* )?--session(?:-read-only)?[= ]"),
    "mkcert": r"(?:.* )?-(?:un)?install\b",
    "acme.sh": r"(?:.* )?--(?:install|uninstall|upgrade|set-default|register|update-account)",
    "step": "ca bootstrap|context",
    "security": r"add-|delete-|set-|default-keychain \S|login-keychain \S",
    "flatpak": r"(?:.* )?(?:--user|remote-add|remote-delete|remote-modify|override)\b",
    "brew": "(?:un)?tap |services (?:start|stop|restart|run)|analytics o",
    "guix": "pull|package (?:.* )?-(?:i|r|u|-install|-remove|-upgrade)|install|remove|upgrade",
    **dict.fromkeys(("arduino-cli", "mbed"), r"config (?:init|set|add|remove|delete|\S+ \S)"),
    **dict.fromkeys(("task", "timew", "watson"), r"config \S"),
    "navi": "repo add",
    "xmake": r"(?:g|global) -",
    "k3d": "cluster (?:create|start|delete)|kubeconfig (?:get|merge|write)",
}
"""Tools, and patterns for the beginning of their words when they change settings. Sources: their manuals."""
_COMPILED: Final = {name: re.compile(pattern) for name, pattern in _SETTING.items()}
_PLACES: Final[Mapping[str, str]] = {
    "history": "/home/agent/.bash_history",
    "ssh-keygen": "/home/agent/.ssh",
    "tic": "/home/agent/.terminfo",
    "pmap": "/home/agent/.pmaprc",
    "mysql_config_editor": "/home/agent/.mylogin.cnf",
    "cvs": "/home/agent/.cvspass",
    **{name: f"/tmp/.{name}.u0" for name in ("nstat", "rtacct", "ifstat")},  # noqa: S108 - in the container
    **dict.fromkeys(
        ("funcsave", "fish_add_path", "fish_config", "fish_update_completions", "abbr"),
        "/home/agent/.config/fish",
    ),
}
_ALONE: Final = names("ssh-keygen nstat rtacct ifstat xdg-user-dirs-update updmap-user fmtutil-user")
"""Programs that also do this without a word."""
_READING: Final = names("list ls get show read status info path dump check validate diff view help --help -h locate")
_OF_EACH_TOOL: Final = re.compile(
    r"(?:(?:telemetry|analytics)(?: .*)? -{0,2}(?:on|off|enabled?|disabled?|local)"
    r"|log(?:in|out)|(?:\w+ )?auth login|config (?:\S+ )?(?:set|unset|add|delete|remove|edit|fix)"
    r"|(?:alias|settings) set"
    r"|.*--(?:dis|en)able-(?:telemetry|analytics))(?: |$)"
)
"""Words that mean the same with most tools: consent to telemetry, accounts, and settings."""
_GLOBAL: Final = re.compile(r"--(?:global|system)|--location=(?:global|user)|--user-config")
_SHORT_GLOBAL: Final = names(
    "npm pnpm yarn bun deno dotnet composer ng ionic mise rtx asdf corepack volta cnpm glab npx"
)
"""Tools whose option `-g` means all projects."""
_WITH_HOME: Final = re.compile(r"-H|--home|-[a-z]*g[a-z]*")
_CHANGES: Final = re.compile(
    r"(?:.* )?(?:config|remote|c|set|unset|settings|pin|use|unuse|default|alias|enable|disable|register"
    r"|analytics|telemetry|var|env)(?: |$)"
)
_NO_SETTINGS: Final = names("git grep rg ag ack find fd ls sed awk echo printf cat tmux set env")
"""Programs that are judged elsewhere, or whose words mean something else."""


def touch_settings(name: str, args: Sequence[Field], usage: CommandUsage) -> None:
    """Record that a command changes settings in the home directory."""
    if name in TOOLS or any(HINT.search(each.text) for each in args):
        touch_start_files(name, args, usage)
    if (
        name in _NO_SETTINGS
        or not (args or name in _ALONE)
        or not _changes_settings(name, [each.text for each in args])
    ):
        return
    usage.touch([Field(_PLACES.get(name, f"/home/agent/.config/{name}"))], "write")


def _changes_settings(name: str, words: Sequence[str]) -> bool:
    behind = list(dropwhile(lambda each: each[:1] in {"-", "+"}, words))
    texts = dict.fromkeys((" ".join(words)[:_MAX_CHARS], " ".join(behind)[:_MAX_CHARS]))
    if (setting := _COMPILED.get(name)) and any(map(setting.match, texts)):
        return True
    if _READING.intersection(behind[1:]) or _READING.intersection(words[:1]):
        return False
    if any(map(_OF_EACH_TOOL.match, texts)):
        return True
    of_all = any(map(_GLOBAL.fullmatch, words)) or (name in _SHORT_GLOBAL and any(map(_WITH_HOME.fullmatch, words)))
    return of_all and any(map(_CHANGES.match, texts))
