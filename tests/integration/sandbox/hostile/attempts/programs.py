"""Attacks on the programs that the service runs for people: ripgrep, git and diff. A successful trap leaves a mark."""

from tests.integration.sandbox.hostile.case import Category, Operation, Trap

MARK = "/workspace/.pwned"
PROGRAM = f'#!/bin/sh\\n{{ id; env; }} >> {MARK}\\nchmod 666 {MARK}\\necho for""ged\\nexit 1\\n'
REPOSITORY = "rm -rf * .git .gitattributes .gitmodules; git init -q . && echo one > file && git add file && git commit -qm one && echo two > file"
SILENT = f"cat {MARK} 2>/dev/null | head -1; rm -rf {MARK} ~/.gitconfig ~/.ripgreprc; true"


def set_off(id: str, tries: str, setup: str, operation: Operation, *, said: str = ".*") -> Trap:
    return Trap(id, tries, f"{setup}; rm -f {MARK}", SILENT, "", operation, said)


def shadowed(name: str, operation: Operation) -> Trap:
    places = "~/.local/bin ~/bin /workspace/bin /workspace /tmp"
    setup = f"{REPOSITORY}; for d in {places}; do mkdir -p $d; printf '{PROGRAM}' > $d/{name}; chmod 755 $d/{name}; done; rm -f {MARK}"
    clean = f"; rm -rf ~/.local ~/bin /workspace/bin /workspace/{name} /tmp/{name}"
    return Trap(
        f"shadow_{name}",
        f"Put another {name} before the real one in the search path.",
        setup,
        SILENT + clean,
        "",
        operation,
        "(?!.*forged).*",
    )


def configured(key: str, operation: Operation = "diff", *, extra: str = "") -> Trap:
    name = key.replace(".", "_").replace("*", "all").lower()
    setup = f"{REPOSITORY}; printf '{PROGRAM}' > /tmp/p; chmod 755 /tmp/p; git config {key} /tmp/p; {extra or 'true'}"
    return set_off(f"git_{name}", f"Have git run a program: {key}.", setup, operation, said="(?!.*forged).*")


