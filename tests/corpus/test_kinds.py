"""Every kind of failure has a case, which is reduced here unless that takes long."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.plant import plant
from oracles import Kind
from tests.conftest import WHEELS
from tests.support.corpus import CORPUS, Case, Run, cases, load_case
from tests.support.warm import run_warm

LAYERS = 1
"""Of the module around a trigger: the benchmark uses hundreds."""

LONG = {
    "failed bufferization": "tests/cli/request/test_oracle_options.py reduces another case",
    "any other error": "reduced like an undefined symbol",
    "failed translation, no reason given": "test_isolate.py finds the ops of another",
    "hang": "tests/cli/test_faults.py reduces one; test_isolate.py finds the ops of another",
    "runaway memory": "tests/cli/test_faults.py reduces one; test_isolate.py finds the ops of this",
}
"""What takes most of a minute: `python -m benchmarks.reduce_corpus` reduces all cases."""

QUICK = {"silent failure"}
"""What is reduced by the quick tests too, since no other of them does."""

DOCUMENT = CORPUS.parent / "docs" / "signatures.md"

ASKED_FOR = {Kind.SCRIPT, Kind.PLUGIN, Kind.EXIT_CODE, Kind.METRIC}
"""What a user asks for in words of their own: no case is of that kind by itself."""


UNTOLD = {Kind.DISAGREEMENT}
"""What only shows if nobody else knows what a program computes. It is tested with cases of wrong
results about which nobody else is asked (tests/miscompile/oracle/test_corpus.py)."""


def _of(kind: Kind, message: str = "") -> Callable[[Run], bool]:
    return lambda run: run.kind == kind and message in run.message


FAILURES: dict[str, Callable[[Run], bool]] = {
    "verifier": _of(Kind.VERIFIER),
    "failed legalization": _of(Kind.LEGALIZATION),
    "failed bufferization": _of(Kind.BUFFERIZATION),
    "any other error": _of(Kind.OTHER_ERROR, "is out of range"),
    "failed translation, no reason given": _of(Kind.OTHER_ERROR, "failed to run translation"),
    "undefined symbol": _of(Kind.OTHER_ERROR, "undefined symbol"),
    "silent failure": lambda run: run.kind == Kind.OTHER_ERROR and not run.message,
    "LLVM fatal error": _of(Kind.FATAL_ERROR),
    "assertion": _of(Kind.ASSERTION),
    "crash with a stack": _of(Kind.CRASH),
    "hang": _of(Kind.TIMEOUT),
    "runaway memory": _of(Kind.MEMORY),
    "a line in the output": _of(Kind.MATCH),
    "wrong results": _of(Kind.MISCOMPILE),
    "a program that fails to run": _of(Kind.RUN_FAILURE),
}
"""What engineers meet, and which runs of cases are of that sort."""


def _runs(failure: str) -> list[tuple[Case, Run]]:
    return [(case, run) for case in cases() for run in case.runs if FAILURES[failure](run)]


def _documented() -> dict[str, tuple[str, list[str]]]:
    """The rows of the table: the kind, and the cases."""
    rows = re.findall(r"^\| ([^|`]+) \| `([\w-]+)` \| (`[^|]+`) \|", DOCUMENT.read_text(), re.M)
    return {name: (kind, re.findall(r"`([\w.-]+)`", named)) for name, kind, named in rows}


@pytest.mark.parametrize(
    "kind", [one for one in Kind if one.traits.is_bug and one not in ASKED_FOR | UNTOLD]
)
def test_every_kind_has_a_case(kind: Kind) -> None:
    assert any(run.kind == kind for case in cases() for run in case.runs)


@pytest.mark.parametrize("failure", FAILURES)
def test_every_failure_has_a_case_that_the_documentation_names(failure: str) -> None:
    kind, named = _documented()[failure]
    found = _runs(failure)
    assert {run.kind for _, run in found} == {kind}
    assert set(named) <= {case.name for case, _ in found}


def test_the_documentation_names_no_other() -> None:
    assert set(_documented()) == set(FAILURES)


def _reductions() -> list[object]:
    """The first documented case of each failure of a compiler.

    Those of compiled programs are reduced in tests/cli.
    """
    found = []
    for failure, (kind, named) in _documented().items():
        if failure not in LONG and not Kind(kind).traits.wrong_results:
            case, run = next(each for each in _runs(failure) if each[0].name == named[0])
            marks = [] if failure in QUICK else [pytest.mark.slow]
            name = failure.replace(" ", "-")
            found.append(pytest.param(case, case.on(run, WHEELS) or run, id=name, marks=marks))
    return found


@pytest.mark.iree
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("case", "run"), _reductions())
def test_it_reduces_from_end_to_end(case: Case, run: Run, tmp_path: Path) -> None:
    """From its input, or from its trigger in a larger module, to no more than a person's."""
    expert = case.expert(run)
    assert expert is not None
    text = case.input_text() if case.packed_input else plant(expert.read_text(), LAYERS)
    (tmp_path / "in.mlir").write_text(text)
    only = ["-q", "--no-pass-level", "--no-elsewhere", "--no-report", "--json", "out.json"]
    words = ["reduce", "in.mlir", *only, *run.words()]
    done = run_warm(words, cwd=tmp_path, environment=os.environ, seconds=3600)
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "out.json").read_text())
    same = run.oracle(run.limits(900)).run(expert.read_text()).signature
    assert report["kind"] == run.kind
    if not Kind(run.kind).traits.out_of_memory:  # its pass is what several samples have in common
        assert report["bucket"] == same.bucket
    assert report["verified"] and report["one_minimal"]
    result = (tmp_path / "in.reduced.mlir").read_text()
    assert run.message in run.oracle(run.limits(900)).run(result).stderr
    shutil.copy(expert, tmp_path / "expert.mlir")
    assert _lines(result) <= _lines(expert.read_text()) + 1


def _lines(text: str) -> int:
    """Lines of the program, without comments, symbols for affine maps, and a wrapper."""
    lines = [line.strip() for line in text.splitlines()]
    return sum(not line.startswith(("//", "#", "module", '"builtin.module"')) for line in lines)


def test_the_cases_that_are_reduced_are_known_by_name() -> None:
    for _, (_, named) in _documented().items():
        for name in named:
            assert load_case(name).title
