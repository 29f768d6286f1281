"""A command that names another input."""

from pathlib import Path

import pytest

from reducer.cli.other_input import input_beside


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
    assert said.partition(",")[0] == (f"the command names {other}" if other else "")
