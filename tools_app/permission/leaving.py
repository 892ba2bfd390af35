"""Wildcards for commands whose effects leave the workspace's container: they push, publish, or use an account or its
settings.

They match what is visible in a command. The programs that a command runs are confined by the container only.
"""

from typing import Final

from tools_app.permission.names import ordered_names

_PUBLISHING: Final = (
    "git push *",
    "git send-email *",
    "git credential *",
    *(
        f"{manager} {name} *"
        for manager in ("npm", "pnpm", "yarn", "yarn npm", "bun")
        for name in (
            "publish",
            "unpublish",
            "login",
            "logout",
            "adduser",
            "token",
            "owner",
            "access",
            "dist-tag",
            "deprecate",
            "star",
            "unstar",
            "team",
            "org",
            "profile",
            "hook",
            "trust",
            "stage",
        )
    ),
    *(f"{tool} publish *" for tool in ordered_names("poetry uv hatch flit pdm lerna")),
    *(f"cargo {name} *" for name in ("publish", "login", "logout", "yank", "owner")),
    *(f"gem {name} *" for name in ("push", "signin", "yank", "owner")),
    *(f"{tool} {name} *" for tool in ("docker", "podman", "nerdctl", "buildah") for name in ("push", "login")),
    *("docker buildx imagetools create *", "ctr images push *", "ctr image push *", "ctr i push *"),
    "docker compose push *",
    *("dotnet nuget push *", "nuget push *", "choco push *"),
    *("mvn deploy *", "mvn deploy:*", "mvn release:*", "mvn *:deploy*", "sbt publish*", "rake release *", "gh-pages *"),
    *("cargo release *", "cargo smart-release *", "cargo workspaces publish *", "dulwich push *"),
    *(f"{python} -m dulwich push *" for python in ("python", "python3")),
    "twine *",
    *(f"{python} -m twine *" for python in ("python", "python3")),
    "uv auth *",
    "git svn dcommit *",
    "git p4 submit *",
    "git imap-send *",
    "git credential-* *",
    "git remote-* *",
    *(
        "hg push *",
        "bzr push *",
        "fossil push *",
        "svn commit *",
        "svn ci *",
        "jj git push *",
        "sl push *",
        "gt submit *",
        "git review *",
    ),
    *("git annex *", "git flow *publish *", "git town *"),
    "goreleaser *",
    *(f"{name} *" for name in ("semantic-release", "release-it", "np", "changeset publish", "changesets publish")),
    *(f"{name} publish *" for name in ("vsce", "ovsx", "sbt", "jsr", "deno", "dart pub", "flutter pub", "mix hex")),
    *(f"{name} publish*" for name in ("gradle", "./gradlew")),
    *("mix hex.publish *", "lein deploy *", "pod trunk push *", "cabal upload *", "luarocks upload *", "eas submit *"),
    *("serverless deploy *", "sls deploy *", "cdk deploy *", "sam deploy *", "amplify push *", "eb deploy *"),
    *(f"{python} setup.py *upload*" for python in ("python", "python3")),
)
_ACCOUNTS: Final = tuple(
    f"{name} *"
    for name in ordered_names(
        "gh glab hub aws gcloud gsutil rclone s3cmd azcopy skopeo crane oras"
        " az doctl kubectl helm heroku vercel netlify flyctl fly wrangler firebase terraform"
        " pulumi op vault bw keyring secret-tool ansible ansible-playbook ssh scp sftp ssh-copy-id mail sendmail mutt"
    )
)
_SETTINGS: Final = (
    "npm set *",
    *(
        f"{manager} config {name} *"
        for manager in ("npm", "pnpm", "yarn", "pip")
        for name in ("set", "delete", "unset", "* set", "* delete", "* unset")
    ),
    *(f"{python} -m pip config *set *" for python in ("python", "python3")),
    "npm c set *",
)

COMMANDS: Final = (*_PUBLISHING, *_ACCOUNTS, *(f"npx {name}" for name in _ACCOUNTS), "rsync *:*", *_SETTINGS)
