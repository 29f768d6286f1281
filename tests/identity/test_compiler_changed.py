"""A compiler that becomes another one while its failure is reduced."""

from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Oracle, PatternOracle, ScriptOracle
from reducer.driver.records.record import Report
from reducer.identity.compiler_changed import REPLACED, is_replaced, reading
from tests.support.fake_compilers import write_script
from tests.support.reducing import reduced_by

FAIL = "grep -q needle \"$1\" || exit 0\necho 'error: bad needle' >&2\n"


@pytest.mark.parametrize("kind", ["compiler", "pattern", "script", "file"])
def test_what_counts(tmp_path: Path, kind: str) -> None:
    program, spec = write_script(tmp_path / "cc", FAIL), tmp_path / "spec"
    spec.write_text("a")
    compiler = CompilerOracle(Command.parse(["cc", "--x=spec"], directory=tmp_path), program)
    oracle: Oracle = {
        "script": ScriptOracle(program),
        "pattern": PatternOracle(compiler, regex="needle"),
    }.get(kind, compiler)
    before = oracle.key
    assert not is_replaced(oracle)
    with (spec if kind == "file" else program).open("a") as file:
        file.write("# another\n")
    assert is_replaced(oracle)
    assert oracle.key == before


@pytest.mark.parametrize("exists", [True, False])
def test_a_file_that_the_command_writes_was_not_read(tmp_path: Path, exists: bool) -> None:
    """It writes one if it gets that far, which most candidates do."""
    written = tmp_path / "written"
    body = 'grep -q needle "$1" && exit 1\nfor word; do\ncase $word in --to=*) '
    program = write_script(tmp_path / "cc", f'{body}echo a > "${{word#--to=}}";; esac\ndone\n')
    if exists:
        written.write_text("a")
    flags = [f"--to={written}", f"--from={tmp_path / 'read'}"]
    (tmp_path / "read").write_text("a")
    oracle = CompilerOracle(Command.parse(["cc", *flags], directory=tmp_path), program)
    oracle.key  # noqa: B018  it is read once, at the start
    oracle.run("op\n")
    assert written.read_text() == "a\n"
    assert not is_replaced(oracle)
    (tmp_path / "read").write_text("ab")
    assert is_replaced(oracle)


WRITE = 'for word; do\ncase $word in --to=*) date +%N > "${word#--to=}";; esac\ndone\n'


def test_a_file_that_is_only_written_is_no_part_of_the_key(tmp_path: Path) -> None:
    program = write_script(tmp_path / "cc", f"{WRITE}{FAIL}exit 1\n")
    (tmp_path / "read").write_text("a")
    flags = [f"--to={tmp_path / 'written'}", f"--from={tmp_path / 'read'}"]
    command = Command.parse(["cc", "{}", *flags], directory=tmp_path)

    def key() -> str:
        oracle = reading(CompilerOracle(command, program))
        oracle.run("needle\n")
        assert oracle.command is not None
        assert oracle.with_command(oracle.command.without([])).key == oracle.key
        return oracle.key

    first = key()
    assert (tmp_path / "written").exists()
    assert key() == first
    (tmp_path / "read").write_text("ab")
    assert key() != first


def test_a_reduction_whose_command_writes_a_file_goes_on(tmp_path: Path) -> None:
    flag = f"--to={tmp_path / 'written'}"
    first, again = (reduced(tmp_path, f"{WRITE}{FAIL}exit 1\n", flag) for _ in range(2))
    assert again.costs.calls < first.costs.calls / 2


def reduced(folder: Path, body: str, *flags: str) -> Report:
    program = folder / "cc"
    if not program.exists():  # a new file would be another compiler
        write_script(program, body)
    oracle = CompilerOracle(Command.parse(["cc", "{}", *flags]), program)
    return reduced_by(
        oracle,
        folder,
        "".join(f"op{number}\n" for number in range(9)) + "needle\n",
    )


def test_a_reduction_tells(tmp_path: Path) -> None:
    for name, more, told in (("same", "", False), ("other", "echo '# again' >> \"$0\"\n", True)):
        (tmp_path / name).mkdir()
        report = reduced(tmp_path / name, f"{FAIL}{more}exit 1\n")
        assert report.verified is not told
        assert (REPLACED in report.notes) is told
