from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.failures import main
from tests.support.corpus import load_case
from tests.support.described import fails_as_described

CASE = "cat-zero-width"


@pytest.mark.iree
def test_every_run_of_a_case_is_made() -> None:
    done = CliRunner().invoke(main, [CASE])
    assert (done.exit_code, done.output) == (0, f"{CASE} 3.13.0 expert: as described\n")


@pytest.mark.iree
@pytest.mark.parametrize("wrong", [{"message": "no such words"}, {"kind": "crash"}])
def test_another_failure_is_told(wrong: dict[str, str], tmp_path: Path) -> None:
    case = load_case(CASE)
    assert fails_as_described(case, case.runs[0], "expert", tmp_path)
    assert not fails_as_described(case, replace(case.runs[0], **wrong), "expert", tmp_path)


def test_what_is_no_case() -> None:
    assert CliRunner().invoke(main, ["nothing"]).exit_code == 2
