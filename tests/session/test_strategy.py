"""The stages of a reduction, with oracles whose drift we choose."""

import threading
from pathlib import Path

import pytest

from oracles import Kind, Limits, Outcome, Signature
from reducer.ir import Module
from reducer.search.evaluator import Evaluator
from reducer.session import strategy
from reducer.session.best import Best
from reducer.session.conversions import Conversions
from reducer.session.sanity import SanityChecks
from reducer.session.settings import Size
from reducer.session.strategy import ReductionStrategy
from reducer.storage.journal import Journal
from reducer.transformations import BodyOps
from tests.support.predicate import PredicateOracle
from tests.support.sides import function

TENSOR = "tensor<4xf32>"


class ShortenedOracle(PredicateOracle):
    """An oracle with a shortened form that fails on more programs than it does itself."""

    def __init__(self, name: str, *, shortened_name: str) -> None:
        super().__init__(lambda text: name in text)
        self.short = PredicateOracle(lambda text: shortened_name in text)
        self.short.key = "shortened"

    def shortened(self) -> list[PredicateOracle]:
        return [self.short]


class HangingOracle(PredicateOracle):
    """Takes for ever with one op, and three seconds with any of the others; none of it is waited.

    What is slow must not be taken for what does not end, as soon as the limit is below that.
    """

    limits = Limits(seconds=2.0)

    def __init__(self, endless: str, slow: str) -> None:
        super().__init__(lambda text: endless in text)
        self.slow = slow

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        assert isinstance(text, str) and limits is not None and limits.seconds is not None
        self.texts.append(text)
        takes = 1e9 if self.fails(text) else 3.0 if self.slow in text else 0.0
        kind = Kind.TIMEOUT if takes > limits.seconds else Kind.SUCCESS
        return Outcome(kind, Signature(kind, "", "", "", ()), None, takes, takes, 0, (), "")


def chain(length: int) -> str:
    ops = [f'%{i + 1} = "t.op{i}"(%{i}) : ({TENSOR}) -> {TENSOR}' for i in range(length)]
    body = "\n".join(ops).replace("(%0)", "(%arg0)")
    body += f'\n"func.return"(%{length}) : ({TENSOR}) -> ()'
    return function(body, arguments=f"%arg0: {TENSOR}", results=TENSOR)


def reduce(oracle: PredicateOracle, folder: Path, length: int = 40) -> tuple[Best, list[str]]:
    text = chain(length)
    module = Module.parse(text)
    notes: list[str] = []
    with Journal.open(folder / "journal", identity={}, resume=False) as journal:
        evaluator = Evaluator(oracle, journal)
        first = oracle.run(text, limits=oracle.limits)
        evaluator.target = first.signature
        best = Best(folder / "out.mlir", journal, module, Size.of(module))
        conversions = Conversions(None, journal, notes.append)
        sanity = SanityChecks(evaluator, text, module.op_count)
        stages = ReductionStrategy(
            text, evaluator, best, conversions, sanity, lambda phase: None, notes.append
        )
        stages.reduce(module, first)
        evaluator.close()
    return best, notes


@pytest.mark.parametrize("shortened", ['"t.op7"', '"t.op'])
def test_what_the_shortened_command_accepts_is_confirmed(tmp_path: Path, shortened: str) -> None:
    oracle = ShortenedOracle('"t.op7"', shortened_name=shortened)
    best, notes = reduce(oracle, tmp_path)
    assert isinstance(best.confirmed, Module)
    assert not best.is_provisional
    names = [best.confirmed.t.name[body_op] for body_op in BodyOps.of(best.confirmed).ops]
    assert names == ["t.op7"]
    drifted = shortened != '"t.op7"'
    assert bool(notes) == drifted
    if not drifted:
        assert len(oracle.texts) < len(oracle.short.texts), "most runs should be short ones"


def test_what_is_slow_is_not_taken_for_what_hangs(tmp_path: Path) -> None:
    """The ops in the middle are halved towards: all but one of them are only slow."""
    best, notes = reduce(HangingOracle('"t.op37"', '"t.op'), tmp_path)
    assert isinstance(best.confirmed, Module)
    names = [best.confirmed.t.name[body_op] for body_op in BodyOps.of(best.confirmed).ops]
    assert names == ["t.op37"]
    assert notes == ["slow runs were mistaken for hangs; raising the time limit by a factor of 4"]


def test_a_plain_hang_costs_no_second_search(tmp_path: Path) -> None:
    best, notes = reduce(HangingOracle('"t.op37"', "nothing"), tmp_path)
    assert '"t.op37"' in best.confirmed.text
    assert notes == []


def test_the_file_on_disk_fails_at_every_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    oracle = ShortenedOracle('"t.op7"', shortened_name='"t.op')
    saved: list[str] = []
    monkeypatch.setattr(Best, "_save", lambda self, text: saved.append(text))
    reduce(oracle, tmp_path)
    assert len(saved) > 1
    assert all(oracle.fails(text) for text in saved)


def test_halves_that_are_healthy_are_not_run_again_by_the_shortened_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strategy, "_TOO_LARGE_TO_REPEAT", 350)  # so that the full command halves
    oracle = ShortenedOracle('"t.op1"', shortened_name='"t.op1"')
    oracle.fails = oracle.short.fails = lambda text: all(f'"t.op{n}"' in text for n in (1, 398))
    reduce(oracle, tmp_path, 400)
    healthy = {text for text in oracle.texts if not oracle.fails(text)}
    assert len(healthy) >= 3
    assert healthy.isdisjoint(oracle.short.texts)
