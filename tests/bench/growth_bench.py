"""Measure the effects of 1,000 steps in one session: the memory of each process, and the cost of a late step compared
with an early one."""

from typing import Final

from deploy.demo_model.scripts import Step
from tests.bench.bench_site import BenchSite
from tests.bench.figures import Figure
from tests.bench.measuring import percentile
from tests.bench.steps_bench import open_ready_session, run_story
from tests.support.model_server import calls, text, tool_call

STEPS_OF_TURN: Final = 50
TURNS: Final = 20
OURS: Final = ("agent", "sandbox", "web", "valkey")


def measure_growth(bench: BenchSite) -> list[Figure]:
    session_id = open_ready_session(bench.client, bench.server)
    idle = bench.site.memory()
    costs = [_run_turn(bench, session_id) for _ in range(TURNS)]
    memory = bench.site.memory()
    (early_cpu, early_gap), (late_cpu, late_gap) = costs[0], costs[-1]
    return [
        *(Figure(f"memory idle: {name}", size, "MiB") for name, size in idle.items()),
        *(Figure(f"memory after 1,000 steps: {name}", size, "MiB") for name, size in memory.items()),
        Figure("gap of steps 951 to 1,000 / of steps 1 to 50", late_gap / early_gap, "times", target=1.3),
        Figure("CPU of steps 951 to 1,000 / of steps 1 to 50", late_cpu / early_cpu, "times", target=1.3),
    ]


def _run_turn(bench: BenchSite, session_id: str) -> tuple[float, float]:
    """Run a turn of 50 steps; return the CPU seconds of the site's processes, and the median gap between model calls in
    milliseconds."""
    before = bench.site.cpu()
    _, gaps = run_story(bench.client, bench.server, session_id, _steps())
    after = bench.site.cpu()
    return sum(after[name] - before[name] for name in OURS), percentile(gaps, 50)


def _steps() -> list[Step]:
    """Return 49 scripted steps with a tool call, and a last one with the answer. The calls differ, because repeated
    calls need a permission request."""
    numbered = (calls(tool_call("bash", command=f"echo line {number}")) for number in range(STEPS_OF_TURN - 1))
    return [*numbered, text("Done.")]
