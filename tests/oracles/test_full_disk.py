"""A full disk is no failure of the program that cannot write to it."""

import errno
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Kind, Limits
from tests.support.fake_compilers import write_script

FULL = "LLVM ERROR: IO failure on output stream: No space left on device"


def oracle(folder: Path, body: str) -> CompilerOracle:
    tool = write_script(folder / "fake-compile", body)
    return CompilerOracle(Command(("fake-compile", "{}")), tool, limits=Limits(60.0))


@pytest.mark.parametrize("words", [FULL, "error: cannot write a.o: Disk quota exceeded"])
def test_a_program_without_space_for_its_files_has_not_failed(words: str, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space left") as raised:
        oracle(tmp_path, f"echo '{words}' >&2; exit 1\n").run("module {}")
    assert raised.value.errno == errno.ENOSPC


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (f"echo '{FULL}' >&2\n", Kind.SUCCESS),
        (
            "echo 'error: bad string: \"a: No space left on device\"' >&2; exit 1\n",
            Kind.OTHER_ERROR,
        ),
    ],
)
def test_other_runs_count(body: str, kind: Kind, tmp_path: Path) -> None:
    assert oracle(tmp_path, body).run("module {}").kind is kind
