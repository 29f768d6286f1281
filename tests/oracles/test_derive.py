"""Deriving signatures at each level."""

from collections.abc import Sequence

import pytest

from oracles import End, Level, ProcessResult, Signature
from oracles.signature.actions import Culprit
from oracles.signature.classify import classify
from oracles.signature.derive import derive, exact_of
from oracles.stacks.crash_stack import CrashStack


@pytest.mark.parametrize(
    ("message", "exact"),
    [
        ("'a.b' op got tensor<4x?xf32>, expected 12", "'a.b' op got tensor<4x?xf32>, expected 12"),
        ("use of value '%arg0' in @f", "use of value '%' in @f"),
        ("see /tmp/x-1/in.mlir:3:4", "see <path>"),
        ("failed to x 'a.b': %0:2 = \"a.b\"(%1) : (i32) -> (i32, i32)", "failed to x 'a.b'"),
        (
            "Cannot select: 0x12ab: ch = store<(store (s80) into %ir.59, !noalias !84)> 0x34cd, t9",
            "Cannot select: <addr>: ch = store<(store (s80) into %, !noalias !)> <addr>, <addr>",
        ),
        ("Cannot select: intrinsic %llvm.amdgcn.if", "Cannot select: intrinsic %llvm.amdgcn.if"),
    ],
)
def test_what_stays_and_what_goes(message: str, exact: str) -> None:
    assert exact_of(message) == exact


BROKEN = """\
{file}:{line}: error: '{op}' op operand #{n} must be a float, but got 'tensor<{dim}xi32>'
  %r = "{op}"(%0)
  ^
{file}:{line}: note: see current operation: %r = "{op}"(%0) : (tensor<{dim}xi32>) -> ()
{file}:{line}: note: declared in '{name}'
{file}:1:1: error: failed to run translation of source executable to target executable for x
"""


class NoProbes:
    """No `-opt` tool, and a compiler that names no pass without flags."""

    def __init__(self, dump: str = "") -> None:
        self.dump = dump
        self.asked = 0

    def verify(self, flags: Sequence[str]) -> ProcessResult | None:
        return None

    def name_pass(self) -> ProcessResult:
        self.asked += 1
        return result(self.dump)

    def culprit(self, crash: CrashStack) -> Culprit:
        self.asked += 1
        return Culprit("FooPass")


def result(stderr: str, code: int = 1) -> ProcessResult:
    return ProcessResult(End.EXITED, code, 0.0, 0.0, 0, "", stderr)


def text(**changes: object) -> str:
    fields = {"file": "a.mlir", "line": "3:4", "op": "a.b", "n": 0, "dim": 4, "name": "f"}
    return BROKEN.format(**(fields | changes))


def signature(level: Level, stderr: str, code: int = 1) -> Signature:
    return derive(classify(result(stderr, code)), level, NoProbes())


def kept(level: Level, first: str, second: str, code: int = 1) -> bool:
    return signature(level, first, code) == signature(level, second, code)


@pytest.mark.parametrize("level", Level)
def test_no_level_sees_places(level: Level) -> None:
    assert kept(level, text(), text(file="/tmp/x/b.mlir", line="17:1"))


@pytest.mark.parametrize(("level", "same"), [("strict", False), ("normal", True), ("loose", True)])
def test_sizes_and_names_are_words(level: str, same: bool) -> None:
    assert kept(Level(level), text(), text(dim=512, n=3)) is same
    assert kept(Level(level), text(), text(name="g")) is same


@pytest.mark.parametrize(("level", "same"), [("strict", False), ("normal", False), ("loose", True)])
def test_another_operation(level: str, same: bool) -> None:
    assert kept(Level(level), text(), text(op="c.d")) is same


@pytest.mark.parametrize(("level", "same"), [("strict", False), ("normal", True), ("loose", True)])
def test_further_errors(level: str, same: bool) -> None:
    more = text() + "a.mlir:9:9: error: 'z.z' op is bad too\n"
    assert kept(Level(level), text(), more) is same


@pytest.mark.parametrize("level", Level)
def test_repeated_errors_in_another_order(level: Level) -> None:
    """Several dispatches fail with one bug; their order and number are not deterministic."""
    first, second = text(), text(line="8:1")
    assert kept(level, first + second, second + first + second)


@pytest.mark.parametrize(("level", "same"), [("strict", False), ("normal", False), ("loose", True)])
def test_frames_below_the_top(level: str, same: bool) -> None:
    stack = " #0 0x01 a::f()\n #1 0x02 {}()\n #2 0x03 c::h()\n"
    assert kept(Level(level), stack.format("b::g"), stack.format("b::x"), -11) is same
    assert not kept(Level(level), stack.format("b::g"), stack.replace("a::f", "a::y"), -11)


@pytest.mark.parametrize(("level", "same"), [("strict", False), ("normal", True), ("loose", True)])
def test_frames_far_down(level: str, same: bool) -> None:
    stack = " #0 0x01 a()\n #1 0x02 b()\n #2 0x03 c()\n #3 0x04 {}()\n"
    assert kept(Level(level), stack.format("d"), stack.format("e"), -11) is same


def test_an_assertion_keeps_its_words_at_every_level() -> None:
    line = 'opt: a.cpp:{}: void f::g(int): Assertion `{} && "no"\' failed.\n'
    for level in Level:
        assert kept(level, line.format(1, "x"), line.format(2, "x"), -6)
        assert not kept(level, line.format(1, "x"), line.format(1, "y"), -6)


