"""Samples: real output of tools, which the rows of `oracles.rows` name, and what is read in it.

A file of `tests/oracles/samples` is a group of tools. A sample begins with its name and a few words
about it: the tool with its release, the command or the address of the public report (of which no
more than the tool's own words are kept, shortened, with paths replaced), the exit code (negative: a
signal), what the `shell` says on standard error if the text is on standard output, and what it
gives: the signature, where its error is, what it says last, and what was running. `python -m
tests.support.samples` writes these anew; look at what it changes.
"""

import gc
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from oracles.run.run_process import End, ProcessResult
from oracles.signature.abnormal import told_exit_code
from oracles.signature.abort_message import abort_message
from oracles.signature.actions import Culprit, culprit_of
from oracles.signature.classify import classify
from oracles.signature.derive import Level, derive
from oracles.signature.on_stdout import as_stderr
from oracles.signature.python_exceptions import is_in_verifier
from oracles.signature.python_traceback import uncaught_exception
from oracles.stacks.crash_stack import CrashStack
from tests.support import recorded

GIVEN = ("signature", "at", "says", "running")
FOLDER = Path(__file__).parents[1] / "oracles" / "samples"
_BEGINS = re.compile(r"^=== (?P<name>\S+)\n(?P<about>(?:\w+: [^\n]*\n)+)\n", re.M)


@dataclass(frozen=True)
class Sample:
    """One output. `about` are the words about it, by key; `name` begins with its group."""

    name: str
    about: Mapping[str, str]
    text: str

    @property
    def result(self) -> ProcessResult:
        """The output as that of a run."""
        code = int(self.about["exit"])
        if (shell := self.about.get("shell")) is None:
            return ProcessResult(End.EXITED, code, 0.0, 0.0, 0, "", self.text)
        told = shell.replace("\\n", "\n")
        return as_stderr(ProcessResult(End.EXITED, code, 0.0, 0.0, 0, self.text, told), "")

    def signature(self, level: Level = Level.NORMAL) -> str:
        """The signature, without a compiler that could be asked for more."""
        return derive(classify(self.result), level, _Nobody()).text

    @property
    def given(self) -> dict[str, str]:
        """What the output gives, by key."""
        error = classify(self.result).primary
        at = f"{error.file}:{error.line}:{error.column}" if error and error.line else ""
        says = " | ".join(abort_message(self.text))
        running = " < ".join(filter(None, astuple(culprit_of(self.text))[::-1]))
        given = {"signature": self.signature(), "at": at, "says": says, "running": running}
        return {key: words for key, words in given.items() if words}

    def read(self) -> tuple[object, ...]:
        """All that is read in the text."""
        signatures = tuple(map(self.signature, Level))
        found = classify(self.result)
        exception = uncaught_exception(self.text)
        checked = exception is not None and is_in_verifier(exception)
        told = told_exit_code(self.text), checked
        return *signatures, found, abort_message(self.text), culprit_of(self.text), told


class _Nobody:
    """No tool to ask."""

    def verify(self, flags: Sequence[str]) -> ProcessResult | None:
        return None

    def name_pass(self) -> ProcessResult:
        return ProcessResult(End.EXITED, 1, 0.0, 0.0, 0, "", "")

    def culprit(self, crash: CrashStack) -> Culprit:
        return Culprit()


@dataclass(frozen=True)
class _OfRecording:
    """The same for a recorded text."""

    recording: recorded.Recording

    def read(self) -> tuple[object, ...]:
        signatures = tuple(self.recording.signature(level).text for level in Level)
        return *signatures, self.recording.classified(), abort_message(self.recording.stderr)


@cache
def samples() -> dict[str, Sample]:
    """All of them by name."""
    return {each.name: each for file in sorted(FOLDER.glob("*.txt")) for each in _in(file)}


def sample(name: str) -> Sample | _OfRecording:
    """The sample, or the recorded text, with this name.

    Raises:
        KeyError: there is none.
    """
    return samples()[name] if name in samples() else _OfRecording(_recordings()[name])


@cache
def _recordings() -> dict[str, recorded.Recording]:
    return {one.file.removesuffix(".txt"): one for one in recorded.recordings()}


def _in(file: Path) -> Iterator[Sample]:
    text = file.read_text(encoding="utf-8")
    begins = list(_BEGINS.finditer(text))
    for begin, end in zip(begins, [*(one.start() for one in begins[1:]), len(text)], strict=True):
        about = dict(line.split(": ", 1) for line in begin["about"].splitlines())
        yield Sample(f"{file.stem}/{begin['name']}", about, text[begin.end() : end])


@contextmanager
def replaced(others: Mapping[re.Pattern[str], Any]) -> Iterator[None]:
    """Put others in place of patterns, wherever these are known; nothing is known from before."""
    changed = []
    for module in [one for name, one in sys.modules.items() if name.startswith("oracles.")]:
        for name, value in list(vars(module).items()):
            if isinstance(value, re.Pattern) and value in others:
                changed.append((module, name, value))
                setattr(module, name, others[value])
    _forget()
    try:
        yield
    finally:
        for module, name, value in changed:
            setattr(module, name, value)
        _forget()


def _forget() -> None:
    for cached in _caches():
        cached.cache_clear()


@cache
def _caches() -> Collection[Any]:
    found = [one for one in gc.get_objects() if isinstance(one, type(_caches))]
    return [one for one in found if one.__module__.startswith("oracles.")]


def renew() -> None:
    """Write what each sample gives."""
    for file in FOLDER.glob("*.txt"):
        text = ""
        for each in _in(file):
            about = {key: words for key, words in each.about.items() if key not in GIVEN}
            lines = (f"{key}: {words}\n" for key, words in (about | each.given).items())
            text += f"=== {each.name.partition('/')[2]}\n{''.join(lines)}\n{each.text}"
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    renew()
