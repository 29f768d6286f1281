"""All local transformations, again and again, until none makes progress any more."""

from collections.abc import Callable, Sequence

from reducer.ir import D
from reducer.search.evaluator import digest_of
from reducer.search.state import State
from reducer.search.sweep import sweep
from reducer.transformations import Transformation


def reduce_to_fixpoint(
    state: State[D],
    transformations: Sequence[Transformation[D]],
    on_phase: Callable[[str], None],
) -> None:
    """Sweeps until every transformation has failed, site by site, on the same document.

    What is left is then 1-minimal with respect to these transformations. A transformation that
    made no progress is not swept again before the document has changed.
    """
    failed_on: dict[str, str] = {}
    swept: set[str] = set()
    while True:
        before = digest_of(state.document.text)
        for transformation in transformations:
            name = transformation.name
            if failed_on.get(name) == digest_of(state.document.text):
                continue
            on_phase(name)
            while sweep(state, transformation, fine=name in swept):
                swept.add(name)
            swept.add(name)
            failed_on[name] = digest_of(state.document.text)
        if digest_of(state.document.text) == before:
            return
