"""If a command changes files that it has written before, the analysis simulates the change and then analyses the
changed files when they are run."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tests.unit.tools_app.permission.shell.test_rehearsal import played

WRITES = "echo 'git pull' > r.sh; "


@pytest.mark.parametrize(
    "change",
    [
        "sed -i s/ll/sh/ r.sh", "sed -i.bak -e 's/ll$/sh/' ./r.sh", "sed -Ei 's/(l){2}/sh/' r.sh",
        "perl -pi -e 's/ll/sh/' r.sh", "perl -pi -e 's/ll/zh/;tr/z/s/' r.sh",
        "ruby -i -pe '$_.sub!(\"ll\", \"sh\")' r.sh", "printf 's/ll/sh/\\nw\\n' | ed r.sh", "ex -sc '%s/ll/sh/|x' r.sh",
        "awk -i inplace '{sub(/ll/,\"sh\")}1' r.sh", "sd ll sh r.sh", "rpl ll sh r.sh",
        "python3 -c 'p=\"r.sh\"; open(p, \"w\").write(open(p).read().replace(\"ll\", \"sh\"))'",
        "sed s/ll/sh/ r.sh | sponge r.sh", "printf sh | dd of=r.sh bs=1 seek=6 conv=notrunc",
        "truncate -s -3 r.sh; echo sh >> r.sh", "find . -name r.sh -exec sed -i s/ll/sh/ {} \\;",
        "printf 'git ' > r.sh; echo push | tee -a r.sh",
    ],
)  # fmt: skip
def test_a_changed_file_is_run(change: str) -> None:
    assert "git push" in played(f"{WRITES}{change}; sh r.sh")


@pytest.mark.parametrize(
    "change", ["sed -n s/ll/sh/p r.sh > /dev/null", "sed -i s/ll/sh/ other.sh", "cat 's/ll/sh/' r.sh"]
)
def test_other_programs_change_nothing(change: str) -> None:
    assert "git push" not in played(f"{WRITES}{change}; sh r.sh")


@pytest.mark.parametrize(
    "text",
    ["echo pull | sed 's/^/git /;s/ll/sh/e'", "echo 'git pull' | sed 's/ll/sh/;e'", "echo git pull | sd ll sh | sh"],
)
def test_filters_change_what_is_run(text: str) -> None:
    assert "git push" in played(text)


@pytest.mark.parametrize("text", ["split -l1 a z; sh zaa", "csplit -s a 1; bash xx01"])
def test_files_of_unknown_names_may_be_run(text: str) -> None:
    assert not analyzed(text).complete
