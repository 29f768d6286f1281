"""Exceptions of tools written in Python: which are the same failure."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from oracles.run.run_process import End, ProcessResult
from oracles.signature.actions import Culprit
from oracles.signature.classify import classify
from oracles.signature.derive import Level, derive
from oracles.signature.outcome import Signature
from oracles.stacks.crash_stack import CrashStack
from tests.support.samples import samples

FRAMEWORK = """
import functools

def walk(node, pattern):
    for inner in node if isinstance(node, list) else []:
        walk(inner, pattern)
    if not isinstance(node, list):
        pattern(node)
"""


def said(folder: Path, program: str, *arguments: str) -> str:
    """What a program prints on standard error."""
    package = folder / "lib" / "python3.11" / "site-packages" / "framework"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").write_text(FRAMEWORK)
    tool = folder / "tool.py"
    tool.write_text(f"import sys\nsys.path.insert(0, {str(package.parent)!r})\n{program}")
    argv = [sys.executable, str(tool), *arguments]
    return subprocess.run(argv, capture_output=True, text=True, check=False).stderr


class Probes:
    """What a tool without passes prints of the same input; it always fails with passes."""

    def __init__(self, verified: ProcessResult | None = None) -> None:
        self.verified = verified

    def verify(self, flags: Sequence[str]) -> ProcessResult | None:
        return self.verified

    def name_pass(self) -> ProcessResult:
        raise AssertionError("an exception names no pass")

    def culprit(self, crash: CrashStack) -> Culprit:
        raise AssertionError("an exception logs no actions")


def ended(stderr: str) -> ProcessResult:
    return ProcessResult(End.EXITED, 1 if stderr else 0, 0.1, 0.1, 0, "", stderr)


def signature_of(stderr: str, verified: str | None = None) -> Signature:
    probes = Probes(None if verified is None else ended(verified))
    return derive(classify(ended(stderr)), Level.NORMAL, probes)


TWO_TABLES = """
SIZES = {"a": 1}
def size(name):
    return SIZES[name]
def width(name):
    return SIZES[name] * 8
def check(name):
    assert name.islower()
    assert len(name) < 3
def lower(name):
    if name.startswith("w"): return width(name)
    if name.startswith("c"): return check(name)
    return size(name)
def main(): lower(sys.argv[1])
main()
"""


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("b", "x", True),
        ("b", "wx", False),  # another function
        ("cA", "cBB", True),
        ("cA", "cccc", False),  # the same function, another statement
    ],
)
def test_exceptions_in_other_places_are_other_failures(
    tmp_path: Path, one: str, other: str, alike: bool
) -> None:
    first, second = (signature_of(said(tmp_path, TWO_TABLES, word)) for word in (one, other))
    assert (first == second) is alike, f"{first.text}\n{second.text}"
    assert first.frames and all("/" not in frame for frame in first.frames)


NESTED = """
import framework, ast
def convert(op):
    raise ValueError(f"cannot convert {op} of size {op * 7}")
def main(): framework.walk(ast.literal_eval(sys.argv[1]), convert)
main()
"""


def test_neither_numbers_nor_nesting_matter(tmp_path: Path) -> None:
    flat, deep = (signature_of(said(tmp_path, NESTED, text)) for text in ("[1]", "[[[[[5]]], 7]]"))
    assert flat == deep and flat.template == "ValueError: cannot convert N of size N"


CHAIN = """
class Failed(Exception): pass
def inner(kind):
    if kind == "key": return {}[kind]
    raise TypeError("no such kind")
def middle(kind):
    try: inner(kind)
    except Exception as error:
        if kind == "aside": raise Failed("lowering failed")
        raise Failed("lowering failed") from error
middle(sys.argv[1])
"""


def test_what_led_to_an_exception_counts(tmp_path: Path) -> None:
    key, of_type, aside = (
        signature_of(said(tmp_path, CHAIN, word)) for word in ("key", "type", "aside")
    )
    assert key != of_type and of_type == aside
    assert of_type.template == "Failed: lowering failed <- TypeError: no such kind"
    assert of_type.frames[:2] == ("tool.inner", "tool.middle")


ENDLESS = """
import framework
sys.setrecursionlimit(int(sys.argv[1]))
def even(n): return odd([n] + [repr(n)])
def odd(n): return isinstance(n, list) and even(n[:1])
def start(n): return even(n)
start([0])
"""


def test_endless_recursion_is_the_same_wherever_it_ends(tmp_path: Path) -> None:
    found = {signature_of(said(tmp_path, ENDLESS, str(limit))) for limit in (200, 201, 205)}
    assert [one.frames for one in found] == [("tool.even", "tool.odd")], found
    assert found.pop().template == "RecursionError: maximum recursion depth exceeded"


def test_whether_the_input_or_what_a_pass_made_is_invalid() -> None:
    stderr = samples()["python/verify-exception"].text
    stages = [signature_of(stderr, verified).stage for verified in (None, stderr, "")]
    assert stages == ["", "input", "pipeline"]


def test_the_tools_own_function_counts_below_those_of_what_it_uses(tmp_path: Path) -> None:
    uses = "import framework\ndef lower(n):\n  framework.walk([[[[n]]]], lambda n: n.x)\nlower(1)"
    assert signature_of(said(tmp_path, uses)).frames == (
        "tool.<lambda>",
        "framework.walk",
        "tool.lower",
    )


def test_what_is_ignored_or_only_logged_did_not_end_the_program() -> None:
    stderr = (
        'Traceback (most recent call last):\n  File "/a/b.py", line 8, in f\n    g()\n'
        "ValueError: no\n"
        "Exception ignored in: <function F.__del__ at 0x7f>\n"
        'Traceback (most recent call last):\n  File "/a/b.py", line 9, in __del__\n    h()\n'
        "KeyError: 3\n"
    )
    assert signature_of(stderr).template == "ValueError: no at `g()`"
