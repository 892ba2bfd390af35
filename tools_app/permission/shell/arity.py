"""Command prefixes for "always": the number of words in a command that name its action (`git push`, `npm run build`).

Sources: the manuals of the listed tools. As in OpenCode, subcommands are part of the prefix, options and operands are
not. The longest entry of the table that a command starts with decides; an unknown command has a prefix of one word.
Flags are counted as words.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

_ARITY: Final[Mapping[int, str]] = {  # number of words -> commands
    1: (
        "cat cd chmod chown cp cut date dd df diff du echo env export file find grep head id kill killall less ln ls"
        " mkdir mv node ping ps pwd python3 realpath rg rm rmdir sed sleep sort source stat tail tee touch tree true"
        " uniq unset unzip wc which whoami xargs zip pytest ruff mypy tsc eslint prettier jest vitest tox black"
    ),
    2: (
        "ansible-galaxy apt apt-get aptitude bazel brew bun bundle cargo cdk cf cmake composer conda crictl dart deno"
        " direnv dnf docker doctl dotnet eb eksctl firebase flutter flux fly flyctl gem git gitlab go gradle gradlew"
        " hatch helm heroku hg hugo ip jj jupyter just k3d k9s kind kubectl kubectx kubens lerna mage make meson"
        " minikube mix"
        " mvn docker-compose podman-compose flit sl bzr opentofu"
        " mvnw netlify nix npm npx nx oc openssl pacman packer pdm php pip pip3 pipenv pipx pnpm podman poetry pulumi"
        " pyenv python rails rake rbenv rustup rye sam sbt serverless sfdx skaffold snap sst supabase svn swift"
        " systemctl task terraform tofu tmux turbo ufw uv vagrant vault vercel volta wrangler xcodebuild yarn yum"
        " zig tauri rush moon pre-commit mise asdf nvm"
        " lein ant gulp grunt invoke inv fab doit cap phing earthly dagger act tilt werf nomad hcloud linode-cli scw"
        " ibmcloud oci s3cmd rclone railway render turso dokku ddev lando drush wp symfony dbt alembic flyway"
        " liquibase prisma sequelize knex typeorm drizzle-kit manage.py celery flask scons mill husky playwright"
        " cypress nuxt next astro ng expo eas ionic cordova jekyll gatsby changeset hasura amplify cdktf terragrunt"
        " crane skopeo buildah nerdctl argocd istioctl linkerd tkn rosa velero cosign chezmoi flatpak apk zypper guix"
        " mamba micromamba pixi dvc mlflow ray dagster airflow prefect meltano sls copilot"
    ),
    3: (
        "aws|az|gcloud|gh|glab|bun run|bun x|bun pm|cargo add|cargo run|cargo install|consul kv|dart pub"
        "|deno task|docker builder|docker buildx|docker compose|docker container|docker context|docker image"
        "|docker manifest|docker network|docker plugin|docker secret|docker service|docker stack|docker swarm"
        "|docker system|docker trust|docker volume|dotnet tool|dotnet sln|flutter pub|git bisect|git config"
        "|git flow|git lfs|git notes|git reflog|git remote|git sparse-checkout|git stash|git submodule"
        "|git worktree|go mod|go tool|go work|helm repo|ip addr|ip link|ip netns|ip route|kind create"
        "|kubectl config|kubectl kustomize|kubectl rollout|mc admin|nix profile|nix store|npm exec|npm init"
        "|npm run|npm run-script|npm rum|npm urn|npm view|npm config|npm cache|php artisan|pip config|pip cache"
        "|pnpm dlx|pnpm exec|pnpm run|pnpm run-script"
        "|podman container|podman image|podman network|podman volume|poetry env|poetry self|poetry run"
        "|pulumi stack|rails db|rustup component|rustup target|rustup toolchain|sfdx force|terraform state"
        "|terraform workspace|uv pip|uv run|uv tool|uv python|vault auth|vault kv|yarn dlx|yarn run"
        "|yarn workspace|python -m|python3 -m|pdm run|hatch run|pipenv run|bundle exec"
    ),
}

_VERSIONED: Final = re.compile(r"^(python3|pip3)\.[\d.]+$")
_LENGTHS: Final[Mapping[tuple[str, ...], int]] = {
    tuple(name.split()): length
    for length, names in _ARITY.items()
    for name in (names.split("|") if "|" in names else names.split())
}


def prefix(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words that name the action: `("git", "push")` for `git push origin main`."""
    return tuple(words[: _length(words)])


def names_an_action(words: Sequence[str]) -> bool:
    """Return whether the prefix of `words` names a complete action.

    It does not if there are fewer words than the table requires (`git` alone), or if there is an option where the
    action should be (`mvn -q`), because any action could follow.
    """
    found = prefix(words)
    options = [word for word in found[1:] if word.startswith(("-", "+")) and found[1:2] != ("-m",)]
    return len(found) == _length(words) and not options


def _length(words: Sequence[str]) -> int:
    name = _VERSIONED.sub(r"\1", words[0].rpartition("/")[2]) if words else ""
    for length in (2, 1):
        wanted = _LENGTHS.get((name, *words[1:length])) if len(words) >= length else None
        if wanted is not None:
            return wanted
    return 1
