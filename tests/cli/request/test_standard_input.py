"""`-` as the input."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from tests.support.fake_compilers import FAIL, program, write_script

pytestmark = pytest.mark.usefixtures("nothing_installed")


def run(*words: object, given: str | bytes) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], input=given)


def test_the_result_is_in_this_folder_and_the_reduction_resumes(tmp_path: Path) -> None:
    fake = write_script(tmp_path / "fake", FAIL + f"echo >> {tmp_path}/runs\n")
    words = "reduce", "-", "-q", "--no-report", "--no-pass-level", "--", fake

    def reduce(text: str) -> int:
        (tmp_path / "runs").write_text("")
        assert run(*words, given=text).exit_code == 0
        return len((tmp_path / "runs").read_text())

    first = reduce(program())
    assert "x.bad" in (tmp_path / "stdin.reduced.mlir").read_text()
    assert reduce(program()) < first / 2
    assert reduce(program(40)) > 0
