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
from tests.support.fake_releases import BAD, CRASH, OTHER, UNREADABLE, Release, Releases
from tests.support.nightlies import make_page

COMMAND = ("--", "iree-compile", "--iree-target=a")
FIND_INPUT = 'for word; do case "$word" in *.mlir) input=$word ;; esac; done\n'
RENAMED = (("--iree-goal", "The target."),)

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


def row(done: Result, version: str) -> str:
    lines = [line for line in done.stdout.splitlines() if line.startswith(f"{version} ")]
    return " ".join(lines[0].split())


def test_finds_the_first_bad_release_with_few_runs(publish: Publish) -> None:
    releases = publish({f"3.{n}.0": Release(BAD if n >= 6 else "") for n in range(10)})
    done = run(*COMMAND)
    assert done.exit_code == 0, done.output
    assert "first bad 3.6.0, last good 3.5.0" in done.stdout
    assert row(done, "3.5.0").startswith("3.5.0 good")
    assert "failed to legalize operation 'x.bad'" in row(done, "3.6.0")
    assert len({line.split()[0] for line in releases.runs}) == 5
    assert "5 releases not tested" in done.stdout


def test_a_release_without_the_pattern_is_good(publish: Publish) -> None:
    warning = "echo 'warning: changed types' >&2\n"
    publish({"3.1.0": Release(""), "3.2.0": Release(warning), "3.3.0": Release(warning)})
    done = run("--match", "changed types", "--json", "-", *COMMAND)
    assert answers(done) == {"3.1.0": "good", "3.2.0": "bad", "3.3.0": "bad"}


def test_releases_are_ordered_by_number_and_not_by_letter(publish: Publish) -> None:
    publish({f"3.{n}.0": Release(BAD if n >= 10 else "") for n in range(8, 12)})
    assert "first bad 3.10.0, last good 3.9.0" in run(*COMMAND).stdout


def test_what_was_mended_and_came_back_is_seen_when_all_are_asked(publish: Publish) -> None:
    bad = (3, 4, 7, 8)
    publish({f"3.{n}.0": Release(BAD if n in bad else "") for n in range(10)})
    answer = json.loads(run("--bad", "3.7.0", "--all", "--json", "-", *COMMAND).stdout)
    assert (answer["first_bad"], answer["last_good"]) == ("3.7.0", "3.6.0")
    assert (answer["last_bad"], answer["first_good_again"]) == ("3.8.0", "3.9.0")
    assert answer["also_bad"] == ["3.3.0", "3.4.0"]
    assert answer["not_asked"] == []


def test_a_second_run_runs_nothing(publish: Publish) -> None:
    releases = publish({f"3.{n}.0": Release(BAD if n >= 2 else "") for n in range(4)})
    first = run(*COMMAND)
    before = releases.runs
    second = run(*COMMAND)
    assert releases.runs == before
    assert second.stdout.startswith(first.stdout.split("\n\n")[0])
    assert "0 runs" in second.stdout
    assert "testing 3.3.0" in first.stderr and "testing" not in second.stderr


def test_what_is_known_from_before_counts(publish: Publish) -> None:
    """A bug that disappeared and returned, which bisection alone would have missed."""
    bad = (4, 5, 7, 8, 9)
    releases = publish({f"3.{n}.0": Release(BAD if n in bad else "") for n in range(10)})
    assert "first bad 3.4.0, last good 3.3.0" in run(*COMMAND).stdout
    run("--good", "3.6.0", *COMMAND)
    done = run(*COMMAND)
    assert "first bad 3.7.0, last good 3.6.0" in done.stdout
    assert "also bad: 3.4.0, 3.5.0" in done.stdout
    before = releases.runs
    run(*COMMAND)
    assert releases.runs == before


def test_release_candidates_only_on_demand(publish: Publish) -> None:
    publish({"3.1.0": Release(), "3.2.0": Release(BAD), "3.3.0rc1": Release(BAD)})
    assert "3.3.0rc1" not in run("--all", *COMMAND).stdout
    assert "3.3.0rc1" in run("--all", "--pre", *COMMAND).stdout


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


