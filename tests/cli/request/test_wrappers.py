"""Programs around a compiler that keep it from being reduced."""

from dataclasses import replace
from pathlib import Path

import pytest

from oracles import Kind
from reducer.cli.request.oracle_options import OracleOptions
from reducer.cli.request.wrappers import refuse_wrapper, split_timeout
from reducer.errors import UsageError
from tests.support.fake_compilers import write_script


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        ("docker run image t", r"bash -c 'docker run --rm -v \"\$PWD:/w\" -w /w IMAGE"),
        ("gdb --args t", "gdb waits for commands and hides how the compiler exits"),
    ],
)
def test_what_cannot_work_is_refused(command: str, advice: str) -> None:
    with pytest.raises(UsageError, match=advice):
        refuse_wrapper(command.split())


@pytest.mark.parametrize("command", ["", "t", "gdb -batch -ex run --args t", "bash -c docker"])
def test_what_may_work_is_not(command: str) -> None:
    refuse_wrapper(command.split())


def test_a_debugger_need_not_hide_what_is_looked_for(tmp_path: Path) -> None:
    """It starts the compiler, and finds no further command on its standard input."""
    gdb = write_script(tmp_path / "gdb", 'cat "$2"; while read line; do :; done; exit 0\n')
    source = tmp_path / "a.mlir"
    source.write_text("bad\n")
    asked = OracleOptions(source, (str(gdb), "t"), match="bad")
    oracle, _ = asked.oracle("bad\n")
    assert oracle.wants(oracle.run("bad\n")) and not oracle.wants(oracle.run("good\n"))
    with pytest.raises(UsageError, match="--match REGEX"):
        replace(asked, match=None).oracle("bad\n")


@pytest.mark.parametrize(
    ("command", "split"),
    [
        ("timeout 2 sh x", (2.0, "sh x")),
        ("nice timeout --signal KILL -k 3 .5h env X=1 sh", (1800.0, "nice env X=1 sh")),
        ("/usr/bin/timeout --foreground -s9 1d sh --timeout 3", (86400.0, "sh --timeout 3")),
        ("timeout -v -p -f --verbose --preserve-status --kill-after=1s 2 sh", (2.0, "sh")),
        ("timeout -vk 5 2 sh", None),  # all of this would have to be understood
        ("timeout -pv 2 sh", None),
        ("timeout --sig KILL 2 sh", None),
        ("timeout -k sh 2 sh", None),
        ("timeout -k 5", None),
        ("sh timeout 2 x", None),
        ("timeout 0 sh", None),
        ("timeout x sh", None),
    ],
)
def test_the_limit_of_a_command(command: str, split: tuple[float, str] | None) -> None:
    found = split_timeout(command.split())
    assert found == (split and (split[0], tuple(split[1].split())))


def test_a_hang_that_timeout_ends_is_one(tmp_path: Path) -> None:
    """It was a failure with exit code 124 and no message."""
    slow = write_script(tmp_path / "slow", "exec sleep 600\n")
    source = tmp_path / "a.mlir"
    asked = OracleOptions(source, ("timeout", "0.3", str(slow)))
    oracle, _ = asked.oracle("")
    assert oracle.limits.seconds == 0.3
    assert oracle.command is not None and oracle.command.launcher == ()
    assert oracle.run("").kind is Kind.TIMEOUT

    ended, _ = replace(asked, signature="exit=124").oracle("")
    outcome = ended.run("")
    assert (outcome.kind, outcome.exit_code) == (Kind.EXIT_CODE, 124)


def test_nor_can_it_below_a_launcher(tmp_path: Path) -> None:
    podman = write_script(tmp_path / "podman", "exit 1\n")
    with pytest.raises(UsageError, match="bash -c 'podman run"):
        refuse_wrapper(["timeout", "9", str(podman), "run", "image", "t"])
