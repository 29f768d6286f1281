"""Commands as users type them."""

from pathlib import Path

import pytest

from oracles import Command, resolve_binary, sibling_tool
from oracles.compilers.command import unwrapped, verifying_tool


@pytest.mark.parametrize(
    ("typed", "argv"),
    [
        (["iree-compile", "--x"], ("iree-compile", "--x", "{}")),
        (["iree-compile", "{}", "--x"], ("iree-compile", "{}", "--x")),
        (["t", "--in={}", "-y"], ("t", "--in={}", "-y")),
        (["--", "t", "-o", "a.vmfb", "--x"], ("t", "--x", "{}")),
        (["t", "-o=a", "--o=b", "--o", "c", "--other"], ("t", "--other", "{}")),
        (["t", "model.mlir", "--x"], ("t", "{}", "--x")),
        (["iree-compile", "--x", "-"], ("iree-compile", "--x", "{}")),
        (["nice", "iree-opt", "-", "-o", "-"], ("iree-opt", "{}")),
        (["iree-opt", "-", "model.mlir"], ("iree-opt", "-", "{}")),
        (
            ["bash", "-o", "pipefail", "-c", "t {} | u"],
            ("bash", "-o", "pipefail", "-c", "t {} | u"),
        ),
        (["sh", "-c", "t $1", "-"], ("sh", "-c", "t $1", "-", "{}")),
    ],
)
def test_parse(typed: list[str], argv: tuple[str, ...]) -> None:
    assert Command.parse(typed, source="model.mlir").argv == argv


@pytest.mark.parametrize(
    ("shell", "script"),
    [
        ("bash -c", "x-opt m.mlir --p='a(b)' -o /dev/null"),
        ("/bin/sh -euc", '\nexec x-opt "{}" \\\n  --p=a"("b")" >/dev/null 2>&1;\n'),
        ("dash -e -c", "command x-opt 'm.mlir' --p='a(b)' > /dev/null"),
        ("bash --norc -eo pipefail -c", r"x-opt {} --p=a\(b\)"),
        ("bash -o pipefail -c", "bash -c 'x-opt {} \"--p=a(b)\"'"),
    ],
)
def test_a_shell_around_one_simple_command_is_none(shell: str, script: str) -> None:
    words = [*shell.split(), script]
    command = Command(("x-opt", "{}", "--p=a(b)"))
    assert Command.parse(words, source="m.mlir").argv == command.argv
    limited = Command.parse(["A=1", "timeout", "9", *words], source="m.mlir")
    assert limited.argv == command.argv and limited.launcher[:4] == ("env", "A=1", "timeout", "9")


def test_variables_before_the_program_in_a_shell_are_kept() -> None:
    command = Command.parse(["timeout", "9", "bash", "-c", "A=1 B='2 3' exec x-opt {}"])
    assert command.launcher == ("timeout", "9", "env", "A=1", "B=2 3")
    assert command.argv == ("x-opt", "{}")


@pytest.mark.parametrize(
    "words",
    [
        ["bash", "-c", f"x-opt {script}"]
        for script in (
            "{} | cat", "{}; true", "{} && true", "{} &", "$X {}", '"$X" {}', "`x` {}", "*.mlir {}",
            "{} 2>/dev/null", "{} >out", "{a,b}", "{} # x", "{}\nx-opt {}", "'{}", "${1} {}",
            "<<{}", "<{} | cat", "2<{}", "<{}; true", "<$X", "{} || cat <{}",
        )
    ]
    + [
        ["bash", "-lc", "x-opt {}"],
        ["bash", "-c", "time x-opt {}"],
        ["bash", "-c", "set -n; x-opt {}"],
        ["bash", "-c", "set -e; x-opt {} | cat"],
        ["bash", "-o", "pipefail", "-c", "x-opt {} | cat -n"],
        ["bash", "-c", "cat {} | grep x"],
        ["bash", "-c", "cat {} || x-opt"],
        ["bash", "-c", "cat {} x | x-opt"],
        ["bash", "-c", "cat {} | x-opt | y-opt"],
        ["bash", "-c", "cat <{}"],
        ["bash", "-c", "cd {}"],
        ["bash", "-c", "docker run x-opt {}"],
        ["x-run", "bash", "-c", "x-opt {}"],
        ["bash", "x.sh", "-c", "x-opt {}"],
        ["bash", "-c", "X=1"],
        ["bash", "-c", "exec"],
        ["bash", "-c"],
        [],
    ],
)  # fmt: skip
def test_a_shell_that_does_more_stays(words: list[str]) -> None:
    assert unwrapped(words) == words
    assert not words or Command.parse(words).argv[: len(words)] == tuple(words)


@pytest.mark.parametrize(
    "script",
    [
        "cat {} | x-opt -a", "cat '{}'|x-opt - -a", "x-opt -a <{}", "x-opt -a < '{}' 2>&1",
        "exec x-opt <{} -a", "x-opt -a {} | cat", "set -eu; cat {} | x-opt -a | cat",
        "set -o pipefail\nx-opt {} -a",
    ],
)  # fmt: skip
def test_a_shell_that_only_passes_a_file_through_a_tool_is_left_out(script: str) -> None:
    argv = Command.parse(["bash", "-o", "pipefail", "-c", script]).argv
    assert argv[0] == "x-opt" and sorted(argv[1:]) == ["-a", "{}"]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("cat m.mlir | t - >m.mlir.log", "cat {} | t - >m.mlir.log"),
        ("t <'m.mlir'; x/m.mlir", "t <'{}'; x/m.mlir"),
        ("t {} >m.mlir", "t {} >m.mlir"),
    ],
)
def test_a_shell_names_the_input_inside_a_word(script: str, expected: str) -> None:
    command = Command.parse(["env", "A=1", "sh", "-c", script], source="m.mlir")
    assert command.argv[:3] == ("sh", "-c", expected)
    assert Command.parse(["t", "-c", script], source="m.mlir").argv[2] == script


