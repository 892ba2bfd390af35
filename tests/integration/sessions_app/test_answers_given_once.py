"""An answer to a permission request or question may be sent again with its idempotency key after a lost connection."""

import json

from sessions_app.models import Grant
from tests.support.asking import DEPLOYS
from tests.support.builders import browser_of
from tests.support.model_server import calls
from tests.support.session_site import SessionSite

KEY = "one-and-only"


def test_an_answer_to_what_waits_is_given_once_and_settles_the_others_in_its_reach(site: SessionSite) -> None:
    site.script(calls(DEPLOYS, DEPLOYS))
    turn = site.run_prompt()
    path = f"/api/v1/permission-requests/{site.open_requests()[0].public_id}/reply"
    browser, body = browser_of(site.user), json.dumps({"reply": "always", "scope": "project"})
    answers = [
        browser.post(path, body, content_type="application/json", headers={"Idempotency-Key": KEY}) for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].content == answers[1].content
    assert answers[1].headers["Idempotency-Replayed"] == "true"
    assert set(turn.permission_requests.values_list("state", flat=True)) == {"always"}
    assert Grant.objects.count() == 1
