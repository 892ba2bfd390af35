"""The MCP tools that a model is offered, and the search for other tools."""

from hypothesis import given
from hypothesis import strategies as st

from tools_app.mcp.choice import MAX_FOUND, MAX_OFFERED, MAX_OFFERED_CHARACTERS, choose, search, size_of
from tools_app.spec import ToolOffer

SCHEMA = {"type": "object", "properties": {"repository": {"type": "string"}}}


def offer(name: str, description: str = "Does it.") -> ToolOffer:
    return ToolOffer(name, description, SCHEMA)


def of_servers(*sizes: int) -> tuple[list[ToolOffer], dict[str, str]]:
    names = {f"s{at}_t{number:03}": f"s{at}" for at, size in enumerate(sizes) for number in range(size)}
    return [offer("bash"), *map(offer, sorted(names))], names


def test_within_the_bound_all_are_offered() -> None:
    offers, sources = of_servers(10, 20)
    choice = choose(offers, sources, [])
    assert choice.offered == tuple(offers)
    assert choice.left_out == ()


def test_beyond_it_each_server_has_its_share_and_no_tool_is_lost() -> None:
    offers, sources = of_servers(200, 5, 95)
    choice = choose(offers, sources, [])
    per_server = [sum(each.name.startswith(f"s{at}_") for each in choice.offered) for at in range(3)]
    assert per_server == [13, 5, 12]
    assert {each.name for each in (*choice.offered, *choice.left_out)} == {each.name for each in offers}


@given(found=st.lists(st.integers(0, 199), max_size=150))
def test_what_was_found_is_added_and_takes_nothing_away(found: list[int]) -> None:
    offers, sources = of_servers(200)
    names = [f"s0_t{number:03}" for number in found]
    before = {each.name for each in choose(offers, sources, []).offered}
    after = {each.name for each in choose(offers, sources, [*names, "gone_tool"]).offered}
    assert before <= after <= before | set(names)
    assert len(after) <= 1 + MAX_OFFERED + MAX_FOUND


def test_large_definitions_count_for_more() -> None:
    offers = [offer(f"s_t{number}", "word " * 3_000) for number in range(20)]
    choice = choose(offers, dict.fromkeys((each.name for each in offers), "s"), [])
    assert 0 < sum(map(size_of, choice.offered)) <= MAX_OFFERED_CHARACTERS
    assert choice.left_out


def test_a_search_looks_at_names_descriptions_and_parameters() -> None:
    offers = [
        offer("gh_createIssue", "Open a new ticket."),
        offer("gh_list_commits", "Show commits. Create nothing."),
        ToolOffer("db_run", "Run SQL.", {"properties": {"query": {}, "database": {}}}),
    ]
    assert [each.name for each in search("create an issue", offers)] == ["gh_createIssue", "gh_list_commits"]
    assert search("databases", offers)[0].name == "db_run"
    assert search("gh_list_commits", offers)[0].name == "gh_list_commits"
    assert search("weather", offers) == []


@given(st.text(max_size=200))
def test_any_query_is_answered(query: str) -> None:
    assert len(search(query, of_servers(50)[0])) <= 10
