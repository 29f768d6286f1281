import pytest

from reducer.cli.reasons import explain
from reducer.errors import ExitCode


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (MemoryError(), ExitCode.INTERNAL, "mlir-reducer itself ran out of memory (see ulimit -v)"),
        (FileNotFoundError(2, "No such file"), ExitCode.NO_INPUT, "the current folder does not"),
    ],
    ids=["memory", "folder"],
)
def test_what_is_wrong_with_the_machine_is_no_bug(
    capsys: pytest.CaptureFixture[str], error: Exception, code: ExitCode, words: str
) -> None:
    assert explain(error) == code
    told = capsys.readouterr().err
    assert words in told
    assert "Traceback" not in told and "internal error" not in told
