"""Wildcards for commands that act outside the container: they push, publish, or use an account or its settings.

The wildcards match only the text of a command. Programs that the command starts are confined by the container alone.
"""

from typing import Final

from tools_app.permission.names import ordered_names

_KINDS_OF_IMAGES: Final = ("manifest", "model", "artifact", "plugin")
_VERBS: Final = ("push", "upload", "login")
_OF_PUB: Final = ("publish", "lish", "login", "logout", "token", "uploader")
_GOALS_OF_MAVEN: Final = ordered_names(
    "checkin push publish stage-deploy sign-and-deploy upload undeploy redeploy push-image"
)
"""Goals of the plugins of Maven that push, upload or deploy: `scm:checkin`, `docker:push`, `wagon:upload`."""
_PUBLISHING: Final = (
    "git push *",
    "git send-email *",
    "git credential *",
    *(
        f"{manager} {name} *"
        for manager in ("npm", "pnpm", "yarn", "yarn npm", "bun", "cnpm", "vlt")
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
            "tag",
            "deprecate",
            "undeprecate",
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
    *(f"{tool} publish *" for tool in ordered_names("poetry uv hatch flit pdm lerna rye pixi briefcase beachball")),
    *(f"cargo {name} *" for name in ("publish", "login", "logout", "yank", "owner")),
    *(f"gem {name} *" for name in ("push", "signin", "signout", "yank", "owner", "release", "bump *push")),
    *(f"{tool} {name} *" for tool in ("docker", "podman", "nerdctl", "buildah") for name in ("push", "login")),
    *(f"{tool} {name} *" for tool in ("docker", "podman") for name in ("plugin push", "context use", "stack deploy")),
    *("docker buildx bake *--push*", "docker buildx build *--push*", "docker build *--push*"),
    *("docker buildx b *--push*", "docker buildx f *--push*", "docker compose build *--push*"),
    *(
        f"{tool} {name} *{output}*"
        for tool in ("docker", "podman", "nerdctl")
        for name in ("build", "buildx build", "buildx b", "buildx bake", "buildx f")
        for output in (
            "-o*type=registry",
            "output=type=registry",
            "--cache-to*type=registry",
            "push=t",
            "push=T",
            "push=1",
        )
    ),
    *(f"{tool} *--push *" for tool in ("earthly", "earth")),
    *("buildctl build *push=true*", "cosign *", "regctl *", "ko publish *", "ko build *", "ko apply *", "ko resolve *"),
    *("jib build *", "dagger call *publish*", "bazel run *push*", "bazel run *publish*", "bazelisk run *push*"),
    *("docker buildx imagetools create *", "ctr images push *", "ctr image push *", "ctr i push *"),
    *("docker compose push *", "podman compose push *"),
    *(f"{before}{name}=ssh:*" for before in ("", "env ", "export ") for name in ("DOCKER_HOST", "CONTAINER_HOST")),
    *(
        f"{tool} {option}*ssh:*"
        for tool in ("docker", "podman")
        for option in ("-H", "--host", "--url", "context create ")
    ),
    *("pytest *--tx*ssh=*", "pytest *--tx*socket=*", "virsh *+ssh:*", "virt-manager *+ssh:*"),
    *(f"docker trust {name} *" for name in ("sign", "revoke", "signer add", "signer remove")),
    *(
        f"docker scout {name} *"
        for name in ordered_names("push enroll attestation attest integration environment stream watch repo config")
    ),
    *("docker compose *publish *", "podman compose *publish *", "docker mcp *push *", "docker offload *"),
    *(f"{tool} commit *docker://*" for tool in ("buildah", "podman")),
    *("podman image scp *", "podman farm build *", "podman kube apply *", "podman image sign *", "ctr *push *"),
    *(
        f"{tool} push *"
        for tool in ("img", "imgpkg", "singularity", "apptainer", "wash", "paket", "fury", "spin registry")
    ),
    *("pack *--publish *", "kaniko *", "executor *--destination*", "depot *", "porter publish *", "wkg publish *"),
    *("devcontainer *publish *", "devcontainer build *--push*", "notation *", "gcrane *", "krane *", "regsync *"),
    *(f"{tool} {name} *" for tool in ("wasmer", "spin", "wapm") for name in ("publish", "deploy", "login", "cloud")),
    *(f"{tool} {name} *" for tool in ("dotnet nuget", "nuget") for name in ("push", "delete", "setapikey")),
    *("dotnet *ContainerRegistry=*", "dotnet paket push *", "dotnet octo *", "dotnet sonarscanner *"),
    *(f"dotnet {name} *" for name in ("lambda", "eb", "ecs", "aws")),
    *("choco push *", "choco apikey *"),
    *(f"mvn *:{goal}*" for goal in _GOALS_OF_MAVEN),
    *(f"mvn *{plugin}*:*" for plugin in ("release", "nexus-staging", "gitflow", "sonar", "jreleaser", "appengine")),
    *(f"mvn *.publish{value}*" for value in (" ", "=t", "=T")),
    *("mvn site-deploy *", "mvn *jib*:build *", "mvn *scm*:tag*", "mvn *scm*:branch*", "mvn *.publish"),
    *(f"gradle {task} *" for task in ordered_names("jib final candidate devSnapshot sonar sonarqube githubRelease")),
    *("gradle *--publishImage*", "./gradlew *--publishImage*", "gradle *Push", "gradle *PushImage*", "gradle push*"),
    *("gradle deploy *", "gradle *Deploy", "gradle gitPublish*", "sbt *Push*", "sbt *sonatype*", "sbt *Release*"),
    *("rake release:*", "rake *push*", "sbt deploy *"),
    *("mvn deploy *", "mvn deploy:*", "mvn release:*", "mvn *:deploy*", "sbt publish*", "rake release *", "gh-pages *"),
    *("cargo release *", "cargo smart-release *", "cargo workspaces publish *", "dulwich push *"),
    *("cargo shuttle *", "shuttle *", "cargo lambda deploy *", "cargo publish-*", "cargo unleash *", "release-plz *"),
    *("cargo contract upload *", "cargo contract instantiate *", "cargo stylus deploy *", "cargo near *deploy *"),
    *("rattler-build upload *", "rattler-build publish *", "rattler-build auth *", "pixi upload *", "pixi auth *"),
    *("devpi *", "fullrelease *", "cloudsmith *", "jf *", "jfrog *", "octo *", "octopus *"),
    *("bumpp *", "release-please *", "shipjs *", "clean-publish *", "changelogen *--push*", "changelogen gh *"),
    *("electron-builder *-p *", "electron-builder *--publish*", "electron-forge publish *", "web-ext sign *"),
    *("chrome-webstore-upload *", "publish-browser-extension *", "vsce unpublish *", "vsce login *", "ovsx login *"),
    *("expo login *", "eas login *", "ionic deploy *", "ionic login *"),
    *(f"{python} -m dulwich push *" for python in ("python", "python3")),
    "twine *",
    *(f"{python} -m twine *" for python in ("python", "python3")),
    "uv auth *",
    "git svn dcommit *",
    "git p4 submit *",
    "git imap-send *",
    "git cvsexportcommit *",
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
    *(f"{tool} {kind} push *" for tool in ("docker", "podman", "nerdctl", "buildah") for kind in _KINDS_OF_IMAGES),
    *("nerdctl compose push *", "cargo component publish *", "cargo ws publish *", "lein release *", "packer push *"),
    *("hg email *", "hg patchbomb *", "hg *--push *", "jj gerrit upload *", "sl pr submit *", "sl cloud upload *"),
    *("svn import *", *(f"svn {name} *://*" for name in ("copy", "cp", "move", "mv", "mkdir", "delete", "rm", "lock"))),
    *("bzr send *", "brz push *", "brz send *", "darcs push *", "darcs send *", "pijul push *", "fossil sync *"),
    *(
        "got send *",
        "gradle *--scan *",
        "./gradlew *--scan *",
        "gradle *buildScanPublish*",
        "mvn *-Dscan *",
        "mvn *-Dscan=true*",
    ),
    *("conda build *--token *", "spack buildcache push *", "nix copy *--to *", "nix-copy-closure *", "ipfs add *"),
    *(f"{tool} {name} *" for tool in ("cachix", "attic", "ollama", "flat-manager-client", "balena") for name in _VERBS),
    *(f"{tool} {name} *" for tool in ("snapcraft", "charmcraft", "buf", "berks", "bugsnag-cli") for name in _VERBS),
    *("cachix authtoken *", "ollama signin *", "snapcraft release *", "charmcraft release *", "buf registry login *"),
    *("balena deploy *", "datadog-ci *", "launchable record *", "buildkite-agent artifact upload *", "k6 cloud *"),
    *("k6 run *cloud*", "cypress run *--record *", "artillery run *--record *", "dagger login *"),
    *("git annex *", "git flow *publish *", "git town *", "git bug *push *", "git cl *"),
    *("arc diff *", "arc land *", "repo upload *", "ghstack *", "spr *", "b4 send *", "stg email *", "av pr *"),
    *(f"{tool} {name} submit *" for tool, name in (("gt", "stack"), ("gs", "branch"), ("git-spice", "branch"))),
    *(f"{tool} pr create *" for tool in ("tea", "fj", "bb")),
    "goreleaser *",
    *(f"{name} *" for name in ("semantic-release", "release-it", "np", "changeset publish", "changesets publish")),
    *(f"{name} publish *" for name in ("vsce", "ovsx", "sbt", "jsr", "deno", "dart pub", "flutter pub", "mix hex")),
    *(f"{name} publish*" for name in ("gradle", "./gradlew")),
    *("mix hex.publish *", "lein deploy *", "pod trunk push *", "cabal upload *", "luarocks upload *", "eas submit *"),
    *("serverless deploy *", "sls deploy *", "cdk deploy *", "sam deploy *", "amplify push *", "eb deploy *"),
    *(f"{python} setup.py *upload*" for python in ("python", "python3")),
    *("nx release *", "nx *nx-release-publish*", "rush publish *", "lerna version *", "auto shipit *"),
    *("auto release *", "npm-publish *"),
    *("cargo dist upload *", "cargo dist host *", "jreleaser *", "dotnet-releaser *", "bump publish *"),
    *("conda upload *", "anaconda *", "conan upload *", "rebar3 hex publish *", "mix hex.user *", "opam publish *"),
    *("dune-release *", "cpan-upload *", "nimble publish *", "elm publish *", "spago publish *", "bower register *"),
    *(f"{name} *deploy*" for name in ordered_names("clj clojure boot ant phing dep vendor/bin/dep fab mina")),
    *(f"{name} *publish*" for name in ("mill", "./mill", "pants", "buck", "buck2", "swift package-registry")),
    *("sbt *publish*", "sbt ci-release *", "sbt *release*", "gradle *upload*", "gradle *release*", "stack upload *"),
    *("pod repo push *", "fastlane *", "xcrun altool *", "xcrun notarytool *", "expo publish *", "eas update *"),
    *(
        "mkdocs gh-deploy *",
        "mike *--push*",
        "mike *-p *",
        "ghp-import *-p*",
        "ghp-import *-*p *",
        "ghp-import *--push*",
    ),
    *(
        f"{python} -m {module}"
        for python in ("python", "python3")
        for module in (
            "mkdocs gh-deploy *",
            "mike *--push*",
            "ghp_import *-p*",
            "ghp_import *-*p *",
            "ghp_import *--push*",
            "semantic_release *",
            "flit publish *",
            "poetry publish *",
            "hatch publish *",
            "pdm publish *",
        )
    ),
    *(f"{name} *" for name in ("python-semantic-release", "storybook-to-ghpages", "angular-cli-ghpages")),
    *("gatsby-plugin-gh-pages *", "jekyll-deploy *", "pkg-pr-new publish *", "chromatic *", "maturin publish *"),
    *("maturin upload *", "hexo d *", "vcpkg x-publish *", "sf *deploy *", "sfdx *deploy*", "clasp push *"),
    *(f"{name} deploy *" for name in ("ng", "docusaurus", "hugo", "hexo", "ember", "clasp", "jekyll", "nikola")),
    *("nikola github_deploy *", "quarto publish *", "eas build *", "percy *", "bump-my-version *push*"),
    *(f"cvs *{name} *" for name in ("commit", "ci", "import")),
    *("p4 submit *", "p4 shelve *", "fossil commit *", "fossil ci *", "bzr dpush *", "brz dpush *", "cm ci *"),
    *("cm checkin *", "tf checkin *", "svn lock *", "svn unlock *", "svn *--revprop *", "svnmucc *", "svnsync *"),
    *("svnrdump load *", "gradle bintrayUpload *", "gradle artifactoryPublish *", "cross publish *"),
    "cargo mono publish *",
    *(f"mix hex.{name} *" for name in ("organization", "owner", "retire")),
    *(f"rebar3 hex {name} *" for name in ("user", "cut", "retire", "owner")),
    *("gleam publish *", "gleam hex *", "gleam docs publish *", "melos publish *", "wasm-pack publish *"),
    *("wasm-pack login *", "pod trunk register *", "pod trunk add-owner *", "pod trunk remove-owner *"),
    *(f"{tool} {name} *" for tool in ("pub", "dart pub", "flutter pub") for name in _OF_PUB),
    *("swift package-registry login *", "pod trunk delete *", "pod trunk deprecate *", "altool *", "notarytool *"),
    *("buf registry *", "buf mod push *", "bower unregister *", "opam-publish *", "pulp publish *", "boot *push *"),
    *("ovsx create-namespace *", "snapcraft remote-build *", "snap login *", "docker swarm join *"),
    *("swa deploy *", "azd up *", "azd deploy *", "azd provision *", "cdk watch *", "cdk rollback *"),
    *("ng run *:deploy*", "ng deploy *", "nx run *:deploy*", "nx deploy *", "guix copy *--to*", "guix publish *"),
    *(f"brew {name} *" for name in ("bump-formula-pr", "bump-cask-pr", "pr-upload", "pr-publish", "gist-logs")),
    *("dput *", "dput-ng *", "dupload *", "debrelease *", "copr-cli *", "copr build *", "koji build *", "bodhi *"),
    *(f"osc {name} *" for name in ("commit", "ci", "submitrequest", "sr", "submitreq")),
    *(f"{tool} {name} *" for tool in ("fedpkg", "rhpkg", "centpkg") for name in ("push", "build")),
    *("dolt push *", "dolt login *", "cog push *", "truss push *", "replicate *", "b2 *", "ffsend *", "hut *"),
    *("datalad publish *", "lakectl *", "borg *ssh://*", "restic *s3:*", "restic *sftp:*", "restic *rest:*"),
    *("ansible-galaxy *import *", "ansible-galaxy role delete *"),
    *(f"swift {name} *" for name in ordered_names("upload post delete stat download list copy auth capabilities")),
    "openstack *",
    *("ansible-galaxy *publish *", "ansible-galaxy *upload *", "code-push *", "appcenter *", "bundletool *"),
)
_DEPLOYING: Final = tuple(
    f"{name} *"
    for name in ordered_names(
        "surge deployctl cdktf tofu opentofu terragrunt oc helmfile argocd flux cf ibmcloud oci linode-cli hcloud scw"
        " caprover dokku kamal cap knife salt puppet chef-client ansible-pull railway render supabase convex partykit"
        " sst ampx rsconnect huggingface-cli hf wandb kaggle modal bentoml prefect dbt-cloud sentry-cli snyk codecov"
        " codecovcli coveralls sonar-scanner platform upsun terminus acli bq mc mcli s4cmd s5cmd rosa"
        " eksctl ecs-cli cloudflared ngrok localtunnel tailscale dagster-cloud astro-cloud pscale turso neonctl"
        " shopify contentful sanity gist croc wormhole magic-wormhole"
        " ntl vc clever scalingo koyeb northflank zeabur nhost appwrite fastly stripe twilio okteto devspace garden"
        " waypoint kapp kops kn tea berg gitlab zappa copilot werf"
        " saucectl browserstack-cypress browserstack-sdk browserstack-node-sdk lambdatest-cypress lt-cypress"
        " cypress-cloud pwc currents happo happo-ci eyes-storybook argos @argos-ci/cli reg-suit goveralls php-coveralls"
        " cpp-coveralls bencher codspeed trcli allurectl trunk-analytics-cli bktec codacy-coverage-reporter"
        " cc-test-reporter deepsource fossa checkly mabl meticulous @alwaysmeticulous/cli replayio loadmill"
        " wss-scanner veracode cov-commit-defects sonarqube-scanner pysonar @percy/cli @lhci/cli nx-cloud"
    )
)
"""Programs whose main purpose is to change running services elsewhere, or to upload to an account."""
_PUBLISHING_RESULTS: Final = (
    *(f"{name} *--pastebin*" for name in ("pytest", "py.test", "python -m pytest", "python3 -m pytest", "tox", "nox")),
    *(f"{name} *{option}*" for name in ("gradle", "./gradlew") for option in ("--scan", "buildScanPublish")),
    *("pastebinit *", "wgetpaste *", "gist *", "k6 cloud *", "k6 *cloud*", "cypress run *--record*", "lhci upload *"),
    *("lhci autorun *", "pytest --pastebin*", "cucumber *--publish *", "cucumber-js *--publish *"),
    *(
        f"{before}{variable}*"
        for before in ("", "env ", "export ")
        for variable in ("CUCUMBER_PUBLISH_ENABLED=", "CUCUMBER_PUBLISH_TOKEN=", "K6_OUT=cloud", "TURBO_TOKEN=")
    ),
)
"""Commands that publish what tests and builds print. `pytest --pastebin*` also fits what a text only mentions."""
_DEPLOYING_BY_ACTION: Final = (
    *(f"{name} deploy *" for name in ("deno", "copilot", "symfony", "zappa", "chalice", "func", "pulumi")),
    *(
        "dvc push *",
        "dvc exp push *",
        "dvc studio login *",
        "datalad push *",
        "nomad job *",
        "nomad run *",
        "consul kv put *",
        "packer build *",
    ),
    *("vagrant push *", "vagrant cloud *", "skaffold run *", "skaffold deploy *", "tilt up *", "tilt ci *"),
    *(f"skaffold {name} *" for name in ("build", "dev", "debug", "apply", "delete")),
    *(f"sam {name} *" for name in ("sync", "delete", "publish", "package", "remote")),
    *(f"{name} remove *" for name in ("serverless", "sls")),
    *(f"cdk {name} *" for name in ("destroy", "bootstrap", "import")),
    *(f"amplify {name} *" for name in ("publish", "delete")),
    *(f"eb {name} *" for name in ("create", "terminate", "use", "setenv", "upgrade")),
    *("chalice delete *", "func azure *", "nomad stop *", "nomad var put *", "consul kv delete *", "pulumi up *"),
    *("drush *sql-sync *", "drush *rsync *", "prisma migrate deploy *", "wp *@* *"),
)
_SECRETS: Final = (
    *(
        f"{name} *"
        for name in ordered_names("pass gopass lpass doppler infisical chamber aws-vault berglas kubeseal teller")
    ),
    *(f"{name} {action} *" for name in ("gpg", "gpg2", "age", "sops", "rage") for action in ("-d", "--decrypt")),
    *(
        "gpg *--decrypt *",
        "gpg *--export-secret*",
        "gpg2 *--export-secret*",
        "gpg2 *--decrypt *",
        "sops decrypt *",
        "sops exec-env *",
    ),
    *("sops exec-file *", "ansible-vault view *", "ansible-vault decrypt *", "security find-*-password *"),
    *("security dump-keychain *", "security export *", "gpg-connect-agent *", "keyctl print *", "keyctl read *"),
    *(
        "keyctl pipe *",
        "docker-credential-*",
        "npm config get *_auth*",
        "npm config get *_password*",
        "npm get *_auth*",
    ),
    *(
        "poetry config pypi-token*",
        "poetry config http-basic*",
        "dotnet user-secrets list *",
        "mvn *:effective-settings*",
    ),
    *(
        "rails credentials:show *",
        "artisan env:decrypt *",
        "rails secrets:show *",
        "rails encrypted:show *",
        "rails credentials:edit *",
        "php artisan env:decrypt *",
    ),
    *("console secrets:reveal *", "console secrets:list *--reveal*", "wp config get *", "wp config list *"),
    *("nmcli *-s *", "nmcli *--show-secrets*", "wg show * private-key *", "wg showconf *", "systemd-creds decrypt *"),
    *("systemd-creds cat *", "clevis decrypt *", "tpm2_unseal *", "cryptsetup luksDump *--dump-*", "klist *-K*"),
    *("virsh secret-get-value *", "travis token *", "mysql_config_editor print *", "my_print_defaults *-s *"),
    *("ocm token *", "databricks auth token *", "databricks auth env *", "aws-iam-authenticator token *"),
    *("kubelogin get-token *", "eas env:*", "step crypto jwe decrypt *", "ssh-keygen -y *", "gh auth token *"),
    *(
        f"{name} *"
        for name in ordered_names(
            "rbw keepassxc-cli kpcli dcli 1pass pass-cli enpass-cli akeyless conjur summon envkey-source saml2aws"
            " aws-okta awsume granted gke-gcloud-auth-plugin"
        )
    ),
)
"""Programs that show secrets of an account or of a store of secrets."""
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

COMMANDS: Final = (
    *_PUBLISHING,
    *_ACCOUNTS,
    *(f"npx {name}" for name in _ACCOUNTS),
    *_DEPLOYING,
    *_DEPLOYING_BY_ACTION,
    *_PUBLISHING_RESULTS,
    *_SECRETS,
    "rsync *:*",
    *_SETTINGS,
)
