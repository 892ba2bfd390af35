"""Measure the start of a site, from the start of its launcher to the first answer of the health page."""

from pathlib import Path

from tests.bench.bench_site import STATE, scripted_model, settings_for
from tests.bench.figures import Figure
from tests.support.running_site import REPOSITORY, running_site


def measure_start(source: Path = REPOSITORY) -> list[Figure]:
    """Measure the first start of a site, which creates its database, and the second start."""
    figures = []
    with scripted_model() as (server, _):
        for name in ("first start", "next start"):
            with running_site(STATE, settings_for(server), keep=name == "next start", source=source) as site:
                used = sum(site.cpu().values())
                figures += [
                    Figure(f"{name} to the first 200 of the health page", site.seconds_to_ready * 1000, "ms", "wall"),
                    Figure(f"{name}: CPU of all processes that still run", used * 1000, "ms", "cpu"),
                ]
    return figures