def test_own_builds_are_bisected_in_the_given_order(publish: Publish, tmp_path: Path) -> None:
    publish({})
    bodies = ["", "", BAD, BAD]
    paths = [build(tmp_path / f"build{n}", body) for n, body in enumerate(bodies)]
    done = run(*(f"--compiler=build{n}/tools/iree-compile" for n in range(4)), *COMMAND)
    assert done.exit_code == 0, done.output
    assert "first bad build2, last good build1" in done.stdout
    assert f"build2: {paths[2]}" in done.stdout
    build_again = write_script(paths[2], "")  # what is rebuilt is run again
    done = run(*(f"--compiler=build{n}/tools/iree-compile" for n in range(4)), *COMMAND)
    assert "first bad build3, last good build2" in done.stdout
    assert build_again.is_file()


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


def test_a_release_is_under_the_limit_of_the_command(publish: Publish) -> None:
    publish({"3.1.0": Release(""), "3.2.0": Release(BAD)})
    done = run("--", "timeout", "60", *COMMAND[1:])
    assert "first bad 3.2.0, last good 3.1.0" in done.stdout, done.output
    assert "becomes --timeout 60" in done.stderr


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


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--compiler=nowhere/iree-compile",), 127, "neither an executable program nor a version"),
        (("--compiler=a=old", "--compiler=a=new"), 2, "two compilers are called a"),
        (("--compiler=a=old", "--compiler=b=new", "--bad=c"), 2, "not one of the compilers: a, b"),
        (("--compiler=a=old", "--wrong-results"), 2, "needs a common --reference"),
    ],
)
def test_builds_that_cannot_be_bisected(
    publish: Publish, tmp_path: Path, words: tuple[str, ...], code: int, told: str
) -> None:
    publish({})
    for name in ("old", "new"):
        write_script(tmp_path / name, BAD)
    done = run(*words, *COMMAND)
    assert done.exit_code == code, done.output
    assert told in done.stderr


def test_a_bad_release_comes_before_that_of_a_configuration(publish: Publish) -> None:
    publish({f"3.{n}.0": Release(BAD if n == 1 else "") for n in range(3)})
    Path("mlir-reducer.toml").write_text('iree = "3.2.0"\n')
    assert "first bad 3.1.0, last good 3.0.0" in run("--bad", "3.1.0", *COMMAND).stdout
    line = ("--compiler", "3.0.0", "--compiler", "3.1.0")
    assert "first bad 3.1.0, last good 3.0.0" in run(*line, *COMMAND).stdout


def test_each_release_has_one_row_and_each_change_of_flags_one_line(publish: Publish) -> None:
    early = {f"3.{n}.0": Release(flags=RENAMED) for n in range(3)}
    publish({**early, "3.3.0": Release(), "3.4.0": Release(BAD)})
    done = run("--all", *COMMAND)
    for n in range(5):
        assert sum(f"3.{n}.0 " in line for line in done.output.splitlines()) == 1, done.output
    assert "--iree-target → --iree-goal: up to 3.2.0" in done.stdout
    assert done.stdout.count("--iree-goal") == 1


def test_a_flag_in_another_spelling(publish: Publish) -> None:
    """A flag with another name but the same description is the same flag."""
    releases = publish({"3.1.0": Release(flags=RENAMED), "3.2.0": Release(BAD)})
    done = run(*COMMAND)
    assert row(done, "3.1.0").startswith("3.1.0 good")
    assert "\n--iree-target → --iree-goal: up to 3.1.0\n" in done.stdout
    assert any("--iree-goal=a" in line for line in releases.runs)


def test_a_flag_that_a_release_lacks_goes_if_the_failure_does_not_need_it(publish: Publish) -> None:
    both = (("--iree-target", "The target."), ("--iree-more", "Does more."))
    publish({"3.1.0": Release(), "3.2.0": Release(BAD, flags=both)})
    done = run(*COMMAND, "--iree-more")
    assert row(done, "3.1.0").startswith("3.1.0 good")
    assert "without --iree-more: up to 3.1.0" in done.stdout


def test_a_flag_that_the_failure_needs_makes_an_older_release_unable_to_tell(
    publish: Publish,
) -> None:
    both = (("--iree-target", "The target."), ("--iree-more", "Does more."))
    needs = 'case "$*" in *--iree-more*) ;; *) exit 0 ;; esac\n'
    publish({"3.1.0": Release(), "3.2.0": Release(needs + BAD, flags=both)})
    done = run(*COMMAND, "--iree-more")
    assert row(done, "3.1.0").startswith("3.1.0 cannot tell does not support --iree-more")
    assert done.exit_code == 69