def test_the_input_in_another_spelling_of_its_path(tmp_path: Path) -> None:
    (tmp_path / "m.mlir").touch()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "m.mlir").touch()
    words = ["t", f"{tmp_path}/m.mlir", "./m.mlir", "other/../m.mlir", "other/m.mlir", "-x"]
    command = Command.parse(words, source="m.mlir", directory=tmp_path)
    assert command.argv == ("t", "{}", "{}", "{}", "other/m.mlir", "-x")


def test_empty_command() -> None:
    with pytest.raises(ValueError, match="empty"):
        Command.parse([])


@pytest.mark.parametrize(
    ("program", "has_output"),
    [
        ("iree-compile", True),
        ("/x/mlir-opt-18", True),
        ("mlir-translate", True),
        ("check.sh", False),
    ],
)
def test_output_only_for_tools_that_know_it(program: str, has_output: bool) -> None:
    words = Command.parse([program]).expand("in.mlir", "out")
    assert words == [program, "in.mlir", *(["-o", "out"] if has_output else [])]


def test_relative_paths_hold_where_the_user_is(tmp_path: Path) -> None:
    """The compiler runs in a private folder, but must find files named in flags."""
    (tmp_path / "spec.mlir").touch()
    command = Command.parse(["t", "--spec=spec.mlir", "--x=none"], directory=tmp_path)
    assert command.expand("i") == ["t", f"--spec={tmp_path}/spec.mlir", "--x=none", "i"]
    assert command.words("i") == ["t", "--spec=spec.mlir", "--x=none", "i"]
    assert command.files() == [tmp_path / "spec.mlir"]


@pytest.mark.parametrize(
    ("typed", "expanded"),
    [
        ("--preload=library-paths=lib.mlir", "--preload=library-paths={0}/lib.mlir"),
        ("--preload=paths=lib.mlir,sub/", "--preload=paths={0}/lib.mlir,{0}/sub"),
        (
            "--pass-pipeline=any(cse,p{file=lib.mlir n=3},sub)",
            "--pass-pipeline=any(cse,p{file={0}/lib.mlir n=3},sub)",
        ),
        ("--p='any(p{file=\"lib.mlir\"})'", "--p='any(p{file=\"{0}/lib.mlir\"})'"),
        ("--p=any(p{mode=sub})", "--p=any(p{mode=sub})"),  # a word that is also a folder
        ("--p=any(lib.mlir)", "--p=any(lib.mlir)"),  # no value of an option
    ],
)
def test_paths_in_the_options_of_passes(tmp_path: Path, typed: str, expanded: str) -> None:
    (tmp_path / "lib.mlir").touch()
    (tmp_path / "sub").mkdir()
    command = Command.parse(["t", typed], directory=tmp_path)
    assert command.expand("i") == ["t", expanded.replace("{0}", str(tmp_path)), "i"]
    assert command.files() == ([tmp_path / "lib.mlir"] if "{0}/lib" in expanded else [])


def test_flags_can_be_replaced() -> None:
    command = Command.parse(["t", "{}", "--a", "--b"])
    assert command.flags == ("--a", "--b")
    assert command.with_flags(["--a"]).argv == ("t", "--a", "{}")


def executable(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    path.chmod(0o755)
    return path


def test_program_behind_the_entry_point(tmp_path: Path) -> None:
    script = executable(tmp_path / "bin" / "iree-compile", "#!/usr/bin/python3\n")
    assert resolve_binary(script) == script
    inner = "lib/python3.11/site-packages/iree/compiler/_mlir_libs"
    binary = executable(tmp_path / inner / "iree-compile", "ELF")
    assert resolve_binary(script) == binary
    assert resolve_binary(binary) == binary


def test_entry_point_of_two_installations_stays(tmp_path: Path) -> None:
    script = executable(tmp_path / "bin" / "iree-compile", "#!/usr/bin/python3\n")
    for version in ("3.11", "3.12"):
        inner = f"lib/python{version}/site-packages/iree/compiler/_mlir_libs"
        executable(tmp_path / inner / "iree-compile", "ELF")
    assert resolve_binary(script) == script


def test_siblings(tmp_path: Path) -> None:
    compiler = executable(tmp_path / "iree-compile", "")
    assert sibling_tool(compiler, "iree-opt") is None
    assert verifying_tool(compiler) is None
    opt = executable(tmp_path / "iree-opt", "")
    assert sibling_tool(compiler, "iree-opt") == opt
    assert verifying_tool(compiler) == opt
    assert verifying_tool(opt) == opt
    link = tmp_path / "elsewhere" / "iree-compile"
    link.parent.mkdir()
    link.symlink_to(compiler)
    assert sibling_tool(link, "iree-opt") == opt
