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
from oracles.signature.kind import Kind
from oracles.signature.outcome import Signature
from oracles.signature.python_traceback import fatal_frames
from oracles.stacks.crash_stack import CrashStack

FRAMEWORK = """
import functools

class VerifyException(Exception):
    pass

class ParseError(Exception):
    pass

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
def convert(op): raise ValueError(f"cannot convert {op} of size {op * 7}")
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


def test_one_function_that_calls_itself(tmp_path: Path) -> None:
    """Python prints three of its lines and how often they are repeated."""
    stderr = said(tmp_path, "def f(n): return f(n + 1)\ndef main(): f(0)\nmain()")
    assert "Previous line repeated" in stderr
    assert signature_of(stderr).frames == ("tool.f",)


PARSER = '''
import framework
def parse_op(text):
    raise framework.ParseError("""in.mlir:2:7
  %b = arith.addi %q
                  ^^
                  """ + sys.argv[1])
parse_op("")
'''


def test_the_words_of_a_parser_below_the_place_in_the_input(tmp_path: Path) -> None:
    one, other = (signature_of(said(tmp_path, PARSER, word)) for word in ("no value", "no type"))
    assert one != other
    assert one.kind is Kind.INVALID_INPUT and one.stage == "input"
    assert one.template == "framework.ParseError: no value"


POINTED = """
import framework
def verify(op):
    error = framework.VerifyException("expected 2 operands, but got 1")
    marked = '  %%0 = "%s"() : () -> i1\\n  ^^^^^^^^^^^-----\\n  | no\\n' % op
    error.add_note("module {\\n" + marked + "}")
    raise error
verify(sys.argv[1])
"""


def test_the_op_that_is_marked_in_the_program_below(tmp_path: Path) -> None:
    one, other = (signature_of(said(tmp_path, POINTED, op)) for op in ("a.b", "a.c"))
    assert (one.op, other.op) == ("a.b", "a.c") and one.kind is Kind.VERIFIER


def test_whether_the_input_or_what_a_pass_made_is_invalid(tmp_path: Path) -> None:
    stderr = said(tmp_path, POINTED, "a.b")
    stages = [signature_of(stderr, verified).stage for verified in (None, stderr, "")]
    assert stages == ["", "input", "pipeline"]


LIBRARY = """
import json, framework, enum
class Kind(enum.Enum):
    A = 1
class Int:
    def __init__(self, value): Kind(value)
def attribute(text): return Int([json.loads(x) for x in [text]][0])
def main(): attribute(sys.argv[1])
main()
"""


def test_functions_of_python_itself_do_not_count(tmp_path: Path) -> None:
    enum, decoder = (signature_of(said(tmp_path, LIBRARY, text)) for text in ("7", "]"))
    assert enum.frames == decoder.frames == ("tool.attribute", "tool.main")
    assert (
        enum.template
        == "ValueError: N is not a valid Kind at `def __init__(self, value): Kind(value)`"
    )


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


def test_a_value_is_not_told_apart() -> None:
    missing = (
        'Traceback (most recent call last):\n  File "/w/lower.py", line 3, in lower\n'
        "    return self.values[op]\nKeyError: {value}\n"
    )
    values = (
        "<OpResult[i32] name_hint: x, index: 0, operation: a.b, uses: 1>",
        "<OpResult[f64] name_hint: None, index: 1, operation: a.c, uses: 3>",
    )
    assert len({signature_of(missing.format(value=value)) for value in values}) == 1


def test_objects_are_not_told_apart() -> None:
    head = 'Traceback (most recent call last):\n  File "/a/b.py", line 8, in f\n    return t[x]\n'
    one = signature_of(f"{head}KeyError: Int(data=IntAttr(3), type='i8')\n")
    assert one == signature_of(f"{head}KeyError: Int(data=5)\n")
    address = f"{head}KeyError: <a.b.Op object at 0x7f12>\n"
    assert signature_of(address) == signature_of(address.replace("0x7f12", "0x5511"))


def test_a_signal_is_for_the_current_thread() -> None:
    """Python prints the others first, and these only wait."""
    waiting = 'Thread 0x1 (most recent call first):\n  File "/a/pool.py", line 3 in wait\n\n'
    current = 'Current thread 0x2 (most recent call first):\n  File "/a/b.py", line 3 in lower\n'
    for text in (current, waiting + current, waiting + current + waiting):
        assert [frame.name for frame in fatal_frames(text)] == ["b.lower"]
    assert [frame.name for frame in fatal_frames(waiting)] == ["pool.wait"]


FOREIGN = """Traceback (most recent call last):
  File "/tmp/a.py", line 6, in <module>
    build(mod)
  File "/s/python/tvm/_ffi/base.py", line 481, in raise_last_ffi_error
    raise py_err