def test_another_failure_is_neither_good_nor_bad(publish: Publish) -> None:
    follow_up = "echo 'error: failed to run translation of source executable' >&2"
    both = OTHER.replace("exit 1", f"{follow_up}\n{BAD}")
    behaviour = {0: "", 1: OTHER, 2: CRASH, 3: both, 4: BAD}
    publish({f"3.{n}.0": Release(body) for n, body in behaviour.items()})
    done = run("--json", "-", "--all", *COMMAND)
    assert answers(done) == {
        "3.0.0": "good",
        "3.1.0": "another failure",
        "3.2.0": "cannot tell",  # crashes on any input
        "3.3.0": "bad",
        "3.4.0": "bad",
    }
    answer = json.loads(done.stdout)
    assert {"cpu_seconds", "wall_seconds"} <= answer.keys()
    assert "wall_seconds" in answer["releases"][0]
    assert answer["undecided"] == ["3.2.0", "3.1.0"]
    assert (answer["first_bad"], answer["last_good"]) == ("3.3.0", "3.0.0")


def test_a_release_that_cannot_read_the_input_is_given_the_generic_form(publish: Publish) -> None:
    generic = 'for last; do :; done\nprintf \'"x.bad"() : () -> ()\\n\' > "$last"\n'
    publish({
        "3.0.0": Release(UNREADABLE, UNREADABLE),
        "3.1.0": Release(UNREADABLE + BAD, UNREADABLE),
        "3.2.0": Release(BAD, generic),
    })  # fmt: skip
    Path("in.mlir").write_text("x.pretty\nx.bad\n")
    done = run(*COMMAND)
    assert row(done, "3.1.0").startswith("3.1.0 bad")
    assert "in generic form: up to 3.1.0" in done.stdout
    assert "first bad 3.1.0, last good 3.0.0" in done.stdout


def test_input_that_no_form_makes_readable_is_no_good_news(publish: Publish) -> None:
    copy = 'for last; do :; done\ncp "$input" "$last"\n'
    publish({"3.1.0": Release(UNREADABLE, UNREADABLE), "3.2.0": Release(BAD, copy)})
    Path("in.mlir").write_text("x.pretty\nx.bad\n")
    done = run(*COMMAND)
    assert row(done, "3.1.0").startswith("3.1.0 cannot tell")
    assert done.exit_code == 69


def test_a_version_that_is_said_to_be_good_bounds_the_search(publish: Publish) -> None:
    releases = publish({f"3.{n}.0": Release(BAD if n >= 6 else "") for n in range(10)})
    done = run("--good", "3.5.0", "--bad", "3.7.0", *COMMAND)
    assert "first bad 3.6.0, last good 3.5.0" in done.stdout
    assert {line.split()[0] for line in releases.runs} == {"3.5.0", "3.6.0", "3.7.0"}
    done = run("--good", "3.8.0", "--bad", "3.9.0", *COMMAND)
    assert "note: 3.8.0 was given with --good but is not good: bad" in done.stdout


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--bad", "3.1.0", *COMMAND), 1, "does not fail on the input with 3.1.0"),
        (("--bad", "3.1.0", "--iree", "3.2.0", *COMMAND), 2, "give only one of them"),
        ((), 2, "two dashes"),
        (("--", "clang"), 2, "'clang' is not part of the published releases"),
        (("--test", "x.sh", *COMMAND), 2, "cannot be bisected"),
        (("--bad", "9.9.9", *COMMAND), 69, "there is no iree-base-compiler 9.9.9"),
        (
            ("--", "iree-compile", "--iree-none"),
            2,
            "fails the same way on any input: other-error: Unknown command line argument",
        ),
    ],
)
def test_what_cannot_be_asked(
    publish: Publish, words: tuple[str, ...], code: int, told: str
) -> None:
    publish({"3.1.0": Release(), "3.2.0": Release(BAD)})
    done = run(*words)
    assert done.exit_code == code, done.output
    assert told in done.stderr


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
