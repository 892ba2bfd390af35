"""add_other_spellings(): what else a command may be called, so that rules about one name hold for all of them."""

from tools_app.permission.shell.commands_behind import commands_behind
from tools_app.permission.shell.implied_actions import implied_actions
from tools_app.permission.shell.login_addresses import logins_by_address
from tools_app.permission.shell.login_paths import logins_by_path
from tools_app.permission.shell.login_programs import logins_by_program
from tools_app.permission.shell.meant_actions import meant_actions
from tools_app.permission.shell.other_names import same_commands
from tools_app.permission.shell.unlisted_actions import unlisted_actions
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field


def add_other_spellings(name: str, command: list[Field], usage: CommandUsage) -> None:
    """Add to the spellings of a command what stands behind actions that run their words, other names of all these, and
    the usual commands whose action they do, too, such as `ssh` for a login. `name`: the program with its folder."""
    readings = [command, *usage.spellings, *([usage.canonical] if usage.canonical else [])]
    behind = [each for words in readings if words for each in commands_behind(words[0].text, words[1:])]
    same = [each for words in (*readings, *behind) if words for each in same_commands(words[0].text, words[1:])]
    same += [each for words in same for each in same_commands(words[0].text, words[1:])]
    read = [words for words in (*readings, *behind, *same) if words]
    meant = [each for words in read for each in meant_actions(words[0].text, words[1:])]
    implied = [each for words in (*read, *meant) if words for each in implied_actions(words)]
    logins = [*logins_by_address(command[0].text, command[1:]), *logins_by_program(read), *logins_by_path(read)]
    if logins:
        usage.doubt(f"`{command[0].text}` may log in to another machine")
    usage.spellings += [*behind, *same, *meant, *implied, *logins, *unlisted_actions(name, command[1:])]
