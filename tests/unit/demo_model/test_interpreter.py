"""Programs are worked through on paper: what is known gives Python's result, what is not is Unsupported, never run."""

import ast
from typing import Any

import pytest

from deploy.demo_model.repair.allowed import Unsupported
from deploy.demo_model.repair.diagnosis import diagnose
from deploy.demo_model.repair.interpreter import Interpreter


def value_of(code: str, name: str = "result") -> Any:
    return Interpreter({"m.py": ast.parse(code)}).module("m.py").names[name]


PROGRAMS = [
    "result = [n * n for n in range(5) if n % 2]",
    "result = sum(a * b for a, b in zip((1, 2), (3, 4)))",
    "def f(a, *rest, b=2, **more): return (a, rest, b, more)\nresult = f(1, 2, 3, b=4, c=5)",
    "class A:\n    @property\n    def twice(self): return self.n * 2\na = A()\na.n = 4\nresult = a.twice",
    "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: int = 2\nresult = P(1) == P(1, 2)",
    "class E(ValueError): pass\ntry:\n    raise E('x')\nexcept ValueError as error:\n    result = str(error)",
    "result = {k: v for k, v in {'a': 1}.items()}",
    "total = 0\nfor n in [3, 1, 2]:\n    if n == 2: break\n    total += n\nelse:\n    total = 99\nresult = total",
    "n = 3\nwhile n:\n    n -= 1\nresult = n",
    "result = f'{3.14159:.2f} {\"x\"!r}'",
    "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nresult = fib(10)",
    "a, (b, c) = 1, (2, 3)\nresult = a + b + c",
    "from decimal import Decimal\nresult = Decimal('1.10') + 1",
    "result = sorted(['bb', 'a'], key=lambda s: len(s))",
    "x = {'a': [1]}\nx['a'].append(2)\nx['a'][0] += 5\nresult = x",
]


@pytest.mark.parametrize("code", PROGRAMS)
def test_results_are_python_s(code: str) -> None:
    names: dict[str, Any] = {"__name__": "expected"}
    exec(compile(code, "expected", "exec"), names)
    assert value_of(code) == names["result"]


@pytest.mark.parametrize(
    "code",
    [
        "import os\nresult = os.getcwd()",
        "result = open('/etc/passwd')",
        "result = ().__class__.__base__.__subclasses__()",
        "result = '{0.__class__}'.format(1)",
        "result = getattr(1, 'real')",
        "result = eval('1')",
        "result = __import__('os')",
        "def f(): pass\nresult = f.__globals__",
        "result = 10 ** 10 ** 10",
        "result = 'x' * 10 ** 9",
        "result = list(range(10 ** 9))",
        "while True: pass",
        "def f(): return f()\nresult = f()",
        "try:\n    raise ValueError\nexcept ValueError as error:\n    result = error.__traceback__",
    ],
)
def test_what_could_harm_is_not_done(code: str) -> None:
    with pytest.raises(Unsupported):
        value_of(code)


def test_tests_that_cannot_be_followed_are_unclear_and_not_failures() -> None:
    sources = {
        "test_x.py": "import os\ndef test_a():\n    assert os.getcwd()\ndef test_b(tmp_path):\n    assert tmp_path\n"
    }
    found = diagnose(sources)
    assert (found.failures, found.unclear) == ((), 2)


def test_parametrised_tests_and_classes_are_followed() -> None:
    sources = {
        "calc.py": "def double(n):\n    return n + 2\n",
        "test_calc.py": "import pytest\nfrom calc import double\n\n"
        "@pytest.mark.parametrize('n, result', [(2, 4), (3, 6)])\n"
        "def test_double(n, result):\n    assert double(n) == result\n\n"
        "class TestMore:\n    def test_zero(self):\n        assert double(0) == 0\n",
    }
    found = diagnose(sources)
    assert {failure.test for failure in found.failures} == {"test_double[1]", "TestMore::test_zero"}
    assert found.repairs[0].new == "    return n * 2"


def test_a_repair_names_exactly_one_place() -> None:
    sources = {
        "limits.py": "def low(n):\n    return n > 3\n\n\ndef high(n):\n    return n > 3\n",
        "test_limits.py": "from limits import high, low\ndef test_high():\n    assert high(3) and not low(3)\n",
    }
    repair = diagnose(sources).repairs[0]
    assert sources["limits.py"].count(repair.old) == 1
    assert "high" in repair.old
