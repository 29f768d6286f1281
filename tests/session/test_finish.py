"""From generic form to what people read, with a real printer and a failure that we choose."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oracles import Limits
from reducer.ir import Module
from reducer.search.evaluator import Evaluator
from reducer.session.conversions import Conversions
from reducer.session.finish import Finish
from reducer.session.journal import Journal
from reducer.session.normalise import Normaliser
from reducer.toolchain import Toolchain
from tests.support.predicate import FAILURE, Memory, PredicateOracle

pytestmark = pytest.mark.iree

PRETTY = """\
#map = affine_map<(d0) -> (d0)>
module {
  func.func @a_long_name(%arg0: tensor<4xf32>) {
    "t.op"(%arg0) {m = #map} : (tensor<4xf32>) -> ()
    return
  }
}
"""
NICE = """\
func.func @main(%a: tensor<4xf32>) {
  "t.op"(%a) {m = affine_map<(d0) -> (d0)>} : (tensor<4xf32>) -> ()
  return
}
"""

Finished = Callable[[Callable[[str], bool]], tuple[str, int]]


@pytest.fixture
def finished(iree_toolchain: Callable[..., Toolchain], tmp_path: Path) -> Iterator[Finished]:
    """A function from what fails to the text that is left, and the runs that it took."""
    normaliser = Normaliser(iree_toolchain().opt, Limits(120.0))
    generic = normaliser.generic(PRETTY)
    assert generic is not None
    module = Module.parse(generic)

    with Journal.open(tmp_path / "journal", identity={}, resume=False) as journal:

        def finish(fails: Callable[[str], bool]) -> tuple[str, int]:
            oracle = PredicateOracle(fails)
            evaluator = Evaluator(oracle, Memory())
            evaluator.wanted = FAILURE
            conversions = Conversions(normaliser, journal, lambda text: None)
            text = Finish(evaluator, conversions, lambda text: None).readable(module)
            evaluator.close()
            return text, len(oracle.texts)

        yield finish


def test_all_steps_cost_one_run(finished: Finished) -> None:
    assert finished(lambda text: True) == (NICE, 1)


def test_a_step_that_the_failure_does_not_survive_is_left_out(finished: Finished) -> None:
    with_name = NICE.replace("main", "a_long_name")
    assert finished(lambda text: "a_long_name" in text)[0] == with_name
    text, _ = finished(lambda text: "module {" in text)
    assert text.startswith("module {") and "@main" in text and "m = affine_map" in text
    assert finished(lambda text: "#map" in text)[0].startswith("#map = affine_map")


def test_what_fails_in_no_other_form_stays_generic(finished: Finished) -> None:
    assert finished(lambda text: '"func.func"' in text and "a_long_name" in text)[0].startswith(
        "#map = affine_map<(d0) -> (d0)>\n"
    )
