"""Measure what it takes to get from generic-form text to the first candidate.

    python -m benchmarks.ir_scale

Prints processor seconds and peak memory for a module of about 100,000 ops, for the largest model in
the corpus, and for that model sixteen times, with a million ops. Each is measured in a process of
its own. The goal is at most 20 s for a million ops, with linear growth, and at most four times the
memory of the text.
"""

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import click

from benchmarks.plant import plant
from oracles import Limits
from reducer.conversions import OptPrinter
from reducer.ir import Module
from reducer.ir.flow import def_use_graph
from reducer.search.candidate import Candidate
from reducer.search.judge import Judge
from reducer.search.sampling import sample
from reducer.search.state import SearchState
from reducer.toolchain import install
from reducer.transformations import BoundaryTypes
from tests.support.corpus import load_case
from tests.support.predicate import FAILURE, Memory, PredicateOracle

_TRIGGER = "cat-zero-width"
_LAYERS = (600, 6000)  # 17 ops each
_MODEL = "ds_real61_both_dyn"
_TIMES = 16

T = TypeVar("T")


@click.command()
@click.argument("files", nargs=-1, type=click.Path(exists=True, path_type=Path))
def main(files: tuple[Path, ...]) -> None:
    """Print one row for each module: those in FILES, in generic form, or the usual ones."""
    if files:
        for path in files:
            _measure(path)
        return
    normalizer = OptPrinter(install("3.13.0").opt, Limits(600.0))
    trigger = load_case(_TRIGGER).input_text()
    inputs = {f"{n} planted layers": plant(trigger, n) for n in _LAYERS}
    inputs[_MODEL] = load_case(_MODEL).input_text()
    click.echo(
        f"{'module':28}{'ops':>10}{'MB':>7}{'table s':>9}{'graph s':>9}{'first s':>9}{'peak MB':>9}"
        f"{'x text':>8}"
    )
    with tempfile.TemporaryDirectory() as place:
        for name, text in inputs.items():
            generic = normalizer.generic(text)
            assert generic is not None
            _in_own_process(Path(place) / name, generic)
            if name == _MODEL:
                large = repeated(generic, _TIMES)
                _in_own_process(Path(place) / f"{_MODEL}, {_TIMES} times", large)


def repeated(generic: str, times: int) -> str:
    """A module with the symbols of another one that many times, under new names."""
    head, _, body = generic.partition("\n")
    end = body.rstrip().rfind("\n") + 1
    copies = (
        re.sub(r'(sym_name = "|@(?=[\w"]))', rf"\g<1>r{copy}_", body[:end]) for copy in range(times)
    )
    return "".join([head, "\n", *copies, body[end:]])


def _in_own_process(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    subprocess.run([sys.executable, "-m", "benchmarks.ir_scale", str(path)], check=True)


def _measure(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    module, table = _timed(partial(Module.parse, text))
    _, first = _timed(partial(_first_candidate, module))
    peak = _peak()
    _, graph = _timed(partial(def_use_graph, module))
    size = len(text) / 1e6
    click.echo(
        f"{path.name:28}{len(module):>10,}{size:>7.1f}{table:>9.2f}{graph:>9.2f}"
        f"{table + first:>9.2f}{peak:>9,.0f}{peak / size:>8.1f}"
    )


def _first_candidate(module: Module) -> None:
    """Sample until a candidate is about to run."""
    oracle = PredicateOracle(lambda text: True)
    state: SearchState[Module] = SearchState(
        module, Module.parse, Judge(oracle, Memory(), target=FAILURE), _ignore
    )
    assert sample(state, BoundaryTypes.of(module)) and len(oracle.texts) == 1


def _ignore(candidate: Candidate[Module]) -> None:
    pass


def _peak() -> float:
    """The peak memory of this process in megabytes, that of the interpreter included."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024 / 1e6


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    """The result of `work`, and its CPU seconds."""
    started = time.process_time()
    result = work()
    return result, time.process_time() - started


if __name__ == "__main__":
    main()