tvm.error.InternalError: Traceback (most recent call last):
{frames}  File "/s/src/lower.cc", line 310
InternalError: {words}
"""


def test_the_words_of_an_exception_behind_an_interface_are_below_its_own_traceback() -> None:
    frames = "  2: a::f(int)\n", "  3: a::g(a::B const&)\n  2: a::f(int)\n"
    checks = (
        "Check failed: (slot->value) is false: n in main has no value",
        "Check failed: (slot->value) is false: m in f has no value",
        "Check failed: (type) is false: no rule for x",
    )
    one, same, other = (
        signature_of(FOREIGN.format(frames=frame, words=words))
        for frame, words in zip((*frames, frames[0]), checks, strict=True)
    )
    assert one == same
    assert one.template.endswith("Check failed: (slot->value) is false")
    assert other.template != one.template


def test_an_exception_in_the_words_of_another_below_lines_of_the_program() -> None:
    """As Triton prints it."""
    raised = (
        'Traceback (most recent call last):\n  File "/w/generator.py", line {n}, in generate\n'
        "    raise CompilationError(src) from e\nt.CompilationError: at {n}:8:\n{program}\n"
        "        ^\nAssertionError('no type {size} in load')\n"
    )
    programs = "def f(p):\n    load(p)", "def kernel(x):\n    y = 1\n    load(x)"
    one, other = (
        signature_of(raised.format(n=n, program=program, size=n))
        for n, program in enumerate(programs, 2)
    )
    assert one == other
    assert one.template == "t.CompilationError: AssertionError: no type N in load"


def test_functions_of_cpp_in_a_traceback() -> None:
    """Which functions print the words depends on what is inlined."""
    stack = (
        "Traceback (most recent call last):\n"
        '  File "/w/build.py", line 226, in build\n    mod = pipeline(mod)\n'
        '  File "/s/lower.cc", line {line}, in a::Lower()::{{lambda(b::F)#1}}::operator()(b::F)\n'
        "    ICHECK(x);\n{end}tvm.error.InternalError: Check failed: (x) is false: \n"
    )
    fatal = (
        '  File "/s/logging.h", line 3, in tvm::runtime::detail::LogFatal::~LogFatal()\n    f();\n'
    )
    found = [signature_of(stack.format(line=n, end=fatal * n)) for n in (0, 1, 2)]
    assert len({*found}) == 1
    assert found[0].frames == ("a::Lower", "build.build")


def test_the_reason_may_have_a_heading() -> None:
    thrown = (
        'Traceback (most recent call last):\n  File "/a.py", line 3, in f\n    {call}()\n'
        "RuntimeError: TT_THROW @ /w/creation.hpp:{line}: exception\ninfo:\n{why}\n"
        "backtrace:\n --- g\n"
    )
    one, same, other = (
        signature_of(thrown.format(call=call, line=line, why=why))
        for call, line, why in (("f", 3, "no type!"), ("g", 9, "no type!"), ("f", 3, "no layout!"))
    )
    assert one == same
    assert one.template == "RuntimeError: TT_THROW @ creation.hpp: exception no type!"
    assert one.template != other.template


def test_the_op_that_is_printed_below_the_words() -> None:
    printed = (
        'Traceback (most recent call last):\n  File "/a.py", line 3, in f\n    run()\n'
        'a.E: no layout\n\nThe op involved:\n  %{n} = "{op}"(%2) : (i32) -> i32\n\nPlease report.\n'
    )
    one, same, other = (
        signature_of(printed.format(n=n, op=op))
        for n, op in ((3, "v.cast"), (71, "v.cast"), (3, "v.shape"))
    )
    assert one == same
    assert (one.op, other.op) == ("v.cast", "v.shape")
