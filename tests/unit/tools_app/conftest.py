"""Property tests here say what holds, not how quickly: a busy machine must not fail them.

In `make test` they try fewer examples, except where a test names their number.
"""

from hypothesis import HealthCheck, settings

from tests.support.lanes import fewer

settings.register_profile(
    "steady",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=fewer(100, default=40),
)
settings.load_profile("steady")
