"""implied_actions(): the usual commands whose action a tool also does: `lerna version` pushes as `git push` does.

Rules that deny `git push` or `npm publish`, or ask about it, hold for these tools, too. Sources: their manuals.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from tools_app.permission.names import ordered_names
from tools_app.permission.shell.taken_back import is_taken_back
from tools_app.permission.shell.words import Field
from tools_app.permission.wildcard import is_literal, match

_MAX_CHARS: Final = 500
_MAX_BEFORE: Final = 7
"""How many words of a command of git stand in front of its action at most."""
_STAYS: Final = "--no-push"
_FLOWS: Final = ordered_names("feature bugfix release hotfix support")
_FINISHED: Final = ("flow finish", *(f"flow {kind} finish" for kind in _FLOWS))
_OF_GIT: Final = (
    *("flow publish *", *(f"flow {kind} publish *" for kind in _FLOWS)),
    *(f"{finish} *{option}" for finish in _FINISHED for option in ("-*p *", "--push*")),
    *(f"flow {kind} delete *{option}" for kind in _FLOWS for option in ("-*r *", "--remote*")),
    *(f"town {name} *" for name in ordered_names("sync ship propose rename rename-branch delete kill hack append")),
    *(f"annex {name} *" for name in ordered_names("sync push assist satisfy assistant")),
    *(
        *(f"annex {name} *-t*" for name in ordered_names("copy move mirror")),
        "svn dcommit *",
        "svn set-tree *",
        "svn commit-diff *",
        "svn branch *",
        "svn tag *",
        "p4 submit *",
        "subrepo push *",
    ),
    *(
        "bug push *",
        "bug bridge push *",
        "appraise push *",
        "machete traverse *",
        "machete push *",
        "machete advance *",
    ),
    *("machete github *-pr*", "machete gitlab *-mr*", "review *", "gh-pages *", "branchless sync *"),
    *("branchless submit *", "submit *", "spr update *", "spr merge *", "spice * submit *", "stack *push*"),
    *("chain *push*", "cl upload *", "cl land *", "codereview mail *", "codereview submit *", "mail *", "ps push *"),
    *(
        "sync *",
        "publish *",
        "release *",
        "trunk-sync *",
        "ship *",
        "deploy *",
        "directory-deploy *",
        "push-mirror *",
        "quick-push *",
        "push-all *",
    ),
    *("delete-branch *", "delete-tag *", "create-branch *-r*", "rename-tag *", "rename-branch *", "smart-push *"),
    *("delete-merged-branches *", "acp *", "xet push *", "theta push *", "remote-http *", "remote-https *"),
)
"""Commands that run as commands of git, and push."""
TOOLS_OF_GIT: Final = frozenset(each.partition(" ")[0] for each in _OF_GIT)
"""Programs that run as commands of git, and whose actions that push are known."""
_OF_REPOSITORIES: Final = (
    *("hub push *", "hub pull-request *-p *", "hub pull-request *--push*", "lab push *", "gh repo sync *"),
    *(
        "gh repo create *--push*",
        *(f"glab mr {name} *{how}*" for name in ("create", "new") for how in ("--push", "-f")),
    ),
    *("glab mr create *--fill*", "glab mr new *--fill*"),
    *(f"gt {name} *" for name in ordered_names("submit ss s push")),
    *(f"gt {kind} {name} *" for kind in ordered_names("stack branch upstack downstack") for name in ("submit", "s")),
    *(f"{tool} {kind} submit *" for tool in ("gs", "git-spice") for kind in ordered_names("branch stack upstack")),
    *(f"gs {name} *" for name in ordered_names("bs ss us ds")),
    *("ghstack", "ghstack submit *", "ghstack land *", "arc land *", "arc diff *", "av pr *", "av sync *"),
    *(f"spr {name} *" for name in ordered_names("diff update land submit merge")),
    *("av stack s*", "repo upload *", "jj git push *", "jj gerrit upload *", "sl push *", "sl pr s*", "sl land *"),
    *("stg push-to *", "west push *", "mr push *", "myrepos push *", "gita push *", "gita super *push*", "vcs push *"),
    *("vcs custom *push*", "vcsh *push*", "yadm push *", "dulwich push *", "etckeeper vcs push *", "gopass sync *"),
    *(f"mob {name} *" for name in ordered_names("start s next n done d reset")),
    *("dgit *push*", "gbp push *"),
    *("chezmoi git *push*", "isogit push *", "got send *", "flux bootstrap *", "cr index *--push*", "cr upload *"),
)
"""Tools for repositories that push."""
_PAGES: Final = (
    *(
        f"{name} *"
        for name in ordered_names(
            "gh-pages angular-cli-ghpages storybook-to-ghpages gatsby-plugin-gh-pages push-dir"
            " deploy-to-git jekyll-deploy"
        )
    ),
    *(f"{name} *{option}" for name in ("ghp-import", "ghp_import") for option in ("--push*", "-p*", "-*p *", "-*pf *")),
    *("mkdocs gh-deploy *", "mike *--push*", "mike *-p *", "nikola github_deploy *", "quarto publish gh-pages *"),
    *("docusaurus deploy *", "hexo deploy *", "hexo d *", "hexo g* -d*", "hexo g* --deploy*", "grunt gh-pages *"),
    *("grunt buildcontrol *", "gradle gitPublishPush *", "gradle publishGhPages *", "sbt *ghpagesPushSite*"),
    *("mvn *scm-publish*:*", "mvn *:publish-scm*", "helm gh-pages *"),
)
"""Tools that push the pages of a site to a branch."""
_RELEASES: Final = (
    *("lerna version *", "lerna publish *", "nx release *", "beachball publish *", "rush publish *", "rush version *"),
    *(f"mvn *release*:{goal}*" for goal in ordered_names("prepare branch rollback perform stage")),
    *(f"mvn *scm*:{goal}*" for goal in ordered_names("checkin tag branch")),
    "mvn *gitflow*:*",
    *(f"gradle {task} *" for task in ordered_names("release pushRelease gitPush final candidate devSnapshot")),
    *("sbt release *", "sbt *release *", "sbt *gitPush*", "rake release *", "rake release:*", "lein release *"),
    *(
        "cargo release *--execute*",
        "cargo release *-x *",
        "cargo smart-release *--execute*",
        "cargo smart-release *-e *",
    ),
    *(f"cargo {tool} {name} *" for tool in ("workspaces", "ws") for name in ("version", "publish")),
    *("release-plz release*", "knope release *", "versionize *--push*", "tbump *", "bumpver update *", "bumpp *"),
    *("bump-my-version *push*", "changelogen *--push*", "shipjs *", "fullrelease *", "postrelease *"),
    *("zest.releaser.fullrelease *", "zest.releaser.postrelease *", "python-semantic-release *", "semantic_release *"),
    *(f"gem {name} *{option}" for name in ("bump", "tag", "release") for option in ("-p*", "--push*")),
    *("dune-release", "dune-release publish *", "dune-release opam *", "dzil release *", "minil release *"),
    *("fastlane *push_to_git*", "goreleaser", "goreleaser release *", "pod repo push *", "auto shipit *"),
    *("auto release *", "auto latest *", "auto canary *", "release-it *", "release-it-ng *", "semantic-release *"),
    *("semantic-release-monorepo *", "multi-semantic-release *", "np *"),
)
"""Tools that tag a release and push it."""
_PACKAGES: Final = (
    *(
        f"{tool} publish *"
        for tool in ordered_names("yarn pnpm bun cnpm na vlt jspm tsdx oao wsrun lerna beachball rush")
    ),
    *("yarn npm publish *", "changeset publish *", "changesets publish *", "npm-publish *", "npm stage publish *"),
    *("clean-publish *", "shipjs trigger *", "nx release *", "nx *nx-release-publish*", "auto shipit *"),
    *("auto canary *", "release-it *", "release-it-ng *", "semantic-release *", "semantic-release-monorepo *"),
    *("multi-semantic-release *", "np *"),
)
"""Tools that publish packages of npm."""
_PUSHES: Final = (*(f"git {each}" for each in _OF_GIT), *_OF_REPOSITORIES, *_PAGES, *_RELEASES)
_ANY: Final = "*"


def _key(text: str) -> tuple[str, str]:
    """Return the program and the action of a wildcard or a command. The action is `_ANY` if the wildcard does not say
    it in full."""
    name, _, rest = text.partition(" ")
    action = rest.partition(" ")[0]
    return name, action if action and is_literal(action) else _ANY


_COMMANDS: Final = {"git push": _PUSHES, "npm publish": _PACKAGES}
WILDCARDS: Final = (*_PUSHES, *_PACKAGES)
_BY_KEY: Final[Mapping[tuple[str, str], Sequence[tuple[str, str]]]] = {
    key: tuple((wildcard, command) for _, wildcard, command in pairs)
    for key, pairs in groupby(
        sorted((_key(wildcard), wildcard, command) for command, its in _COMMANDS.items() for wildcard in its),
        itemgetter(0),
    )
}


def implied_actions(words: Sequence[Field]) -> Iterator[list[Field]]:
    """Yield the usual commands whose action a command does, too."""
    texts = list(_readings([each.text for each in words]))
    given = [each.text for each in words]
    stays = _STAYS in given and not (any(each.startswith("--push") for each in given) or is_taken_back([_STAYS], given))
    for command in dict.fromkeys(command for text in texts for command in _implied(text)):
        if not (stays and command == "git push"):
            yield [Field(each) for each in command.split()]


def _implied(text: str) -> Iterator[str]:
    name, action = _key(text)
    for key in ((name, action), (name, _ANY)):
        for wildcard, command in _BY_KEY.get(key, ()):
            if match(text, wildcard):
                yield command


def _readings(words: Sequence[str]) -> Iterator[str]:
    """Yield the text of a command, and that of a command of git without the options in front of its action. Each may
    have a value in the next word."""
    yield " ".join(words)[:_MAX_CHARS]
    if words[0] == "git" and any(each[:1] == "-" for each in words[2:]):
        yield " ".join(each for each in words if each[:1] != "-")[:_MAX_CHARS]
        for index in range(3, min(len(words), _MAX_BEFORE)):
            if words[2][:1] == "-":
                yield " ".join([*words[:2], *words[index:]])[:_MAX_CHARS]
