"""The first run: what it notes beside the failure."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.plant import plant
from oracles import Command, CompilerOracle, Limits, Outcome
from reducer.conversions import Conversions, key_of
from reducer.driver.settings import Settings
from reducer.driver.stages.early_stop import find_phase_number
from reducer.driver.stages.opening import FirstRun, first_run
from reducer.ir import PlainText
from reducer.search.judge import Judge
from reducer.storage.journal import Journal
from reducer.toolchain import Toolchain
from tests.conftest import WHEELS
from tests.support.corpus import Case
from tests.support.fake_compilers import write_script

FAIL = 'echo "input.mlir:1:1: error: no" >&2; exit 1'
TEXT = '"x.bad"() : () -> ()\n'


@pytest.fixture
def begin_with(tmp_path: Path) -> Iterator[Callable[[str, int], FirstRun]]:
    """A function from a script and the number of ops to what the first run of a text finds."""
    output, file = tmp_path / "out.mlir", tmp_path / "journal"
    settings = Settings(tmp_path / "in.mlir", TEXT, output=output, journal=file)
    with Journal.open(file, identity={}) as journal:
        conversions = Conversions(None, journal, print)

        def begin(body: str, ops: int) -> FirstRun:
            compiler = tmp_path / "iree-compile"
            if not compiler.exists():
                write_script(compiler, body)
            oracle = CompilerOracle(Command.parse(["iree-compile"]), compiler, limits=Limits(30.0))
            judge = Judge(oracle, journal)
            begun = first_run(
                judge, settings, print, ops=ops, conversions=conversions, steadied=None
            )
            find_phase_number(begun.judge, PlainText(TEXT), conversions.cached)
            judge.close()
            return begun

        yield begin


Begin = Callable[[str, int], FirstRun]


def test_what_was_asked_about_the_same_text_later_is_no_note(begin_with: Begin) -> None:
    """A small input notes nothing, and a resumed reduction must not know more than the first."""
    assert [begin_with(FAIL, 1).phase for _ in range(2)] == [None, None]


HELP = 'case "$*" in *help*) echo "  --dump-compilation-phases-to=<string> - To"; exit 0;; esac\n'
REFUSE = 'case "$*" in *--iree-hal-dump*) echo "Unknown argument" >&2; exit 2;; esac\n'


def test_a_release_without_a_flag_is_not_given_it(begin_with: Begin) -> None:
    begun = begin_with(HELP + REFUSE + FAIL, 500)
    assert begun.outcome.signature.template == "no"
    assert begun.phase == 0


@dataclass(frozen=True)
class Begun:
    """What the first run of a program has found, noted, and would have found without notes."""

    noted: FirstRun
    has_dispatches: bool
    alone: Outcome


@pytest.fixture
def begin(
    corpus: Callable[[str], Case], iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> Callable[..., Begun]:
    """Runs a case of the corpus in a few layers as if it had 500 ops."""

    def run_first(name: str, *flags: str) -> Begun:
        case = corpus(name)
        run = case.on(case.runs[0], WHEELS)
        assert run is not None
        text = plant(case.input_text(), 4)
        command = Command.parse(["iree-compile", *run.flags, *flags])
        oracle = CompilerOracle(command, iree_toolchain(run.wheel).compile, limits=Limits(120.0))
        file = tmp_path / "in.mlir"
        file.write_text(text)
        settings = Settings(
            file, text, output=tmp_path / "out.mlir", journal=tmp_path / "journal", file=file
        )
        with Journal.open(settings.journal, identity={}) as journal:
            conversions, judge = Conversions(None, journal, print), Judge(oracle, journal)
            noted = first_run(
                judge, settings, print, ops=500, conversions=conversions, steadied=None
            )
            judge.close()
            has_dispatches = journal.get_text(key_of("dispatches", text)) is not None
        return Begun(noted, has_dispatches, oracle.run(text))

    return run_first


@pytest.mark.iree
@pytest.mark.parametrize(
    ("flags", "has_dispatches"), [([], True), (["-mlir-print-debuginfo"], False)]
)
def test_a_large_input_notes_its_phase_and_its_dispatches(
    flags: list[str], has_dispatches: bool, begin: Callable[..., Begun]
) -> None:
    """A flag that the user gives cannot be given again."""
    begun = begin("complex-dot2-hip-segv", *flags)
    assert begun.noted.phase is not None
    assert begun.has_dispatches == has_dispatches
    assert begun.noted.outcome.signature == begun.alone.signature


@pytest.mark.iree
def test_an_error_in_a_dispatch_is_noted_at_the_op_of_the_input(
    begin: Callable[..., Begun],
) -> None:
    """A compiler that writes the dispatches says where in their files it is.

    These name the user's file, which a candidate is never called.
    """
    begun = begin("seed-21014-topk-bufferize-40")
    assert begun.noted.outcome.signature == begun.alone.signature
    noted, plain = (
        sorted(
            (error.file, error.line, error.message)
            for error in one.diagnostics
            if error.severity == "error"
        )
        for one in (begun.noted.outcome, begun.alone)
    )
    assert all(line for _, line, _ in noted) and noted == plain
