"""In `make test` property tests try fewer examples, except where a test names their number."""

from hypothesis import settings

from tests.support.lanes import fewer

settings.register_profile("fewer", settings.get_profile("steady"), max_examples=fewer(100, default=40))
settings.load_profile("fewer")
