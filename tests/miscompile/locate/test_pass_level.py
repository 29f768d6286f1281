"""The second reproducer of a wrong result of passes. These tests run LLVM's real `mlir-opt`."""

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial, partialmethod
from pathlib import Path
from typing import Any

import pytest

from oracles import Command, Outcome
from oracles.signature.kind import Kind
from reducer.cli.request.wrong_results import pipeline_comparison
from reducer.driver.reduction import reduce_in
from reducer.driver.settings import Listener
from reducer.driver.stages.second_program import First, PassReport
from reducer.miscompile.locate.pass_level import WRONG_PASS
from reducer.miscompile.oracle import ValuesOracle
from reducer.storage.result_folder import ResultFolder
from tests.support.evaluator import quick_evaluator as quick_evaluator
from tests.support.opt_tools import find_opt
from tests.support.silent import Silent

pytestmark = pytest.mark.usefixtures("one_size")

RAISE, HOIST = "-affine-raise-from-memref", "-affine-loop-invariant-code-motion"
STORE = """\
func.func @main(%a: i32, %b: memref<i32>) {
  affine.for %c = 0 to 0 {
    memref.store %a, %b[] : memref<i32>
  }
  return
}
"""
"""https://github.com/llvm/llvm-project/issues/128273, once the store is one of affine."""


def oracle_of(text: str, *flags: str) -> ValuesOracle:
    opt = find_opt()
    command = Command.parse([opt.name, *flags])
    return ValuesOracle(
        pipeline_comparison(command, opt, ()),
        text,
        shown=lambda name, shown: ["check", name, "--", *shown.argv[:1], *shown.flags],
    )


class Messages(Silent):
    """Remembers what a user is told."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def message(self, text: str) -> None:
        self.heard.append(text)


def second(
    folder: Path,
    *flags: str,
    calls: int = 60,
    stop: threading.Event | None = None,
    listener: Listener | None = None,
) -> tuple[PassReport | None, Path]:
    oracle = oracle_of(STORE, *flags)
    target = oracle.run(STORE).signature
    assert target.kind is Kind.MISCOMPILE
    first = First(
        STORE,
        folder / "r.mlir",
        oracle,
        target,
        listener or Silent(),
        stop or threading.Event(),
        reduce_in,
        calls=calls,
        journal=folder / "journal",
    )
    report = WRONG_PASS.of(first)
    return report, ResultFolder.of(folder / "r.mlir").before_pass


def test_the_module_before_the_wrong_pass(tmp_path: Path) -> None:
    report, file = second(tmp_path, RAISE, HOIST, "-cse", calls=8)
    assert report is not None
    assert (report.pass_name, report.pipeline) == (HOIST[1:], HOIST[1:])
    assert (report.verified, report.same_program) == (True, False)
    assert report.failure == "miscompile: wrong values"
    tool = find_opt().name
    assert report.command == ("check", str(file), "--", tool, HOIST)
    run, level, unfinished, *program, error = file.read_text().splitlines()
    assert run == f"// RUN: {tool} {HOIST} %s"
    assert level.endswith(f"reached from the input-level reproducer by: {tool} {RAISE} r.mlir")
    assert unfinished.startswith("// not fully reduced")
    assert "affine.store" in "".join(program)
    assert "memref.store" not in "".join(program)
    assert error.startswith("// error: result 0, element 0: 5, expected 0 (wrong values)")
    assert oracle_of(file.read_text(), HOIST).run(file.read_text()).kind is Kind.MISCOMPILE
    assert oracle_of(STORE, HOIST).run(STORE).kind is Kind.SUCCESS


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Kind.DISAGREEMENT, None),
        (Kind.SUCCESS, "no difference was seen"),
        (Kind.CRASH, "there is another failure: crash: wrong values"),
        (Kind.UNDECIDED, "nothing can tell whether it is wrong"),
    ],
)
def test_what_is_seen_of_the_pass_alone_is_said(
    kind: Kind, said: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the module that a pass receives, fewer can judge the results than on the input."""

    def seen(run: Callable[..., Outcome], oracle: ValuesOracle, *args: Any, **options: Any) -> Any:
        outcome = run(oracle, *args, **options)
        alone = oracle.command is not None and oracle.command.flags == (HOIST,)
        if not alone or outcome.kind is not Kind.MISCOMPILE:
            return outcome
        return replace(outcome, kind=kind, signature=replace(outcome.signature, kind=kind))

    for name in ("run", "confirm"):
        method = getattr(ValuesOracle, name)
        monkeypatch.setattr(ValuesOracle, name, partialmethod(partial(seen, method)))
    messages = Messages()
    report, file = second(tmp_path, RAISE, HOIST, calls=5, listener=messages)
    assert (report is not None) is file.exists() is (said is None)
    assert not any("not wrong" in one for one in messages.heard)
    if said is not None:
        where = f"with {HOIST[1:]} alone, on the module that it receives,"
        (heard,) = messages.heard
        assert heard.startswith(f"no pass-level reproducer: {where} {said}")
    elif report is not None:
        assert report.failure == "disagreement: wrong values"
        assert file.read_text().splitlines()[1].startswith("// a disagreement, cut from the IR ")


@pytest.mark.parametrize("calls", [0, 2])
def test_a_budget_that_is_spent_leaves_nothing(tmp_path: Path, calls: int) -> None:
    report, file = second(tmp_path, RAISE, HOIST, calls=calls)
    assert report is None
    assert not file.exists()


def test_an_interruption_leaves_nothing(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    report, file = second(tmp_path, RAISE, HOIST, stop=stop)
    assert report is None
    assert not file.exists()


def test_a_command_of_one_pass_needs_no_second_program(tmp_path: Path) -> None:
    text = STORE.replace("memref.store", "affine.store")
    oracle = oracle_of(text, HOIST)
    target, stop = oracle.run(text).signature, threading.Event()
    first = First(text, tmp_path / "r.mlir", oracle, target, Silent(), stop, reduce_in)
    report = WRONG_PASS.of(first)
    assert report is not None
    assert (report.pass_name, report.same_program) == (HOIST[1:], True)
    assert report.costs.calls == 0
    assert not ResultFolder.of(tmp_path / "r.mlir").before_pass.exists()
