"""Measure how fast generic-form text is turned into an op table and a def-use graph.

    python -m benchmarks.ir_scale

Prints CPU seconds and peak memory for a module of about 100,000 ops and for the largest model in
the corpus. The goal is at most 2 s and 1 GB for 100,000 ops, with linear growth.
"""

import resource
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import click

from benchmarks.plant import plant
from oracles import Limits
from reducer.ir import Module
from reducer.ir.flow import def_use_graph
from reducer.session.conversions import OptPrinter
from reducer.toolchain import install
from tests.support.corpus import load_case

_TRIGGER = "cat-zero-width"
_LAYERS = (600, 6000)  # 17 ops each
_MODEL = "ds_real61_both_dyn"

T = TypeVar("T")


@click.command()
def main() -> None:
    """Print one row for each module."""
    normaliser = OptPrinter(install("3.13.0").opt, Limits(600.0))
    trigger = load_case(_TRIGGER).input_text()
    inputs = {f"{n} planted layers": plant(trigger, n) for n in _LAYERS}
    inputs[_MODEL] = load_case(_MODEL).input_text()
    click.echo(f"{'module':24}{'ops':>9}{'MB':>7}{'table s':>9}{'graph s':>9}{'peak MB':>9}")
    for name, text in inputs.items():
        generic = normaliser.generic(text)
        assert generic is not None
        module, table = _timed(partial(Module.parse, generic))
        _, graph = _timed(partial(def_use_graph, module))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        size = len(generic) / 1e6
        click.echo(f"{name:24}{len(module):>9,}{size:>7.1f}{table:>9.2f}{graph:>9.2f}{peak:>9,}")


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    """The result of `work`, and its CPU seconds."""
    started = time.process_time()
    result = work()
    return result, time.process_time() - started


if __name__ == "__main__":
    main()
