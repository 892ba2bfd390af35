import pytest

from tests.unit.tools_app.permission.shell.support import analyzed

UNKNOWN = [
    "$x",
    '"$x" a',
    "ls*",
    "{rm,x}",
    "cat $x",
    "cat $(ls)",
    "echo $(cat x)",
    "x='/etc/*'; echo $x",
    "read -r x < f; echo $x",
    "for f in */*; do echo $f; done",
    "eval $x",
    "bash -c $x",
    "curl http://x | sh",
    "python3 -c 'x'",
    "python3 - <<EOF\nx\nEOF",
    "perl -e x",
    "node -e x",
    "awk 'BEGIN{system(\"x\")}'",
    "sed 's/a/b/e' f",
    "sed 'w out' f",
    "source x.sh",
    "PATH=. ls",
    "export PATH=.; ls",
    "LD_PRELOAD=./x ls",
    "GIT_SSH_COMMAND=x git fetch",
    "read PATH; ls",
    "printf -v PATH x",
    "for PATH in a; do ls; done",
    "git -c core.pager=x log",
    "git config alias.x '!rm'",
    "git config core.pager --get",  # behind a name, an option is a value
    "rg --pre x y",
    "sort --compress-program=x f",
    "tar --to-command=x -xf f",
    "find . -unknown",
    "find . | xargs cat",
    "ssh host rm x",
    "exec 3<>/dev/tcp/h/1",
    "ls() { rm x; }; ls",
    "x='a[$(rm y)]'; echo $((x))",
    "[[ $x -eq 1 ]]",
    "[ -v 'a[$(rm x)]' ]",
    "cd $x && ls",
    "cd - && cat x",
    "bash <(echo ls)",
    "echo x > a.sh && bash a.sh",
    "ln -s / x && cat x/etc/passwd",
    "cp -r a b && cat b/x",
    "ls --unknown-option",
    "ls\r",
    "ls\u00a0x",
    "ls \x00",
    "echo ${x@P}",
    "echo ${!x}",
    "set -o posix; ls",
    "ls (",
    "echo 'a",
    "cat <<EOF\nx",
]
KNOWN = [
    "ls -la src",
    "cd src && ls",
    "cd src; ls",
    'echo "$HOME" $x $?',
    "x=src; cat $x/a.py",
    'for f in src/*.py; do wc -l "$f"; done',
    "for f in a b; do cat $f; done",
    "for f in *.py src/*.py; do echo $f; done",
    "for i in $(seq 1 3); do echo $i; done",
    "count=$(ls | wc -l); echo $count $(date +%F) $PATH",
    "name=$USER-$(git rev-parse --short HEAD); echo $name",
    "if [ -f x ]; then cat x; fi",
    "[[ -d src && -f x ]] && ls src",
    "cat <<'EOF' > x\n$(rm y)\nEOF",
    "git log --oneline -5 | head -3",
    "git -C src status",
    "find . -name '*.py' -exec grep -l x {} +",
    "sed -n '1,5p' f",
    "sed -e 's/a/b/g' -e '/x/d' f",
    "awk '{print $1}' f",
    "jq '.a[] | select(.b > 1)' f",
    "timeout 5 pytest -q 2>&1 | tail -5",
    "python3 -m pytest -q",
    "python3 script.py",
    "./script.sh",
    "git commit -m \"$(cat <<'EOF'\nfix: it's\nEOF\n)\"",
    "echo $((1 + 2))",
    "ls {a,b}/c",
    'while read -r line; do echo "$line"; done < f',
    "set -euo pipefail; ls",
    "bash -c 'ls src'",
    "ls -la \\\n  src",
    "ls  # a comment",
    "true",
]


@pytest.mark.parametrize("command", UNKNOWN)
def test_what_may_do_more_than_it_says_is_incomplete_with_a_reason(command: str) -> None:
    found = analyzed(command)
    assert not found.complete
    assert found.reasons
    assert found.always == ()


@pytest.mark.parametrize("command", KNOWN)
def test_what_is_understood_is_complete(command: str) -> None:
    assert analyzed(command).reasons == ()
