from pathlib import Path, PurePath

import pytest

from reducer.errors import MissingInput, UsageError
from reducer.triage.configurations import parse_flags, read_flags_file


def fitting(text: str, path: str, version: str | None = "3.13.0") -> list[tuple[str, ...]]:
    return [line.flags for line in parse_flags(text) if line.fits(PurePath(path), version)]


def test_a_line_without_a_pattern_is_for_every_input() -> None:
    assert fitting("--a --b='x y'  # why\n\n# nothing\n", "any.mlir") == [("--a", "--b=x y")]


def test_a_pattern_without_a_slash_is_matched_with_the_name() -> None:
    text = "cpu*.mlir: --cpu\nmodels/*: --gpu\n"
    assert fitting(text, "deep/cpu1.mlir") == [("--cpu",)]
    assert fitting(text, "models/x.mlir") == [("--gpu",)]
    assert fitting(text, "x.mlir") == []


def test_several_patterns_and_one_with_blanks() -> None:
    text = "a.mlir 'my model.mlir': --x\n"
    assert fitting(text, "my model.mlir") == fitting(text, "a.mlir") == [("--x",)]


def test_a_line_may_have_no_flags() -> None:
    assert fitting("a.mlir:\n", "a.mlir") == [()]


def test_versions() -> None:
    text = "@<3.12: --old\n*.mlir @>=3.12,<4: --new\n"
    assert fitting(text, "a.mlir", "3.8.0") == [("--old",)]
    assert fitting(text, "a.mlir", "3.12.0rc20260101") == [("--new",)]
    assert fitting(text, "a.mlir", "3.13.0") == [("--new",)]


def test_a_compiler_without_a_version_is_newer_than_all() -> None:
    assert fitting("@>=3.12: --new\n@<3.12: --old\n", "a.mlir", None) == [("--new",)]


@pytest.mark.parametrize("line", ["model.mlir --flag", "'open", "@nonsense: --x"])
def test_malformed_lines_are_reported_with_their_number(line: str) -> None:
    with pytest.raises(UsageError, match="flags:2: "):
        list(parse_flags(f"--fine\n{line}\n"))


def test_a_flags_file_must_exist_and_not_be_empty(tmp_path: Path) -> None:
    with pytest.raises(MissingInput):
        read_flags_file(tmp_path / "none")
    (tmp_path / "empty").write_text("# only words\n")
    with pytest.raises(UsageError, match="contains no flags"):
        read_flags_file(tmp_path / "empty")
