"""A command that names another input."""

from pathlib import Path

import pytest

from reducer.cli.request.other_input import in_place_of_missing, input_beside
from tests.support.fake_compilers import write_script


@pytest.mark.parametrize(
    ("words", "other"),
    [
        (["t-opt", "--cse", "b.mlir"], "b.mlir"),
        (["t-opt", "/x/b.mlir", "--cse"], "/x/b.mlir"),
        (["bash", "-c", "t-opt --cse 'b.mlir' | t-run"], "b.mlir"),
        (["t-opt", "--cse"], ""),
        (["t-opt", "--cse", "a.mlir"], ""),
        (["t-opt", "--cse", "a.mlir", "--library", "b.mlir"], ""),
        (["t-opt", "--cse", "{}", "b.mlir"], ""),
        (["t-opt", "--library=b.mlir"], ""),
        (["t-opt", "--cse", "-o", "b.mlir"], ""),
        (["t-opt", "--target", "gfx942"], ""),
        ([], ""),
    ],
)
def test_it_is_named(
    words: list[str], other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.mlir", "b.mlir"):
        Path(name).touch()
    said = input_beside(words, Path("a.mlir"))
    assert said.partition(" as well")[0] == (f"the command reads {other}" if other else "")


@pytest.mark.parametrize(
    ("words", "new"),
    [
        (["t-opt", "--cse", "gone.mlir"], ["t-opt", "--cse", "{}"]),
        (["t-opt", "a.mlir"], ["t-opt", "{}"]),  # that is sub/a.mlir
        (["t-opt", "gone.mlirbc", "-o", "out.mlir"], ["t-opt", "{}", "-o", "out.mlir"]),
        (["env", "A=1", "t-opt", "gone.mlir"], ["env", "A=1", "t-opt", "{}"]),
        (["t-opt", "b.mlir"], None),
        (["t-opt", "gone.mlir", "too.mlir"], None),
        (["t-opt", "gone.mlir", "b.mlir"], None),
        (["t-opt", "{}", "gone.mlir"], None),
        (["t-opt", "sub/a.mlir", "gone.mlir"], None),
        (["t-opt", "--library=gone.mlir"], None),
        (["t-opt", "--library", "gone.mlir"], None),
        (["t-opt", "-o", "gone.mlir"], None),
        (["bash", "-c", "t-opt gone.mlir"], None),
        (
            ["t-opt", "--target", "gfx942", "--cse", "gone.mlir"],
            ["t-opt", "--target", "gfx942", "--cse", "{}"],
        ),
        (["t-opt", "-"], None),
        ([], None),
    ],
)
def test_one_that_does_not_exist(
    words: list[str], new: list[str] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    write_script(tmp_path / "t-opt", "echo '  --library=<filename>  - Reads'\n")
    Path("sub").mkdir()
    for name in ("sub/a.mlir", "b.mlir"):
        Path(name).touch()
    assert in_place_of_missing(tuple(words), Path("sub/a.mlir")) == tuple(new or words)


def test_an_input_without_a_suffix_takes_no_word(tmp_path: Path) -> None:
    assert input_beside(["t-opt", "--target", "gfx942"], tmp_path / "input") == ""
    assert in_place_of_missing(("t-opt", "gfx942"), tmp_path / "input") == ("t-opt", "gfx942")
