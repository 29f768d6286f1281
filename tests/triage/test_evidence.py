from pathlib import Path

import pytest

from oracles import Kind, Signature
from reducer.triage.bugs import reproducers
from reducer.triage.evidence import RecordedEvidence
from reducer.triage.flags_file import EVERYTHING
from reducer.triage.plan import Plan
from tests.support.triages import SUCCESS, Records, failure, release

BUG, OTHER, THIRD = failure("bug"), failure("other"), failure("third")
OLD, NEW = "3.8.0", "3.13.0"


class Bench:
    """Results of inputs on two compilers, without flags."""

    def __init__(self, folder: Path) -> None:
        self.records = Records(folder)
        self.records.result("a", OLD, BUG)
        compilers = (release(OLD), release(NEW))
        self.new = self.records.store.compiler(compilers[1])
        plan = Plan(compilers, EVERYTHING, (), "/", lambda flags, compiler: flags)
        self.evidence = RecordedEvidence(self.records.store, plan)

    def dissents(self) -> bool:
        return self.evidence.dissents(BUG.bucket, self.new, {BUG.bucket, OTHER.bucket})


def test_a_reproducer_on_another_compiler(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    digest = bench.records.reproducer(BUG.bucket, "a", OLD, "text")
    known = reproducers(bench.records.database)[BUG.bucket]
    assert bench.evidence.crossed(known, bench.new) is None
    bench.records.result(digest, NEW, OTHER, file=False)
    assert bench.evidence.crossed(known, bench.new) == OTHER.bucket
    assert bench.evidence.crossed(known, 99) is None  # not a compiler of this run


@pytest.mark.parametrize(
    ("signature", "dissents"),
    [
        (BUG, False),
        (OTHER, False),
        (THIRD, True),
        (SUCCESS, True),
        (Signature(Kind.INVALID_INPUT), False),
        (Signature(Kind.TIMEOUT), False),
    ],
)
def test_what_an_input_says(tmp_path: Path, signature: Signature, dissents: bool) -> None:
    bench = Bench(tmp_path)
    assert not bench.dissents()  # it was never run there
    bench.records.result("a", NEW, signature)
    assert bench.dissents() is dissents


def test_what_happens_under_other_flags_says_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.records.result("a", NEW, THIRD, "--x")
    assert not bench.dissents()
