"""Files that a command refers to are bundled under portable names."""

from pathlib import Path

from oracles import Command, CompilerOracle, Limits
from oracles.plugin import Case, Plugin, PluginOracle
from reducer.report.portable_command import bundled_command, other_programs, portable_words


def test_a_file_is_bundled(tmp_path: Path) -> None:
    spec = tmp_path / "my spec.mlir"
    spec.write_text("x")
    command = Command(("t", "--a=my spec.mlir", "--b", "my spec.mlir", "{}"), tmp_path)
    moved, files = bundled_command(command)
    assert moved.argv == ("t", "--a=files/my_spec.mlir", "--b", "files/my_spec.mlir", "{}")
    assert files == {"my_spec.mlir": spec.resolve()}


def test_files_in_the_options_of_passes_are_bundled(tmp_path: Path) -> None:
    for name in ("a.mlir", "b.mlir"):
        (tmp_path / name).touch()
    command = Command(("t", "--pass-pipeline=any(p{libs=a.mlir,b.mlir x=1})", "{}"), tmp_path)
    moved, files = bundled_command(command)
    assert moved.argv[1] == "--pass-pipeline=any(p{libs=files/a.mlir,files/b.mlir x=1})"
    assert set(files) == {"a.mlir", "b.mlir"}


def test_files_with_equal_names_stay_distinct(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "-x").write_text(folder)
    moved, files = bundled_command(Command(("t", "--f=a/-x", "--f=b/-x"), tmp_path))
    assert moved.argv == ("t", "--f=files/x", "--f=files/2-x")
    assert [path.parent.name for path in files.values()] == ["a", "b"]


def test_a_reference_in_python(tmp_path: Path) -> None:
    (tmp_path / "ref.py").write_text("x")
    moved, _ = bundled_command(
        Command(("mlir-reducer", "--reference", f"python:{tmp_path}/ref.py:f"))
    )
    assert moved.argv[2] == "python:files/ref.py:f"


def test_words_that_are_not_files_are_unchanged(tmp_path: Path) -> None:
    words = ("t", "--a=b", "x" * 5000, "--n=", "{}", "--p=a\0b", "--dir=.")
    assert bundled_command(Command(words, tmp_path)) == (Command(words), {})


def test_programs_are_not_bundled(tmp_path: Path) -> None:
    """A copy would not even start without its libraries and interpreter."""
    for name in ("iree-compile", "python3", "spec.mlir"):
        (tmp_path / name).write_bytes(b"\x7fELF" if name == "python3" else b"")
        (tmp_path / name).chmod(0o755)
    words = ["mlir-reducer", "check", "repro.mlir", "--reference"]
    words += [f"python:ref.py:f@{tmp_path}/python3", "--"]
    words += [f"{tmp_path}/iree-compile", "--spec=spec.mlir"]
    moved, files = bundled_command(Command(tuple(words), tmp_path))
    assert moved.argv[3:] == (
        "--reference",
        "python:ref.py:f@python3",
        "--",
        "iree-compile",
        "--spec=files/spec.mlir",
    )
    assert list(files) == ["spec.mlir"]


class Never:
    """A judge that finds nothing wrong."""

    def judge(self, case: Case) -> str | None:
        return None


def test_a_program_among_the_arguments_is_not_either(tmp_path: Path) -> None:
    """Such as that of a debugger; a plugin is a file like others, and so is a script."""
    for name, content in {"t-opt": b"\x7fELF", "p.so": b"\x7fELF", "t.py": b"#!/bin/sh\n"}.items():
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o755)
    words = ("gdb", "--args", f"{tmp_path}/t-opt", "--plugin=p.so", "t.py", "{}")
    moved, files = bundled_command(Command(words, tmp_path))
    assert moved.argv == ("gdb", "--args", "t-opt", "--plugin=files/p.so", "files/t.py", "{}")
    assert set(files) == {"p.so", "t.py"}


def test_a_program_that_a_flag_names_is_not_either(tmp_path: Path) -> None:
    """Such as a linker: a copy could not be executed."""
    linker = tmp_path / "bin" / "ld"
    linker.parent.mkdir()
    linker.write_bytes(b"\x7fELF")
    linker.chmod(0o755)
    command = Command(("t", "--linker-path=bin/ld", "{}"), tmp_path)
    moved, files = bundled_command(command)
    assert moved.argv == ("t", "--linker-path=ld", "{}")
    assert files == {}
    assert other_programs(CompilerOracle(command, tmp_path / "t")) == (linker,)


def test_a_plugin_oracle_is_run_by_mlir_reducer_check(tmp_path: Path) -> None:
    """The compiler's command alone would not show the failure."""
    tool = tmp_path / "toolchains" / "iree-base-compiler-3.13.0" / "bin" / "iree-opt"
    tool.parent.mkdir(parents=True)
    tool.touch()
    command = Command((str(tool), "--cse", "{}"), tmp_path)
    oracle = PluginOracle(
        Plugin("never", "never:1", Never()),
        command,
        tool,
        limits=Limits(),
        shown=lambda name: ["mlir-reducer", "check", name, "--test", "never:1"],
    )
    words, files = portable_words(oracle)
    asked = "mlir-reducer check repro.mlir --iree 3.13.0 --test never:1 -- iree-opt --cse {}"
    assert " ".join(words) == asked
    assert not files
