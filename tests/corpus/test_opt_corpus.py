"""The failures of other tools are what their table says."""

import pytest

from oracles import Kind
from tests.support.opt_corpus import FOLDER, opt_cases
from tests.support.opt_tools import find_opt

FEW = ("mlir-128273", "mlir-186830", "mlir-222539", "mlir-173553")
"""What is checked every time; `python -m benchmarks.pins --record opt` reduces them all."""


def test_each_table_has_its_program() -> None:
    names = sorted(case.name for case in opt_cases())
    assert names == sorted(path.stem for path in FOLDER.glob("*.mlir"))
    assert len(names) >= 25
    assert len({case.tool for case in opt_cases()}) >= 4
    for case in opt_cases():
        assert Kind(case.kind).traits.is_bug, case.name
        assert case.issue.startswith("https://github.com/"), case.name
        assert case.title and case.flags, case.name


@pytest.mark.parametrize("name", FEW)
def test_it_fails_as_described(name: str) -> None:
    find_opt()
    (case,) = (case for case in opt_cases() if case.name == name)
    outcome = case.oracle().run(case.text)
    assert (outcome.kind, case.message in outcome.stderr) == (case.kind, True)


@pytest.mark.slow
@pytest.mark.parametrize("package", ["heir-py", "triton"])
def test_what_other_packages_contain_fails_as_described(package: str) -> None:
    for case in opt_cases():
        if case.package == package:
            outcome = case.oracle().run(case.text)
            assert (outcome.kind, case.message in outcome.stderr) == (case.kind, True), case.name
