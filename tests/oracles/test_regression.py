"""A second compiler that must accept the failing candidate."""

import threading
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Kind, Limits
from oracles.regression import RegressionGuard

LIMITS = Limits(seconds=20)


def compiler(folder: Path, name: str, script: str) -> CompilerOracle:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return CompilerOracle(Command.parse([name]), program, limits=LIMITS)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("bug", Kind.OTHER_ERROR), ("bug broken", Kind.SUCCESS)],
)
def test_what_the_good_one_turns_away_is_not_interesting(
    tmp_path: Path, text: str, kind: Kind
) -> None:
    bad = compiler(tmp_path, "bad", 'echo "input.mlir:1:1: error: it fails" >&2; exit 1')
    good = compiler(
        tmp_path,
        "good",
        f'echo run >> {tmp_path}/runs\nif grep -q broken "$1"; then exit 1; fi',
    )
    regression = RegressionGuard("1.0", good)
    outcome = bad.run(text)
    runs = []
    for _ in range(2):
        reviewed = regression.review(text, outcome, cancel=threading.Event(), limits=LIMITS)
        assert reviewed.kind is kind
        assert reviewed.cpu_seconds >= outcome.cpu_seconds
        runs.append((tmp_path / "runs").read_text())
    assert runs[0] == runs[1], "the same text is asked about once"


def test_a_review_can_be_cancelled(tmp_path: Path) -> None:
    good = compiler(tmp_path, "good", "sleep 60")
    bad = compiler(tmp_path, "bad", "exit 1")
    cancel = threading.Event()
    cancel.set()
    reviewed = RegressionGuard("1.0", good).review("x", bad.run("x"), cancel=cancel, limits=LIMITS)
    assert reviewed.kind is Kind.CANCELLED


def test_the_good_one_may_take_longer_than_the_one_that_fails(tmp_path: Path) -> None:
    good = compiler(tmp_path, "good", "sleep 1")
    bad = compiler(tmp_path, "bad", 'echo "input.mlir:1:1: error: it fails" >&2; exit 1')
    short, outcome = Limits(seconds=0.2), bad.run("x")
    for allowed, kind in ((None, Kind.SUCCESS), (LIMITS, Kind.OTHER_ERROR)):
        regression = RegressionGuard("1.0", good)
        if allowed is not None:
            regression.allow(allowed)
        reviewed = regression.review("x", outcome, cancel=threading.Event(), limits=short)
        assert reviewed.kind is kind
