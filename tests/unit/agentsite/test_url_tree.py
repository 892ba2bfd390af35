import re

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, path, resolve
from django.urls.resolvers import RegexPattern

from agentsite.api.root import api
from agentsite.api.url_tree import tree_of

PARAMETER = re.compile(r"<[^>]+>")


def show(_request: HttpRequest) -> HttpResponse:
    return HttpResponse()


def a_path_of(route: str) -> str:
    return PARAMETER.sub("x1", route)


def flat_and_tree() -> tuple[URLResolver, URLResolver]:
    routes, _, _ = api.urls
    return URLResolver(RegexPattern(r"^"), routes), URLResolver(RegexPattern(r"^"), tree_of(routes))


def test_each_path_of_the_api_finds_the_same_view_as_in_a_list() -> None:
    flat, tree = flat_and_tree()
    paths = [a_path_of(str(pattern.pattern)) for pattern in flat.url_patterns]
    assert len(paths) > 300
    for each in paths:
        one, other = flat.resolve(each), tree.resolve(each)
        assert (one.func, one.kwargs, one.route, one.url_name) == (
            other.func,
            other.kwargs,
            other.route,
            other.url_name,
        )


def test_each_route_of_the_api_tries_few_others() -> None:
    flat, tree = flat_and_tree()
    tried = [len(tree.resolve(a_path_of(str(pattern.pattern))).tried or []) for pattern in flat.url_patterns]
    assert sum(tried) / len(tried) < 60


def test_a_parameter_that_holds_slashes_is_not_split() -> None:
    tree = URLResolver(
        RegexPattern(r"^"),
        tree_of([path("a/<path:name>/end", show, name="one"), path("a/<path:name>/last", show, name="two")]),
    )
    assert tree.resolve("a/b/c/last").url_name == "two"


def test_the_site_uses_the_tree() -> None:
    match = resolve("/api/v1/sessions/ses_1/messages")
    assert (match.namespace, match.kwargs) == ("api", {"session_id": "ses_1"})
    assert isinstance(match.tried, list)
    assert len(match.tried) < 60


def test_patterns_of_one_route_are_kept_as_they_are() -> None:
    (only,) = tree_of([path("a/b/c", show, name="one")])
    assert isinstance(only, URLPattern)
    assert str(only.pattern) == "a/b/c"
