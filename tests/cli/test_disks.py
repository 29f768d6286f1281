"""Disks that fill up or become read-only, and journals that vanish, in the middle of a reduction.

Each test has a small file system in its own mount namespace, if the system allows that.
"""

import subprocess
from pathlib import Path

import pytest

from tests.support.fake_compilers import FAIL, Reducer, program, write_script

_FIFTH_RUN = 'echo >> "$HOME/runs"; [ $(wc -l < "$HOME/runs") -eq 5 ] && {\n%s\n}\n'
_ONCE_THERE_IS_A_RESULT = (
    '[ -e "$HOME/disk/in.reduced.mlir" ] && [ ! -e "$HOME/done" ] && {\n: > "$HOME/done"\n%s\n}\n'
)


def namespaces() -> bool:
    words = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
    try:
        return subprocess.run(words, capture_output=True).returncode == 0
    except OSError:
        return False


needs_namespaces = pytest.mark.skipif(not namespaces(), reason="needs unshare and tmpfs")


@pytest.fixture
def reducer(tmp_path: Path) -> Reducer:
    (tmp_path / "in.mlir").write_text(program(8))
    reducer = Reducer(tmp_path)
    reducer.environment["HOME"] = str(tmp_path)
    return reducer


def on_small_disk(reducer: Reducer, fault: str) -> "subprocess.CompletedProcess[str]":
    """Reduce on a 200 kB disk; the result is copied to `after` in any case."""
    write_script(reducer.home / "fake", _ONCE_THERE_IS_A_RESULT % fault + FAIL)
    (reducer.home / "disk").mkdir()
    script = (
        "mount -t tmpfs -o size=200k none disk && cp in.mlir disk && cd disk && "
        '{ "$@"; code=$?; cp in.reduced.mlir ../after; ls -AR > ../files; exit $code; }'
    )
    program = reducer.argv("reduce", "in.mlir", "-j1", "--", "../fake")
    return subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, "sh", *program],
        cwd=reducer.home,
        env=reducer.environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.machine
@needs_namespaces
@pytest.mark.parametrize(
    "fault",
    ["dd if=/dev/zero of=$HOME/disk/filler 2>/dev/null", "mount -o remount,ro $HOME/disk"],
    ids=["full", "read-only"],
)
def test_a_disk_that_takes_no_more_keeps_the_best_so_far(reducer: Reducer, fault: str) -> None:
    done = on_small_disk(reducer, fault)
    assert done.returncode == 73, done.stderr
    assert "cannot write" in done.stderr
    assert "Traceback" not in done.stderr
    kept = (reducer.home / "after").read_text()
    assert "x.bad" in kept and kept.rstrip().endswith(("}) : () -> ()", "'x.bad'")), "whole"
    assert ".tmp" not in (reducer.home / "files").read_text()
    reducer.assert_clean()


@pytest.mark.machine
@needs_namespaces
def test_the_journal_gives_its_space_to_the_result(reducer: Reducer) -> None:
    (reducer.home / "in.mlir").write_text(program(120))
    write_script(reducer.home / "fake", FAIL)
    (reducer.home / "disk").mkdir()
    script = (
        "mount -t tmpfs -o size=40k none disk && cp in.mlir disk && cd disk && "
        '"$@"; echo "code $?"; cat in.reduced.mlir; '
        'mount -o remount,size=4m "$HOME/disk" && "$@" -q; echo "code $?"; cat in.reduced.mlir'
    )
    argv = reducer.argv("reduce", "in.mlir", "-j1", "--no-report", "--", "../fake")
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, "sh", *argv],
        cwd=reducer.home,
        env=reducer.environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "disk is full" in done.stderr, done.stderr
    full, _, room = done.stdout.partition("code 73\n")[2].partition("code 0\n")
    assert "x.bad" in full and "x.bad" in room and len(room) <= len(full)


def test_a_journal_that_is_taken_away_is_missed_only_by_the_next_run(reducer: Reducer) -> None:
    fake = write_script(reducer.home / "fake", FAIL)
    words = ("in.mlir", "--no-report", "--no-pass-level", "--", fake)
    assert reducer("reduce", *words).returncode == 0
    expected = (reducer.home / "in.reduced.mlir").read_text()
    emptied = "for j in $HOME/in.reduced/journal*; do : > $j; done"
    for fault in ("rm -f $HOME/in.reduced/journal*", emptied):
        (reducer.home / "runs").unlink(missing_ok=True)
        write_script(reducer.home / "fake", _FIFTH_RUN % fault + FAIL)
        for option in (["--fresh"], []):
            done = reducer("reduce", *option, *words)
            assert done.returncode == 0, done.stderr
            assert (reducer.home / "in.reduced.mlir").read_text() == expected
    reducer.assert_clean()


def test_what_people_wrote_is_neither_replaced_nor_deleted(reducer: Reducer) -> None:
    fake = write_script(reducer.home / "fake", ': > "$HOME/ran"\n' + FAIL)
    result = reducer.home / "in.reduced.mlir"
    result.write_text("// by hand\n")
    refused = reducer("reduce", "in.mlir", "-j1", "--", fake)
    assert refused.returncode == 73
    assert "in.reduced.mlir was not written by" in refused.stderr and "-o" in refused.stderr
    assert result.read_text() == "// by hand\n" and not (reducer.home / "ran").exists()
    result.unlink()
    assert reducer("reduce", "in.mlir", "-j1", "--", fake).returncode == 0
    report = reducer.home / "in.reduced" / "report"
    (report / "note.txt").write_text("mine")
    (reducer.home / "in.mlir").write_text(program(8).replace("x.bad", "x.bad2"))
    write_script(reducer.home / "fake", FAIL.replace("x.bad", "x.bad2"))
    assert reducer("reduce", "in.mlir", "-j1", "--", fake).returncode == 0
    assert "x.bad2" in result.read_text() and "x.bad2" in (report / "report.md").read_text()
    assert (report / "note.txt").read_text() == "mine"
