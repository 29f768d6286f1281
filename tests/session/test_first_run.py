"""The first run: what it notes beside the failure."""

from pathlib import Path

from oracles import Command, CompilerOracle, Limits
from reducer.ir import PlainText
from reducer.search.evaluator import Evaluator
from reducer.session.conversions import Conversions
from reducer.session.early_stop import find_phase_number
from reducer.session.first_run import first_run
from reducer.session.settings import Settings
from reducer.storage.journal import Journal
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
