"""The first run: what it notes beside the failure."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.plant import plant
from oracles import Command, CompilerOracle, Limits
from reducer.ir import PlainText
from reducer.search.evaluator import Evaluator
from reducer.session.conversions import Conversions
from reducer.session.early_stop import find_phase_number
from reducer.session.first_run import first_run
from reducer.session.settings import Settings
from reducer.storage.journal import Journal
from reducer.toolchain import Toolchain
from tests.conftest import WHEELS
from tests.support.corpus import Case
from tests.support.fake_compilers import write_script

FAIL = 'echo "input.mlir:1:1: error: no" >&2; exit 1'
TEXT = '"x.bad"() : () -> ()\n'


class Silent:
    """Ignores the events of a reduction."""

    def phase(self, name: str) -> None: ...

    def progress(self, event: object) -> None: ...

    def message(self, text: str) -> None: ...


def test_what_was_asked_about_the_same_text_later_is_no_note(tmp_path: Path) -> None:
    """A small input notes nothing, and a resumed reduction must not know more than the first."""
    compiler = write_script(tmp_path / "iree-compile", FAIL)
    oracle = CompilerOracle(Command.parse(["iree-compile"]), compiler, limits=Limits(30.0))
    output = tmp_path / "out.mlir"
    settings = Settings(tmp_path / "in.mlir", TEXT, output=output, journal=tmp_path / "journal")
    with Journal.open(settings.journal, identity={}, resume=False) as journal:
        conversions = Conversions(None, journal, print)
        phases = []
        for _ in range(2):
            evaluator = Evaluator(oracle, journal)
            begun = first_run(
                evaluator, settings, Silent(), ops=1, conversions=conversions, steadied=None
            )
            phases.append(begun.phase)
            find_phase_number(begun.evaluator, PlainText(TEXT), conversions.cached)
            evaluator.close()
    assert phases == [None, None]


HELP = 'case "$*" in *help*) echo "  --dump-compilation-phases-to=<string> - To"; exit 0;; esac\n'
REFUSE = 'case "$*" in *--iree-hal-dump*) echo "Unknown argument" >&2; exit 2;; esac\n'


def test_a_release_without_a_flag_is_not_given_it(tmp_path: Path) -> None:
    compiler = write_script(tmp_path / "iree-compile", HELP + REFUSE + FAIL)
    oracle = CompilerOracle(Command.parse(["iree-compile"]), compiler, limits=Limits(30.0))
    output = tmp_path / "out.mlir"
    settings = Settings(tmp_path / "in.mlir", TEXT, output=output, journal=tmp_path / "journal")
    with Journal.open(settings.journal, identity={}, resume=False) as journal:
        conversions, evaluator = Conversions(None, journal, print), Evaluator(oracle, journal)
        begun = first_run(
            evaluator, settings, Silent(), ops=500, conversions=conversions, steadied=None
        )
        evaluator.close()
    assert begun.outcome.signature.template == "no"
    assert begun.phase == 0


@pytest.mark.iree
@pytest.mark.parametrize(("flag", "has_dispatches"), [("", True), ("-mlir-print-debuginfo", False)])
def test_a_large_input_notes_its_phase_and_its_dispatches(
    flag: str,
    has_dispatches: bool,
    corpus: Callable[[str], Case],
    iree_toolchain: Callable[..., Toolchain],
    tmp_path: Path,
) -> None:
    """A flag that the user gives cannot be given again."""
    case = corpus("complex-dot2-hip-segv")
    run = case.on(case.runs[0], WHEELS)
    assert run is not None
    text = plant(case.input_text(), 4)
    command = Command.parse(["iree-compile", *run.flags, *flag.split()])
    oracle = CompilerOracle(command, iree_toolchain(run.wheel).compile, limits=Limits(120.0))
    output = tmp_path / "out.mlir"
    settings = Settings(tmp_path / "in.mlir", text, output=output, journal=tmp_path / "journal")
    with Journal.open(settings.journal, identity={}, resume=False) as journal:
        conversions, evaluator = Conversions(None, journal, print), Evaluator(oracle, journal)
        begun = first_run(
            evaluator, settings, Silent(), ops=500, conversions=conversions, steadied=None
        )
        assert begun.phase is not None
        assert (conversions.known("dispatches", text) is not None) == has_dispatches
        assert begun.outcome.signature == oracle.run(text).signature
        evaluator.close()


@pytest.mark.iree
def test_an_error_in_a_dispatch_is_noted_at_the_op_of_the_input(
    corpus: Callable[[str], Case], iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    """A compiler that writes the dispatches says where in their files it is."""
    case = corpus("seed-21014-topk-bufferize-40")
    run = case.on(case.runs[0], WHEELS)
    assert run is not None
    text = plant(case.input_text(), 4)
    command = Command.parse(["iree-compile", *run.flags])
    oracle = CompilerOracle(command, iree_toolchain(run.wheel).compile, limits=Limits(120.0))
    settings = Settings(
        tmp_path / "in.mlir", text, output=tmp_path / "out.mlir", journal=tmp_path / "journal"
    )
    with Journal.open(settings.journal, identity={}, resume=False) as journal:
        conversions, evaluator = Conversions(None, journal, print), Evaluator(oracle, journal)
        begun = first_run(
            evaluator, settings, Silent(), ops=500, conversions=conversions, steadied=None
        )
        evaluator.close()
    alone = oracle.run(text)
    assert begun.outcome.signature == alone.signature
    noted, plain = (
        [(error.line, error.message) for error in one.diagnostics if error.severity == "error"]
        for one in (begun.outcome, alone)
    )
    assert all(line for line, _ in noted) and sorted(noted) == sorted(plain)
