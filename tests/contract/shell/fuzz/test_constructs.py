"""Generated shell texts are compared with the bash grammar of tree-sitter, without a container."""

from random import Random
from typing import Final

import pytest
import tree_sitter
import tree_sitter_bash

from tests.contract.shell.fuzz import constructs
from tests.contract.shell.fuzz.constructs import NODES, compose, compose_node
from tests.contract.shell.fuzz.generate import Generator
from tests.contract.shell.fuzz.vocabulary import Vocabulary, options_of, options_of_builtin

LANGUAGE: Final = tree_sitter.Language(tree_sitter_bash.language())
TRIES: Final = 60
GIVEN: Final = {
    "call": lambda _: "cat f",
    "builtin_call": lambda _: "read x",
    "wrapper_call": lambda _: "env",
    "option": lambda _: "-n",
}
VOCABULARY: Final = Vocabulary({"read": ["-r"]}, {"cat": ["-n"], "sort": ["--output"]}, {"env": ["-i"]})


def named_nodes() -> set[str]:
    kinds = range(LANGUAGE.node_kind_count)
    shown = (kind for kind in kinds if LANGUAGE.node_kind_is_named(kind) and LANGUAGE.node_kind_is_visible(kind))
    return {str(LANGUAGE.node_kind_for_id(kind)) for kind in shown}


def nodes_of(text: str) -> set[str]:
    found: set[str] = set()
    waiting = [tree_sitter.Parser(LANGUAGE).parse(text.encode()).root_node]
    while waiting:
        node = waiting.pop()
        found.add(node.type)
        waiting.extend(node.children)
    return found


def test_every_named_node_of_the_grammar_has_a_production() -> None:
    assert named_nodes() == set(NODES)


@pytest.mark.parametrize("node", sorted(NODES))
def test_every_form_of_a_node_makes_that_node(node: str) -> None:
    for form in NODES[node]:
        made = (compose_node(node, form, Random(number), GIVEN) for number in range(TRIES))
        assert any(node in nodes_of(text) for text in made), form


def test_composed_texts_contain_every_named_node() -> None:
    generator = Generator(1, VOCABULARY)
    found = {node for number in range(9000) for node in nodes_of(generator.text(number))}
    assert found >= named_nodes()


def test_all_that_the_forms_use_is_known_or_given() -> None:
    assert constructs.holes() == set(GIVEN)


def test_texts_end_and_are_of_a_readable_length() -> None:
    lengths = sorted(len(compose(Random(number), GIVEN)) for number in range(500))
    assert lengths[250] < 120


def test_the_same_seed_and_number_give_the_same_text_and_others_give_others() -> None:
    texts = [Generator(1, VOCABULARY).text(number) for number in range(300)]
    assert [Generator(1, VOCABULARY).text(number) for number in range(300)] == texts
    assert len(set(texts)) > 250
    assert [Generator(2, VOCABULARY).text(number) for number in range(300)] != texts


def test_options_are_what_a_help_text_names() -> None:
    text = "  -d, --delimiter=DELIM  use\n      --files0-from=F\n  -name PATTERN  -k[=x]  see a-b and <--no>"
    assert options_of(text) == ["--delimiter", "--files0-from", "-d", "-k", "-name"]
    assert options_of_builtin("read: read [-ers] [-a array] [name ...]\n  -q no") == ["-a", "-e", "-r", "-s"]
    assert options_of_builtin("compopt: compopt [-o|+o option] [-DEI]") == ["+o", "-D", "-E", "-I", "-o"]
