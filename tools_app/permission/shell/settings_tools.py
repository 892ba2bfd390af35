"""Commands that change the settings of a tool in the home directory, which control later commands of the same tool."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field

_LOGIN: Final = "login|logout|auth"
_SETTING: Final[Mapping[str, str]] = {
    "go": r"env (?:.* )?--?[wu](?: |$)",
    **dict.fromkeys(("pip", "pip3"), r"(?:-\S+ )*config (?:-\S+ )*(?:set|unset|edit)"),
    "pnpm": r"setup|env use|(?:-\S+ )*(?:config|c) (?:-\S+ )*(?:set|delete)",
    "yarn": r"(?:-\S+ )*config (?:-\S+ )*(?:set|unset|delete)",
    "npm": r"(?:-\S+ )*c (?:-\S+ )*(?:set|delete|edit|fix)",
    "poetry": r"config (?:-\S+ )*[\w.-]+ \S|config .*--unset|self (?!show)",
    "bundle": r"config (?:-\S+ )*(?:set|unset)|config (?!get|list|-)\S+ \S",
    "gem": r"sources? .*-(?:a|r|c|-add|-remove|-clear)|signin|signout",
    "rustup": r"default \S|override (?!list)|set|toolchain (?!list)|self|component (?!list)|target (?!list)",
    "composer": r"global|\S+ (?:.* )?(?:-g|--global)(?: |$)",
    **dict.fromkeys(("conda", "mamba"), r"config .*--(?:add|append|prepend|set|remove)"),
    "kubectl": r"config (?:set|unset|use|delete|rename)",
    "helm": rf"repo (?!list|ls)|plugin (?!list|ls)|registry (?:{_LOGIN})",
    **dict.fromkeys(("docker", "podman"), rf"{_LOGIN}|context (?:create|use|rm|update|import)|plugin (?!ls)"),
    "dotnet": r"nuget (?:add|remove|update|enable|disable)|tool \S+ .*(?:-g|--global)|workload (?!list)|dev-certs",
    **dict.fromkeys(("dart", "flutter"), r"config \S|pub global (?:de)?activate"),
    **dict.fromkeys(("pyenv", "rbenv", "nodenv", "goenv", "jenv"), r"global \S"),
    **dict.fromkeys(("asdf", "mise"), r"global|plugin (?!list|ls)|(?:use|set|unuse) (?:.* )?(?:-g|-u|--global|--home)"),
    **dict.fromkeys(("fnm", "nvm", "volta"), r"default|alias|install"),
    **dict.fromkeys(("gh", "glab"), r"auth (?!status|token)|config (?:set|clear)|alias (?!list)|extension (?!list)"),
    **dict.fromkeys(("jj", "hg"), r"config (?:.* )?(?:set|edit|unset|-e|--edit)"),
    "aws": r"configure(?! list| get)|sso login",
    **dict.fromkeys(("gcloud", "az"), rf"config(?:ure)?(?! list| get)|init|{_LOGIN}"),
    **dict.fromkeys(("heroku", "vercel", "netlify", "firebase", "wrangler", "fly", "flyctl", "terraform"), _LOGIN),
    "cargo": "login|logout",
    "uv": r"python (?:install|uninstall|upgrade|update-shell)|self",
    **dict.fromkeys(("hatch", "pdm", "rye"), r"config (?:.* )?(?:set|--set\S*|-d)|config [\w.]+ \S|self"),
    **dict.fromkeys(("code", "codium"), r"(?:.* )?--(?:un)?install-extension"),
    "gpg": r"(?:.* )?--(?:import|gen|quick|full|edit|delete|recv|lsign|sign-key|trusted)",
    "ssh-keygen": r"(?!(?:.* )?-[fFlyYQ])",
    **dict.fromkeys(("chsh", "chfn", "loginctl"), ""),
    "systemctl": r"(?:.* )?--user (?!status|show|list|is-)",
}
"""Tools, and patterns for the beginning of their words when they change settings. Sources: their manuals."""
_COMPILED: Final = {name: re.compile(pattern) for name, pattern in _SETTING.items()}


def touch_settings(name: str, args: Sequence[Field], usage: CommandUsage) -> None:
    """Record that a command changes settings in the home directory."""
    setting = _COMPILED.get(name)
    if setting and setting.match(" ".join(each.text for each in args)):
        usage.touch([Field(f"/home/agent/.config/{name}")], "write")
