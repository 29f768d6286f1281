"""`from reducer import reduce`: the examples of docs/python.md, word for word, and its promises."""

import os
import re
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from reducer import reduce
from reducer.driver.records.record import Report
from reducer.driver.settings import Event, Message, Phase, Progress, Settings
from reducer.driver.stages.following import Following
from reducer.errors import CommandNotFound, Interrupted, NotInteresting, UsageError

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
COMPILER = """#!/bin/sh
for input; do :; done
if grep -q x.bad "$input"; then echo "$input:1:1: error: no lowering for x.bad" >&2; exit 1; fi
"""
PROGRAM = "".join(f'"x.op{number}"() : () -> ()\n' for number in range(8))
WORDS = ["my-compiler", "--fast", "model.mlir"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    scripts = {"interesting.sh": "grep -q x.bad $1\n", "old-compiler": "exit 0\n"}
    for name, text in {"my-compiler": COMPILER, **scripts}.items():
        Path(name).write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}")
        Path(name).chmod(0o755)
    Path("model.mlir").write_text(f'{PROGRAM}"x.bad"() : () -> ()\n{PROGRAM}')
    Path("good.mlir").write_text(PROGRAM)
    return tmp_path


def test_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for example in EXAMPLES:
        exec(example, names)
    said = capsys.readouterr()
    assert "17 ops -> 1" in said.out and "it compiles" in said.out and not said.err
    assert "the parts that were tried" in said.out and "broken by new" in said.out
    assert Path("model.reduced.mlir").is_file() and Path("reported/report/report.md").is_file()
    assert names["sizes"] == sorted(names["sizes"], reverse=True)  # type: ignore[call-overload]


def test_it_leaves_signals_and_output_alone(capfd: pytest.CaptureFixture[str]) -> None:
    handler = signal.getsignal(signal.SIGINT)
    reduce("model.mlir", WORDS, on_event=lambda event: handlers.append(signal.getsignal(2)))
    assert set(handlers) == {handler} == {signal.getsignal(signal.SIGINT)}
    assert capfd.readouterr() == ("", "")


handlers: list[object] = []


def test_two_threads_reduce_at_once_as_one_after_the_other() -> None:
    """The second begins while the first one works, and ends after it."""
    usual = sys.getswitchinterval()
    Path("other.mlir").write_text(f'{PROGRAM}"x.bad"() {{b = 1}} : () -> ()\n' * 3)
    at_work = {name: threading.Event() for name in ("model", "other")}
    ended = threading.Event()

    def run(name: str, *, beside: bool = True) -> tuple[object, ...]:
        def on_event(event: Event) -> None:
            if isinstance(event, Message):
                said.append(event.text)
            if beside and isinstance(event, Progress):
                at_work[name].set()
                assert at_work["other"].wait(60)
            if beside and name == "other" and event == Phase("print"):
                assert ended.wait(60)

        def fails(_: object) -> Report:
            raise ValueError(f"a bug with {name}")

        said: list[str] = []
        settings = replace(Settings.of(f"{name}.mlir"), jobs=2, fresh=True)
        words = ["my-compiler", f"{name}.mlir"]
        then = [Following(f"rest of {name}", fails)]
        record = reduce(settings, words, on_event=on_event, then=then)
        told = (said, record.notes, record.problems, [one.part for one in record.internal_errors])
        return record.text, settings.output.read_bytes(), record.charged, *told

    def first() -> tuple[object, ...]:
        try:
            return run("model")
        finally:
            ended.set()

    alone = [run(name, beside=False) for name in at_work]
    with ThreadPoolExecutor(2) as pool:
        model = pool.submit(first)
        assert at_work["model"].wait(60)
        other = pool.submit(run, "other")
        assert [model.result(), other.result()] == alone
    assert [one[-1] for one in alone] == [["the rest of model"], ["the rest of other"]]
    assert sys.getswitchinterval() == usual


def test_errors_have_classes() -> None:
    with pytest.raises(NotInteresting):
        reduce("good.mlir", ["my-compiler", "good.mlir"])
    assert not Path("good.reduced").exists(), "nothing to resume"
    with pytest.raises(CommandNotFound, match="no-such"):
        reduce("model.mlir", ["no-such", "model.mlir"])
    stop = threading.Event()
    stop.set()
    with pytest.raises(Interrupted):
        reduce("model.mlir", WORDS, stop=stop)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"command": "my-compiler --fast model.mlir"}, UsageError, "give its words as a list"),
        ({"command": b"my-compiler"}, UsageError, "give its words as a list"),
        ({"command": []}, ValueError, "the command is empty"),
        ({"command": ["my-compiler", 3]}, TypeError, "not int"),
        ({"command": {"my-compiler"}}, TypeError, "neither a list of words nor an oracle"),
        ({"command": None}, TypeError, "neither a list of words nor an oracle"),
        ({"timeout": 0}, UsageError, "timeout: 0.0 is not in the range x>0"),
        ({"timeout": "60"}, TypeError, "timeout: '60' is not of type float | None"),
        ({"jobs": 0}, UsageError, "jobs: 0 is not in the range x>=1"),
        ({"jobs": "2"}, TypeError, "jobs: '2' is not of type int"),
        ({"flaky": 1}, UsageError, "flaky: 1 is not in the range x>=2"),
        ({"max_calls": 2.5}, TypeError, "max_calls: 2.5 is not of type int | None"),
        ({"max_seconds": -1}, UsageError, "max_seconds: -1.0 is not in the range x>0"),
        ({"keeps": {"sizes"}}, TypeError, "keeps: "),
        ({"output": "small.mlir"}, TypeError, "output: 'small.mlir' is not of type Path"),
        ({"program": 7}, TypeError, "not int"),
        ({"on_event": []}, TypeError, "on_event: "),
        ({"stop": True}, TypeError, "stop: True is not of type "),
        ({"then": 5}, TypeError, "then: 5 is not of type Sequence"),
    ],
)
def test_arguments_are_checked_as_options_are(
    arguments: dict[str, object], error: type[Exception], message: str
) -> None:
    given = {"program": "model.mlir", "command": WORDS, **arguments}
    changed = {name: given.pop(name) for name in given.keys() & vars(Settings.of("model.mlir"))}
    if changed:
        given["program"] = replace(Settings.of("model.mlir"), **changed)  # type: ignore[arg-type]
    with pytest.raises(error, match=re.escape(message)):
        reduce(**given)  # type: ignore[arg-type]


def test_a_callback_that_fails_costs_its_events_only() -> None:
    def fails(event: object) -> None:
        raise ValueError("my bug")

    record = reduce("model.mlir", WORDS, on_event=fails)
    assert record.verified and any("my bug" in note for note in record.notes)
