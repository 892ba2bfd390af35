"""Command line of the launcher.

python -m deploy.launcher                     run the site until Ctrl-C
python -m deploy.launcher -- COMMAND ...      run the site, then COMMAND with AGENTSITE_URL set; exit with its status
"""

import asyncio
import contextlib
import fcntl
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from agentsite.tenancy.demo_team import DEMO_EMAIL, DEMO_PASSWORD
from deploy.launcher.plan import LaunchError, SitePlan, make_plan, require_free_port
from deploy.launcher.screen import Screen
from deploy.launcher.site import Site

_INTERRUPTED = 130  # exit status


@contextlib.contextmanager
def _site_lock(state: Path) -> Iterator[None]:
    """Allow only one launcher per state directory, because two would share a database file and a socket."""
    run = state / "run"
    run.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (run / "site.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise LaunchError(
                f"This site runs already (process {lock.read().strip()}). Stop it first, or use another state directory"
                " and port: AGENTSITE_STATE=var/second AGENTSITE_PORT=8001 make run"
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def _ready_line(plan: SitePlan) -> str:
    login = f"demo login {DEMO_EMAIL} / {DEMO_PASSWORD}" if plan.base["AGENTSITE_DEMO"].lower() == "true" else "sign in"
    return f"agentsite is ready at {plan.address} - {login} - log {plan.log_file} - Ctrl-C stops it"


async def _run_command(plan: SitePlan, command: Sequence[str]) -> int:
    environment = {**plan.environment_of("manage"), "AGENTSITE_URL": plan.address}
    process = await asyncio.create_subprocess_exec(*command, env=environment)
    try:
        return await process.wait()
    except asyncio.CancelledError:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()
        raise


async def _serve(plan: SitePlan, screen: Screen, command: Sequence[str]) -> int:
    """Run the site until a signal arrives or the command ends. Return the exit status."""
    site = Site(plan, screen)
    try:
        await site.start()
        screen.print(_ready_line(plan))
        if command:
            return await _run_command(plan, command)
        await asyncio.Event().wait()
        return 0
    except asyncio.CancelledError:
        return _INTERRUPTED if command else 0
    finally:
        await site.stop()


async def _main(plan: SitePlan, screen: Screen, command: Sequence[str]) -> int:
    serving = asyncio.ensure_future(_serve(plan, screen, command))
    stopping = False

    def stop_once() -> None:
        nonlocal stopping
        if not stopping:
            stopping = True
            serving.cancel()
            screen.say("site", "stopping")

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop_once)
    return await serving


def main(arguments: Sequence[str]) -> int:
    command = list(arguments[1:]) if arguments[:1] == ["--"] else []
    try:
        plan = make_plan(os.environ)
        with _site_lock(plan.state):
            require_free_port(plan)
            screen = Screen(plan.log_file)
            with contextlib.closing(screen):
                return asyncio.run(_main(plan, screen, command))
    except LaunchError as error:
        print(f"agentsite cannot start: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