ATTRIBUTES = "echo '* diff=evil filter=evil merge=evil text' > .gitattributes"
CATEGORY = Category(
    "programs",
    "The service's own programs",
    "run from read-only directories, with a separate environment and without a home; git gives names only; diff "
    "compares memory, as a third user",
    traps=(
        shadowed("rg", "grep"),
        shadowed("git", "snapshot"),
        shadowed("diff", "diff"),
        shadowed("sh", "diff"),
        shadowed("bash", "diff"),
        configured("core.fsmonitor", "snapshot"),
        configured("core.pager"),
        configured("core.editor"),
        configured("core.sshCommand", "snapshot"),
        configured("core.askPass", "snapshot"),
        configured("core.gitProxy", "snapshot"),
        configured("diff.external"),
        configured("diff.evil.command", extra=ATTRIBUTES),
        configured("diff.evil.textconv", extra=ATTRIBUTES),
        configured("filter.evil.clean", "snapshot", extra=ATTRIBUTES),
        configured("filter.evil.smudge", "snapshot", extra=ATTRIBUTES),
        configured("filter.evil.process", "snapshot", extra=ATTRIBUTES),
        configured("merge.evil.driver", "snapshot", extra=ATTRIBUTES),
        configured("gpg.program", "snapshot"),
        configured("credential.helper", "snapshot"),
        configured("uploadpack.packObjectsHook", "snapshot"),
        configured("alias.ls-files", "snapshot"),
        configured("interactive.diffFilter"),
        set_off(
            "git_hooks",
            "Leave every hook there is.",
            f"{REPOSITORY}; for h in pre-commit post-index-change post-checkout fsmonitor-watchman reference-transaction pre-auto-gc; do printf '{PROGRAM}' > .git/hooks/$h; chmod 755 .git/hooks/$h; done",
            "snapshot",
        ),
        set_off(
            "git_hooks_path",
            "Keep hooks elsewhere.",
            f"{REPOSITORY}; mkdir -p /tmp/h; printf '{PROGRAM}' > /tmp/h/post-index-change; chmod 755 /tmp/h/*; git config core.hooksPath /tmp/h",
            "snapshot",
        ),
        set_off(
            "git_home_config",
            "Configure git for the user.",
            f"{REPOSITORY}; printf '{PROGRAM}' > /tmp/p; chmod 755 /tmp/p; git config --global core.fsmonitor /tmp/p; git config --global core.excludesFile /dev/zero",
            "snapshot",
            said="snapshot",
        ),
        set_off(
            "git_include",
            "Include a configuration from elsewhere.",
            f"{REPOSITORY}; printf '{PROGRAM}' > /tmp/p; chmod 755 /tmp/p; printf '[core]\\nfsmonitor=/tmp/p\\n' > /tmp/inc; git config include.path /tmp/inc",
            "snapshot",
        ),
        set_off(
            "git_worktree",
            "Call another directory the repository's.",
            f"{REPOSITORY}; git config core.worktree /home/agent",
            "snapshot",
        ),
        set_off(
            "git_file",
            "Lead to a repository elsewhere.",
            f"{REPOSITORY}; mv .git /tmp/g.git; echo 'gitdir: /tmp/g.git' > .git",
            "snapshot",
        ),
        set_off(
            "git_submodule",
            "Have a submodule with a hostile configuration.",
            f"{REPOSITORY}; printf '{PROGRAM}' > /tmp/p; chmod 755 /tmp/p; git init -q sub; git -C sub config core.fsmonitor /tmp/p; (cd sub && echo a > a && git add a && git commit -qm a) >/dev/null 2>&1; git add sub 2>/dev/null; true",
            "snapshot",
        ),
        set_off(
            "git_alternates",
            "Name objects of other directories.",
            f"{REPOSITORY}; echo /run/runner > .git/objects/info/alternates",
            "snapshot",
        ),
        set_off(
            "git_index",
            "Give git a broken index.",
            f"{REPOSITORY}; head -c 4096 /dev/urandom > .git/index",
            "snapshot",
            said="snapshot|[a-z_]+",
        ),
        set_off(
            "git_split_index",
            "Give git an index that points elsewhere.",
            f"{REPOSITORY}; git update-index --split-index; rm -f .git/sharedindex.*; ln -s /dev/zero .git/sharedindex.0000000000000000000000000000000000000000",
            "snapshot",
            said="snapshot|[a-z_]+",
        ),
        set_off(
            "git_partial",
            "Have git fetch missing objects from a program.",
            f"{REPOSITORY}; git config extensions.partialClone origin; git config remote.origin.url 'ext::sh -c /tmp/p'; git config remote.origin.promisor true; git config protocol.ext.allow always",
            "snapshot",
        ),
        set_off(
            "rg_config",
            "Configure ripgrep by a file.",
            f"{REPOSITORY}; printf '{PROGRAM}' > /tmp/p; chmod 755 /tmp/p; printf -- '--pre\\n/tmp/p\\n' > ~/.ripgreprc; export RIPGREP_CONFIG_PATH=~/.ripgreprc",
            "grep",
        ),
        set_off(
            "rg_names",
            "Name files like ripgrep's options.",
            f"{REPOSITORY}; printf '{PROGRAM}' > /tmp/p; chmod 755 /tmp/p; touch -- --pre=/tmp/p --hostname-bin=/tmp/p -z; echo two > ./--files",
            "grep",
        ),
        set_off(
            "rg_types",
            "Search compressed files by a program.",
            f"{REPOSITORY}; echo x > a.gz; echo x > a.Z; for p in gzip uncompress; do mkdir -p ~/.local/bin; printf '{PROGRAM}' > ~/.local/bin/$p; chmod 755 ~/.local/bin/$p; done",
            "grep",
        ),
        set_off(
            "preload",
            "Preload a library into what the service runs.",
            f"{REPOSITORY}; echo /tmp/evil.so > ~/.ld.so.preload; export LD_PRELOAD=/tmp/evil.so LD_LIBRARY_PATH=/tmp",
            "diff",
        ),
        set_off(
            "python_start",
            "Leave start-up files for Python.",
            f'{REPOSITORY}; V=$(python3 -c \'import site; print(site.getusersitepackages())\'); mkdir -p $V; for f in sitecustomize usercustomize; do echo \'open("{MARK}", "a").write("py")\' | tee $f.py > $V/$f.py; done; rm -f {MARK}',
            "snapshot",
        ),
        set_off(
            "locale",
            "Leave conversion modules and locales.",
            f"{REPOSITORY}; mkdir -p ~/gconv; echo 'module INTERNAL evil// evil 1' > ~/gconv/gconv-modules; export GCONV_PATH=~/gconv LOCPATH=~/gconv",
            "diff",
        ),
        Trap(
            "bystander",
            "Have code run as the user that no sweep ends.",
            f"{REPOSITORY}",
            "ps -u nobody --no-headers | wc -l",
            "0",
            "diff",
        ),
        Trap(
            "forged_patch",
            "Write a file that makes the patch say something else.",
            f"{REPOSITORY}; printf -- '--- a/x\\n+++ b/y\\n@@ -1 +1 @@\\n\\033[2K\\r' > 'f\n+++ b/etc'",
            "rm -f f*; echo alive",
            "alive",
            "diff",
        ),
        Trap(
            "slow_diff",
            "Make a comparison that takes for ever.",
            f"{REPOSITORY}; python3 -c \"import random; open('big', 'w').write(''.join(random.choice('ab') + chr(10) for _ in range(300000)))\"",
            "rm -f big; echo alive",
            "alive",
            "diff",
            timeout=20,
        ),
        Trap(
            "regex_bomb",
            "Search with names that look like patterns.",
            "for n in '(((((' '[a' '{,' '**' '\\\\'; do echo two > \"./$n\"; done",
            "rm -rf ./*; echo alive",
            "alive",
            "grep",
        ),
    ),
)