NOTE = (
    "a.mlir:1:1: note: Pipeline failed while executing `{}` on 'f': reproducer generated at `r`\n"
)


@pytest.mark.parametrize(("level", "same"), [("strict", False), ("normal", False), ("loose", True)])
def test_the_pass_where_the_text_names_it(level: str, same: bool) -> None:
    assert kept(Level(level), text() + NOTE.format("A"), text() + NOTE.format("B")) is same


def test_only_strict_asks_for_the_pass_of_a_named_failure() -> None:
    dump = "// -----// IR Dump After FooPass Failed (foo) //----- //\n"
    for level, asked, stage in (
        (Level.STRICT, 1, "pipeline FooPass"),
        (Level.NORMAL, 0, "pipeline"),
        (Level.LOOSE, 0, "pipeline"),
    ):
        probes = NoProbes(dump)
        assert derive(classify(result(text())), level, probes).stage == stage
        assert probes.asked == asked


@pytest.mark.parametrize("level", Level)
def test_a_silent_failure_is_its_pass(level: Level) -> None:
    probes = NoProbes("// -----// IR Dump After FooPass Failed (foo) //----- //\n")
    found = derive(classify(result("")), level, probes)
    assert (found.template, found.stage) == ("silent failure (exit 1)", "pipeline FooPass")


def test_being_told_to_name_the_pass_changes_no_normal_signature() -> None:
    """The oracle adds these flags after some failures; other failures must not be affected."""
    dumped = text() + "// -----// IR Dump After FooPass Failed (foo) //----- //\n"
    names_pass = derive(classify(result(dumped)), Level.NORMAL, NoProbes(), names_pass=True)
    assert names_pass == signature(Level.NORMAL, text())


def test_a_crash_without_names_is_told_by_its_pass() -> None:
    stderr = "Stack dump:\n1.\tRunning pass '{}' on function '@f'\n"
    found = signature(Level.NORMAL, stderr.format("Select"), -11)
    assert found.text == "crash: SIGSEGV (pipeline Select)"


def test_a_crash_in_drivers_alone_says_so_and_takes_its_pass_and_offsets() -> None:
    """The functions of MLIR that dispatch do not tell bugs apart."""
    stack = """\
Stack dump:
 #0 0x555500001000 llvm::sys::RunSignalHandlers() (/b/mlir-opt+0x1000)
 #1 0x7fff00009000 (/lib/libc.so.6+0x9000)
 #2 0x555500002000 mlir::Operation::fold(llvm::ArrayRef<int>) (/b/mlir-opt+0x2000)
 #3 0x555500003000 Canonicalizer::runOnOperation() (/b/mlir-opt+0x3000)
 #4 0x555500004000 mlir::detail::OpToOpPassAdaptor::run(mlir::Pass*) (/b/mlir-opt+0x4000)
 #5 0x555500005000 mlir::splitAndProcessBuffer(llvm::StringRef) (/b/mlir-opt+0x5000)
"""
    found = signature(Level.NORMAL, stack, -11)
    assert found.text == (
        "crash: SIGSEGV (pipeline Canonicalizer) at mlir-opt+0x2000 < mlir-opt+0x3000, "
        "in no function of its own"
    )
    assert not found.names_functions
    assert signature(Level.NORMAL, stack.replace("Canonicalizer", "CSE"), -11) != found


def test_one_message_for_many_bugs_takes_the_operation_that_was_announced() -> None:
    stderr = "a.mlir:1:1: error: 'a.b' op destroyed while used\nLLVM ERROR: destroyed while used\n"
    assert signature(Level.NORMAL, stderr, -6).op == "a.b"


def test_an_operation_that_stands_for_another() -> None:
    stderr = (
        "a.mlir:1:1: error: failed to legalize operation 'torch.operator'\n"
        'a.mlir:1:1: note: see current operation: %0 = "torch.operator"(%1) <{name = "onnx.If"}>'
        " : () -> i1\n"
    )
    assert signature(Level.NORMAL, stderr).op == 'torch.operator "onnx.If"'


VERIFIER_CRASH = """Stack dump:
 #0 0x01 llvm::sys::PrintStackTrace() (/lib/libM.so+0x1)
 #1 0x02 (/lib/libc.so.6+0x2)
 #2 0x03 a::AddOp::verify() (/lib/libM.so+0x3)
 #3 0x04 mlir::verify(mlir::Operation*, bool) (/lib/libM.so+0x4)
 #4 0x05 {caller} (/lib/libM.so+0x5)
"""


def test_a_crash_of_the_verifier_belongs_to_the_pass_before_it() -> None:
    """The functions are those of the op that the pass left, whatever the pass."""
    text = VERIFIER_CRASH.format(caller="mlir::detail::OpToOpPassAdaptor::run()")
    probes = NoProbes()
    signature = derive(classify(result(text, -11)), Level.NORMAL, probes)
    assert (signature.pass_name, signature.frames) == ("FooPass", ("a::AddOp::verify",))
    assert probes.asked == 1


def test_a_crash_of_the_verifier_elsewhere_takes_no_further_run() -> None:
    text = VERIFIER_CRASH.format(caller="mlir::parseSourceFile()")
    probes = NoProbes()
    assert derive(classify(result(text, -11)), Level.NORMAL, probes).pass_name == ""
    assert probes.asked == 0
