"""Files of flags for the runtime's tool."""

from pathlib import Path

import pytest

from reducer.miscompile.values.input_files import read_flags


def test_flags_of_a_call(tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text("--input=7\n--parameters=model=weights.irpa")
    (tmp_path / "flags.txt").write_text(
        "# how to call it\n\n--function=f\n  --input=2xf32=@in.bin\n--flagfile=more.txt\n"
        "--expected_output=(ignored)\n--expected_output=2xf32=1 2\n--device=local-sync\n"
        "--print_statistics=true\n--expected_output\n"
    )
    found = read_flags(tmp_path / "flags.txt")
    assert found.folder == tmp_path
    assert found.inputs == ["2xf32=@in.bin", "7"]
    assert found.expected == ["(ignored)", "2xf32=1 2"]
    assert found.parameters == ["model=weights.irpa"]
    assert (found.function, found.device) == ("f", "local-sync")
    assert found.ignored == ["--print_statistics=true", "--expected_output"]


def test_a_file_that_includes_itself(tmp_path: Path) -> None:
    (tmp_path / "flags.txt").write_text("--flagfile=flags.txt")
    with pytest.raises(ValueError):
        read_flags(tmp_path / "flags.txt")
