"""Numbers as failures: measured for a command and its reference, and compared.

A number counts in one part, such as a pass, which is that of the input; noise never decides.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Limits
from oracles.metrics.metric import METRICS, UnknownMetric, metric_named
from oracles.metrics.oracle import MetricOracle, Reference
from oracles.signature.kind import Kind
from tests.support.in_process import Answer, Programs, Run
from tests.support.opt_tools import CONTRACT, find_opt

PROGRAM = "a.mul\na.mul\na.add\n"


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> Programs:
    return Programs(monkeypatch)


def unrolling(by: int) -> Callable[[Run], Answer]:
    """A compiler that makes so many ops of each `a.mul` in the pass `unroll`."""

    def compiler(run: Run) -> Answer:
        if "error" in run.text:
            return Answer(1, "input.mlir:1:1: error: no\n")
        muls, adds = run.text.count("a.mul"), run.text.count("a.add")
        folder = next((Path(one.partition("=")[2]) for one in run.words if "tree-dir" in one), None)
        for number, (name, ops) in enumerate(
            [
                ("parse", muls + adds),
                ("unroll", by * muls + adds),
                ("iree-op-pipeline-adaptor", by * muls + adds),  # it has run the last one
                ("cse", by * muls + adds),
            ]
        ):
            if folder is not None:
                path = folder / "builtin_module_no-symbol-name" / f"{number}_{name}.mlir"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text('"x"()\n' * (ops + 1), encoding="utf-8")
        return Answer(cpu=0.2 + 0.1 * by * muls)

    return compiler


def oracle(
    place: Path,
    programs: Programs,
    by: int = 10,
    metric: str = "ir-size",
    text: str = PROGRAM,
    factor: float | None = None,
    number: float | None = None,
) -> MetricOracle:
    """An oracle that compares a compiler that unrolls `by` times with one that does so twice."""
    new = programs.add(place / "new-opt", unrolling(by))
    old = programs.add(place / "old-opt", unrolling(2))
    command = Command.parse([str(new), "{}"])
    reference = Reference(
        "old" if number is None else str(number),
        number,
        None if number is not None else lambda inner: CompilerOracle(inner.command, old),
    )
    inner = CompilerOracle(command, new, limits=Limits(60.0))
    return MetricOracle(
        metric_named(metric), inner, reference, text, by=factor, shown=lambda name: ["check", name]
    )


def test_the_signature_is_the_pass_in_which_it_is_worse(tmp_path: Path, programs: Programs) -> None:
    judge = oracle(tmp_path, programs)
    outcome = judge.run(PROGRAM)
    assert judge.wants(outcome)
    assert outcome.signature.text == "metric: ir-size worse than old (pipeline unroll)"
    assert dict(outcome.numbers) == pytest.approx(
        {"value": 22, "reference": 6, "ratio": 22 / 6, "factor": 2.94}
    )
    assert outcome.remarks == ("ir-size: 22 ops after unroll, 3.67 times the 6 ops with old",)


@pytest.mark.parametrize(
    ("text", "is_worse"),
    [
        ("a.mul\na.mul\n", True),
        ("a.mul\n", True),
        ("a.add\n", False),
        ("a.mul\n" + "a.add\n" * 5, False),  # less than four fifths of the ratio
        ("error\n", False),
    ],
)
def test_four_fifths_of_the_ratio_are_kept(
    tmp_path: Path, programs: Programs, text: str, is_worse: bool
) -> None:
    judge = oracle(tmp_path, programs)
    assert judge.wants(judge.run(text)) is is_worse


Pipeline = Sequence[tuple[str, int]]
"""Passes, and how many ops there are after each."""


@pytest.mark.parametrize(
    ("new", "old", "remark"),
    [
        (  # it leaves more ops than before, since it gets more
            [("cse", 3), ("unroll", 30), ("fold", 30)],
            [("cse", 3), ("fold", 3), ("unroll", 30)],
            "30 ops at the end, 1.00 times the 30 ops with old",
        ),
        (  # another pass has done the work, which is less in the end
            [("cse", 3), ("vectors", 424), ("llvm", 768)],
            [("cse", 3), ("vectors", 31), ("lower", 400), ("llvm", 977)],
            "768 ops at the end, 0.79 times the 977 ops with old",
        ),
        (  # the last one is the worst by its quotient, and makes the program smaller
            [("cse", 40), ("vectors", 373), ("affine", 591), ("func_func_f/erase", 586)],
            [("cse", 40), ("vectors", 45), ("affine", 72), ("func_func_f/erase", 40)],
            "373 ops after vectors, 8.29 times the 45 ops with old",
        ),
        (  # of another name there
            [("cse", 40), ("affine", 400), ("llvm", 500)],
            [("cse", 40), ("lower-affine", 50), ("llvm", 100)],
            "400 ops after affine, 8.00 times the 50 ops with old",
        ),
        (  # what it does is undone
            [("cse", 3), ("unroll", 300), ("roll", 3)],
            [("cse", 3), ("unroll", 3), ("roll", 3)],
            "3 ops at the end, 1.00 times the 3 ops with old",
        ),
        (  # only functions are written
            [("func_func_f/unroll", 300)],
            [("func_func_f/unroll", 3)],
            "300 ops after unroll of func_func_f, 100 times the 3 ops with old",
        ),
        (  # no pass adds more than there
            [("cse", 30), ("fold", 20)],
            [("cse", 30), ("fold", 10)],
            "20 ops at the end, 2.00 times the 10 ops with old",
        ),
    ],
)
def test_the_pass_at_fault_adds_ops_that_stay(
    tmp_path: Path, programs: Programs, new: Pipeline, old: Pipeline, remark: str
) -> None:
    def running(passes: Pipeline) -> Callable[[Run], Answer]:
        def compiler(run: Run) -> Answer:
            folder = (
                Path(next(w.partition("=")[2] for w in run.words if "tree-dir" in w))
                / "a_no-symbol-name"
            )
            folder.mkdir(parents=True)
            for number, (name, ops) in enumerate(passes):
                path = (folder / name).with_name(f"{number}_{Path(name).name}.mlir")
                path.parent.mkdir(exist_ok=True)
                path.write_text('"x"()\n' * ops)
            return Answer()

        return compiler

    one = programs.add(tmp_path / "new-opt", running(new))
    other = programs.add(tmp_path / "old-opt", running(old))
    inner = CompilerOracle(Command.parse([str(one), "{}"]), one)
    reference = Reference("old", of=lambda inner: CompilerOracle(inner.command, other))
    judge = MetricOracle(metric_named("ir-size"), inner, reference, "x", shown=lambda name: [])
    outcome = judge.run("x")
    assert outcome.remarks == (f"ir-size: {remark}",)
    assert judge.wants(outcome) is (dict(outcome.numbers)["ratio"] > 1)


def test_a_given_factor_is_enough(tmp_path: Path, programs: Programs) -> None:
    judge = oracle(tmp_path, programs, factor=1.5)
    assert judge.wants(judge.run("a.mul\n" + "a.add\n" * 5))
    assert not judge.wants(judge.run("a.add\n"))


def test_an_equal_compiler_is_not_worse(tmp_path: Path, programs: Programs) -> None:
    judge = oracle(tmp_path, programs, by=2)
    outcome = judge.run(PROGRAM)
    assert outcome.succeeded
    assert outcome.exit_code == 0
    assert dict(outcome.numbers)["ratio"] == 1.0


def test_a_number_is_a_reference(tmp_path: Path, programs: Programs) -> None:
    judge = oracle(tmp_path, programs, number=10)
    assert judge.run(PROGRAM).remarks == ("ir-size: 22 ops after unroll, 2.20 times 10 ops",)
    assert not judge.wants(judge.run("a.add\n"))


def test_the_printed_command_asks_for_the_same_part(tmp_path: Path, programs: Programs) -> None:
    judge = oracle(tmp_path, programs)
    words = judge.display("x.mlir")
    asked = ["--metric", "ir-size:unroll", "--worse-than", "old", "--by", "2.94"]
    assert words[:-3] == ["check", "x.mlir", *asked]
    again = oracle(tmp_path, programs, metric="ir-size:unroll", factor=2.94)
    assert again.run(PROGRAM).signature == judge.run(PROGRAM).signature


def test_another_command_is_asked_for_the_same_part(tmp_path: Path, programs: Programs) -> None:
    judge = oracle(tmp_path, programs)
    found = judge.run(PROGRAM)
    other = judge.with_command(judge.command.with_flags(["--flag", "{}"]))
    assert other.run("a.mul\n").signature == found.signature
    assert other.key != judge.key


def test_what_does_not_compile_is_not_measured(tmp_path: Path, programs: Programs) -> None:
    outcome = oracle(tmp_path, programs).run("error\n")
    assert outcome.succeeded
    assert outcome.exit_code == 1
    assert outcome.remarks[0] == "not measured: the command fails on it"


def test_a_part_that_the_reference_does_not_have_is_no_zero(
    tmp_path: Path, programs: Programs
) -> None:
    """A smaller program would be infinitely worse in a pass that the reference does not run."""
    judge = oracle(tmp_path, programs)
    assert judge.wants(judge.run(PROGRAM))
    programs.add(tmp_path / "old-opt", lambda run: Answer())
    outcome = judge.run("a.mul\n")
    assert not judge.wants(outcome)
    assert outcome.remarks == ("not measured: old has no unroll",)


def test_all_digits_of_a_factor_are_printed(tmp_path: Path, programs: Programs) -> None:
    printed = oracle(tmp_path, programs, factor=1.23456789).display("in.mlir")
    assert printed[printed.index("--by") + 1] == "1.23456789"


def test_little_counts_as_the_least(tmp_path: Path, programs: Programs) -> None:
    outcome = oracle(tmp_path, programs, number=0.5).run(PROGRAM)
    assert outcome.remarks[0].endswith("22.00 times 0.5 ops (less than 1 op counts as that)")


def test_nothing_is_a_reference(tmp_path: Path, programs: Programs) -> None:
    assert oracle(tmp_path, programs, number=0).run(PROGRAM).remarks == (
        "ir-size: 22 ops after unroll, more than 0",
    )
    assert (
        "1 op at the end, 1.00 times 0 ops"
        in oracle(tmp_path, programs, number=0, text="").run("").remarks[0]
    )


def test_time_is_measured_above_an_empty_module(tmp_path: Path, programs: Programs) -> None:
    """0.2 s of each run are no work on the program."""
    judge = oracle(tmp_path, programs, metric="compile-time")
    outcome = judge.run(PROGRAM)
    assert judge.wants(outcome)
    numbers = dict(outcome.numbers)
    assert numbers["value"] == pytest.approx(2.0)
    assert numbers["reference"] == pytest.approx(0.4)
    assert numbers["pairs"] == 3
    explained = judge.explained(outcome)
    assert "ir-size: 22 ops after unroll" in explained.remarks[-1]


def test_a_hang_is_a_hang(tmp_path: Path, programs: Programs) -> None:
    judge = oracle(tmp_path, programs, by=1000)
    outcome = judge.run(PROGRAM, limits=Limits(cpu=1.0))
    assert outcome.kind is Kind.TIMEOUT
    assert outcome.remarks == ("not measured: the command reaches the time limit",)
    assert not judge.wants(outcome)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("speed", "there is no metric 'speed'; there are ir-size, rewrites, "),
        ("asm", "the metric 'asm' needs a regular expression"),
    ],
)
def test_an_unknown_metric(spec: str, said: str) -> None:
    with pytest.raises(UnknownMetric, match=re.escape(said)):
        metric_named(spec)


def test_a_tool_without_the_flags() -> None:
    with pytest.raises(UnknownMetric, match="mlir-opt has no flag that shows dispatches"):
        METRICS["dispatches"].flags_for("mlir-opt")
    with pytest.raises(UnknownMetric, match="iree-compile has no flag that shows rewrites"):
        METRICS["rewrites"].flags_for("iree-compile")


LOWERING = "--convert-vector-to-llvm=vector-contract-lowering="


@pytest.mark.live
@pytest.mark.parametrize(
    ("metric", "words", "remark"),
    [
        (
            "ir-size",
            [f"{LOWERING}dot"],
            r"ir-size: \d+ ops after convert-vector-to-llvm, ",
        ),
        ("rewrites", ["--canonicalize"], r"rewrites: apply-pattern \d+, "),
        ("peak-memory", ["--cse"], r"peak-memory: \d+\.\d\d MB, .* pairs[;)]"),
        ("pass-time", ["--cse"], r"pass-time: \d+\.\d+ m?s in CSE"),
    ],
)
def test_a_real_tool(metric: str, words: Sequence[str], remark: str) -> None:
    tool = find_opt()
    inner = CompilerOracle(Command.parse([str(tool), *words, "{}"]), tool)
    judge = MetricOracle(
        metric_named(metric), inner, Reference("1", 1.0), CONTRACT, by=1.1, shown=lambda name: []
    )
    assert re.match(remark, judge.run(CONTRACT).remarks[0])
