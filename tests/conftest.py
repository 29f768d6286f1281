"""Fixtures that any test may use."""

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path

import hypothesis
import pytest

from oracles.compilers.flag_spelling import spelling_of
from oracles.run.confinement import confinement_ends
from reducer.toolchain import Toolchain, install
from tests.support import recordings, replay, stand_ins, starts
from tests.support.corpus import Case, load_case

# Under nohup, or in the background of a script, signals arrive ignored, and programs that tests
# start would inherit that: those that are sent signals must start as on a terminal.
for _number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler)

# What tests reduce is nothing that their user may want to run again.
os.environ["XDG_STATE_HOME"] = str(Path(tempfile.gettempdir(), f"tests-state-{os.getuid()}"))

# The tests share the processors already: what idle workers run ahead, perhaps in vain, only takes
# time from them. Those that are about several workers ask for them.
os.environ.setdefault("MLIR_REDUCER_JOBS", "1")

# Elsewhere every run tries new examples, 100 of each; where a change is judged, the same 50 each
# time. A busy machine may take long over any of them, which says nothing of the code.
hypothesis.settings.register_profile("local", deadline=None)
hypothesis.settings.register_profile("ci", derandomize=True, deadline=None, max_examples=30)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")

_noted: Path | None = None
"""The folder in which the processes of this test run note what they start and record."""


def pytest_configure(config: pytest.Config) -> None:
    """Count starts and replay outcomes, in the workers as well."""
    global _noted
    if not hasattr(config, "workerinput"):
        _noted = Path(tempfile.mkdtemp(prefix="tests-"))
        os.environ[starts.VARIABLE] = str(_noted / "starts")
        os.environ[recordings.UNSAVED] = str(_noted / "outcomes")
        os.environ[stand_ins.UNRECORDED] = str(_noted / "unrecorded")
        recorded = [file.stem for file in sorted(recordings.folder().glob("*.zst"))]
        if (mode := recordings.mode()) != "off":
            stand_ins.make(_noted / "usr", recorded, records=mode not in ("replay", "prune"))
    starts.watch()
    replay.install()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let a test marked `live` run the compilers themselves, and a slow one start what it wants."""
    replay.live(item.get_closest_marker("live") is not None)
    starts.count(item.get_closest_marker("slow") is None)
    stand_ins.offer(item.get_closest_marker("slow") is None)
    spelling_of.cache_clear()  # what a tool has refused in one test would be spared in the next


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """Let no test confine what the next one runs, as a worker of triage does for good."""
    with confinement_ends():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that has asked what nobody answers, whatever it made of that."""
    report = yield
    if report.when == "call" and (said := stand_ins.unrecorded(item.nodeid)):
        report.outcome = "failed"
        report.longrepr = f"{report.longrepr or ''}\n{said}"
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail if more was started than is allowed, or a compiler does not do what is recorded."""
    if _noted is None:
        return
    counts, mode = starts.counted(_noted / "starts"), recordings.mode()
    wrong = list(starts.exceeded(counts, starts.allowed())) if mode == "replay" else []
    if mode != "replay":
        wrong += recordings.save(_noted / "outcomes")
    _said.extend([*starts.table(counts), *wrong])
    if wrong:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    shutil.rmtree(_noted)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was started, by folder."""
    terminalreporter.section("starts")
    for line in _said:
        terminalreporter.line(line)


_said: list[str] = []

NEWEST_TESTED = "3.13.0"
"""The compiler version that tests use unless they say otherwise, so that they do not drift."""

WHEELS = "3.3.0", "3.4.0", "3.8.0", NEWEST_TESTED
"""All versions that tests install: each is a download of 100 MB. Benchmarks know of more."""


@pytest.fixture(scope="session")
def iree_toolchain() -> Callable[..., Toolchain]:
    """A function from a version (3.13.0 by default) to its toolchain, installed if missing."""

    def toolchain(version: str = NEWEST_TESTED) -> Toolchain:
        return install(version)

    return toolchain


@pytest.fixture(scope="session")
def iree_compile(iree_toolchain: Callable[..., Toolchain]) -> Path:
    """The `iree-compile` of the version that tests use by default."""
    return iree_toolchain().compile


@pytest.fixture(scope="session")
def corpus() -> Callable[[str], Case]:
    """A function from a case's name to the case."""
    return load_case


@pytest.fixture
def one_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try a third of the usual inputs: those with dynamic dimensions of one size."""
    monkeypatch.setattr("reducer.miscompile.values.inputs.SIZES", (5,))
