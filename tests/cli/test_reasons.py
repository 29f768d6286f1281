import pytest

from reducer.cli.reasons import explain
from reducer.errors import ExitCode
from reducer.search.judge import Stopped


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (MemoryError(), ExitCode.INTERNAL, "mlir-reducer itself ran out of memory (see ulimit -v)"),
        (
            FileNotFoundError(2, "No such file"),
            ExitCode.NO_INPUT,
            "the current folder no longer exists",
        ),
        (OSError(28, "No space left"), ExitCode.CANNOT_WRITE, "error: cannot write: No space left"),
        (Stopped("budget"), ExitCode.BUDGET, "run the same command with more"),
    ],
    ids=["memory", "folder", "disk", "budget"],
)
def test_what_is_wrong_with_the_machine_is_no_bug(
    capsys: pytest.CaptureFixture[str], error: Exception, code: ExitCode, words: str
) -> None:
    assert explain(error) == code
    told = capsys.readouterr().err
    assert words in told
    assert "Traceback" not in told and "internal error" not in told
