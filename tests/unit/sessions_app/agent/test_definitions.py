import pytest

from sessions_app.agent.definitions import request_options, unusable_options
from sessions_app.llm.openai_compatible import request_body
from sessions_app.llm.port import ModelEndpoint, ModelRequest


def test_options_go_out_under_the_names_of_the_format() -> None:
    assert request_options({"reasoningEffort": "low", "topK": 5}) == {"reasoning_effort": "low", "top_k": 5}


def test_a_variant_is_a_reasoning_effort_unless_an_option_says_it_otherwise() -> None:
    assert request_options({}, "high") == {"reasoning_effort": "high"}
    assert request_options({"reasoning_effort": "low"}, "high") == {"reasoning_effort": "low"}
    assert request_options({}, "huge") == {}


@pytest.mark.parametrize(
    "name", ["api_base", "api_key", "base_url", "extra_headers", "model", "messages", "tools", "stream"]
)
def test_nothing_that_could_send_the_request_elsewhere_is_passed_on(name: str) -> None:
    assert request_options({name: "x"}) == {}
    assert unusable_options({name: "x"})


@pytest.mark.parametrize("value", [True, "many", 0, -1, 1.5, None, [1]])
def test_a_value_that_means_nothing_is_not_passed_on(value: object) -> None:
    assert request_options({"max_tokens": value}) == {}
    assert unusable_options({"max_tokens": value})


def test_options_never_replace_what_the_request_is_about() -> None:
    endpoint = ModelEndpoint("openai_compatible", "m")
    body = request_body(ModelRequest(endpoint, [], options={"model": "other", "seed": 3}, temperature=0.1))
    assert (body["model"], body["seed"], body["temperature"]) == ("m", 3, 0.1)
