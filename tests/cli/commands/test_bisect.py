"""Each command as a user runs it; here `mlir-reducer bisect`, with scripts and real releases.

A command prints its answer on standard output, what it does on standard error, and ends with the
exit code that its help names.
"""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from reducer.toolchain import ToolchainError, installed
from tests.support.corpus import load_case
from tests.support.fake_compilers import Reducer, signalling, write_script
from tests.support.fake_releases import BAD, Release, Releases
from tests.support.nightlies import make_page

COMMAND = ("--", "iree-compile", "--iree-target=a")
FIND_INPUT = 'for word; do case "$word" in *.mlir) input=$word ;; esac; done\n'

Publish = Callable[..., Releases]


@pytest.fixture
def publish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Publish:
    """A function that makes releases the only ones available; the folder has a failing input."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.mlir").write_text('"x.bad"() : () -> ()\n')

    def make(releases: dict[str, Release], *, installed: bool = True) -> Releases:
        made = Releases(tmp_path, releases, installed=installed)
        for name, value in made.environment.items():
            monkeypatch.setenv(name, value)
        if installed:
            made.list_without_pip(monkeypatch)
        return made

    return make


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["bisect", "in.mlir", *words])


def answers(done: Result) -> dict[str, str]:
    """Verdicts by version."""
    return {each["version"]: each["verdict"] for each in json.loads(done.stdout)["releases"]}


def test_nightly_packages_are_part_of_the_line(
    publish: Publish, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is installed by pip from a page of links, and they are ordered by their dates.

    What was fetched is thrown away if the disk has no room for it.
    """
    monkeypatch.setattr("reducer.bisect.bisection.has_room", lambda: False)
    days = {f"3.2.0rc202511{day:02}": Release(BAD if day >= 9 else "") for day in (8, 9)}
    releases = publish({"3.1.0": Release(), **days, "3.2.0": Release(BAD)}, installed=False)
    page = make_page(releases.index, tmp_path / "site")
    done = run("--pre", "--find-links", str(page), *COMMAND)
    assert done.exit_code == 0, done.output
    assert "first bad 3.2.0rc20251109, last good 3.2.0rc20251108" in done.stdout
    assert "; installed 3.2.0, 3.1.0, " in done.stdout and installed() == []
    done = run("--pre", "--find-links", "nowhere.html", *COMMAND)
    assert done.exit_code == 2
    assert "--find-links: nowhere.html: no such file or folder" in done.stderr


def build(folder: Path, body: str, version: str = "") -> Path:
    """A compiler with this behavior, in the layout of a build folder."""
    tool = folder / "tools" / "iree-compile"
    tool.parent.mkdir(parents=True)
    answer = f'[ "$1" != --version ] || {{ echo "IREE compiler version {version}"; exit 0; }}\n'
    return write_script(tool, (answer if version else "") + FIND_INPUT + body)


@pytest.mark.parametrize("launcher", ["timeout 60", "env A=1", "timeout 60 env A=1"])
def test_builds_take_the_place_of_the_program_that_is_started(
    publish: Publish, tmp_path: Path, launcher: str
) -> None:
    publish({})
    body = f'[ "$1" = --iree-target=a ] || exit 3\n{BAD}'
    for name in ("old", "new"):
        build(tmp_path / name, body)
    builds = [f"--compiler={name}/tools/iree-compile" for name in ("old", "new")]
    done = run(*builds, "--json", "-", "--", *launcher.split(), *COMMAND[1:])
    assert answers(done) == {"old": "bad", "new": "bad"}
    assert "failed to legalize operation 'x.bad'" in done.stdout


def test_builds_are_labeled_with_their_versions(publish: Publish, tmp_path: Path) -> None:
    releases = publish({"3.1.0": Release(), "3.2.0": Release()})
    commits = "206b60ca59c9dbbca5769694df4714c38cecaced", "8568efa3cceb6dbbd69e8b681436a17efcce1a74"
    old = build(tmp_path / "old", "", f"3.3.0.dev+{commits[0]} @ {commits[0]}")
    new = build(tmp_path / "new", BAD, f"3.3.0.dev+{commits[1]} @ {commits[1]}")
    line = ("--compiler=releases", f"--compiler={old}", f"--compiler=mine={new}")
    done = run(*line, "--all", *COMMAND)
    assert "first bad mine, last good 3.3.0.dev@206b60ca59" in done.stdout, done.output
    assert f"mine: {new} (3.3.0.dev@8568efa3cc)" in done.stdout
    versions = [line.split()[0] for line in done.stdout.split("\n\n")[1].splitlines()]
    assert versions == ["3.1.0", "3.2.0", "3.3.0.dev@206b60ca59", "mine"]
    assert {line.split()[0] for line in releases.runs} == {"3.1.0", "3.2.0"}


def test_an_interrupt_that_also_ends_pip_is_no_failure_of_pip(
    publish: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish({"3.1.0": Release(), "3.2.0": Release(BAD)})

    def interrupted(*_: object) -> list[str]:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.3)  # until a thread has noted it
        raise ToolchainError("pip could not do it")

    monkeypatch.setattr("reducer.bisect.bisector.published", interrupted)
    done = run(*COMMAND)
    assert done.exit_code == 130
    assert "pip" not in done.stderr


def test_a_killed_search_goes_on_where_it_was(tmp_path: Path) -> None:
    """Nothing runs twice except the run that was in progress."""
    fourth = f"[ $(wc -l < {tmp_path}/runs) -ge 4 ] && mkdir {tmp_path}/once 2> /dev/null"
    kill = f"if {fourth}; then\n{signalling('KILL')}sleep 1000\nfi\n"
    releases = Releases(
        tmp_path, {f"3.{n}.0": Release(kill + (BAD if n >= 3 else "")) for n in range(6)}
    )
    reducer = Reducer(tmp_path)
    reducer.environment |= releases.environment
    (tmp_path / "in.mlir").write_text('"x.bad"() : () -> ()\n')
    assert reducer("bisect", "in.mlir", *COMMAND).returncode == -signal.SIGKILL
    done = reducer("bisect", "in.mlir", *COMMAND)
    assert "first bad 3.3.0, last good 3.2.0" in done.stdout, done.stderr
    twice = {line for line in releases.runs if releases.runs.count(line) > 1}
    assert len({line.split()[0] for line in twice}) <= 1
    reducer.assert_clean()


@pytest.mark.iree
@pytest.mark.slow
def test_a_real_bug_between_real_releases(tmp_path: Path) -> None:
    """IREE #20699, which affects only 3.4.0."""
    path = load_case("seed-20699-topk-bufferize-small").write_input(tmp_path / "in.mlir")
    command = ("--", "iree-compile", "--iree-hal-target-device=hip", "--iree-rocm-target=gfx942")
    words = ["bisect", str(path), "--bad", "3.4.0", "--good", "3.3.0", *command]
    done = CliRunner().invoke(main, words)
    assert "first bad 3.4.0, last good 3.3.0" in done.stdout, done.output
    assert "--iree-rocm-target → --iree-hip-target: in every release" in done.stdout
