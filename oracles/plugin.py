"""User-defined oracles: small Python classes, found through an entry point.

A class is called with its argument (the text after `NAME:`, possibly empty) and has one method,
`judge`. Everything else, from private folders to limits, is handled here.
"""

import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

from oracles.base import (
    CANDIDATE,
    Capabilities,
    NamedOracle,
    PluginError,
    file_identity,
    write_candidate,
)
from oracles.compilers.command import Command
from oracles.run.capture import shorten
from oracles.run.run_process import End, Limits, ProcessResult, run_process
from oracles.run.scratch import private_folder
from oracles.signature.diagnostics import parse_diagnostics
from oracles.signature.kind import Kind
from oracles.signature.outcome import MAX_STDERR_LENGTH, Outcome, Signature

GROUP = "mlir_reducer.oracles"
"""The entry point group in which packages register their classes."""


class PluginJudge(Protocol):
    """What an entry point returns for its argument. Used by several threads at once."""

    def judge(self, case: "Case") -> str | Signature | None:
        """None if nothing is wrong with a candidate, else the failure in words, without details.

        The description of the input's failure must stay the same during the reduction. Return a
        signature for a more precise identity. A run ended by a limit ends the judgment as well: the
        value returned after that is ignored.
        """
        ...


class Case:
    """A candidate in a folder of its own, which is deleted after the judgment.

    Attributes:
        path: the file with the candidate.
        folder: the working directory of programs, in which any file may be written.
    """

    def __init__(
        self,
        path: Path,
        words: "_Words | None",
        limits: Limits,
        cancel: threading.Event | None,
    ) -> None:
        self.path = path
        self.folder = path.parent
        self._words = words
        self._limits = limits
        self._cancel = cancel
        self._results: list[ProcessResult] = []

    @property
    def text(self) -> str:
        """The candidate's text."""
        return self.path.read_text(encoding="utf-8", errors="surrogateescape")

    def command(
        self, source: Path | None = None, output: Path | None = None, flags: Sequence[str] = ()
    ) -> list[str]:
        """The words of the user's command, with additional flags.

        `source` replaces the candidate. `output` is added as `-o` for programs known to support it
        (`…-opt`, `…-compile`, `…-translate`); without it their output is discarded.
        """
        if self._words is None:
            raise PluginError("this oracle needs a command after --")
        return self._words.of(source or self.path, output or Path("/dev/null"), flags)

    def run(self, words: Sequence[str]) -> ProcessResult:
        """Run a program in the folder under the limits of the reduction.

        Processes that it leaves behind are killed.

        Raises:
            OSError: the program cannot be started.
        """
        result = run_process(words, cwd=self.folder, limits=self._limits, cancel=self._cancel)
        self._results.append(result)
        if result.end is not End.EXITED:
            raise _Ended
        return result

    def outcome(self, signature: Signature) -> Outcome:
        """The combined outcome of all runs; a run that was ended determines it."""
        results = self._results
        ended = next((result.end for result in results if result.end is not End.EXITED), None)
        if ended is not None:
            signature = Signature(Kind(str(ended)))
        last = results[-1] if results else None
        stderr = last.stderr if last else ""
        return Outcome(
            signature.kind,
            signature,
            exit_code=last.exit_code if last and ended is None else None,
            seconds=sum(result.seconds for result in results),
            cpu_seconds=sum(result.cpu_seconds for result in results),
            peak_memory=max((result.peak_memory for result in results), default=0),
            diagnostics=parse_diagnostics(stderr),
            stderr=shorten(stderr, MAX_STDERR_LENGTH),
        )


@dataclass(frozen=True, eq=False)
class PluginOracle(NamedOracle):
    """Runs a `PluginJudge`.

    `plugin` is the loaded class; `shown` makes the command line that repeats the judgment for a
    file, up to the user's command.
    """

    plugin: "Plugin"
    command: Command | None
    executable: Path | None
    _: KW_ONLY
    name: str = CANDIDATE
    limits: Limits = field(default_factory=Limits)
    shown: Callable[[str], list[str]]

    @property
    def capabilities(self) -> Capabilities:
        """Only the program is known."""
        return Capabilities(self.executable)

    @cached_property
    def key(self) -> str:
        """The class with its file and argument, the command, the program, and files it names."""
        files = [*([self.executable] if self.executable else ()), *self.plugin.files]
        words = self.command.words(self.name) if self.command else []
        files += self.command.inputs() if self.command else []
        return f"plugin {self.plugin.spec} {words} {' '.join(map(file_identity, files))}"

    def with_command(self, command: Command) -> "PluginOracle":
        """The same oracle for another command of the same program."""
        return replace(self, command=command)

    def wants(self, outcome: Outcome) -> bool:
        """Whether the class reports a failure."""
        traits = outcome.kind.traits
        return traits.is_bug and not traits.costly

    def display(self, input_name: str) -> list[str]:
        """The command line that repeats the judgment for the file `input_name`."""
        words = [] if self.command is None else ["--", *self.command.launcher, *self.command.argv]
        return [*self.shown(input_name), *words]

    def named(self, name: str) -> "PluginOracle":
        """See `NamedOracle`."""
        return replace(self, name=name)

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        """Judge one candidate.

        Raises:
            PluginError: the class failed, or returned an invalid value.
        """
        with private_folder() as place:
            path = write_candidate(place, self.name, text)
            words = None
            if self.command is not None and self.executable is not None:
                words = _Words(self.command, self.executable)
            case = Case(path, words, limits or self.limits, cancel)
            return case.outcome(self._judged(case))

    def _judged(self, case: Case) -> Signature:
        try:
            verdict = self.plugin.judge.judge(case)
        except _Ended:
            return Signature(Kind.CANCELLED)  # the outcome records how it ended
        except (OSError, PluginError):
            raise
        except Exception as error:
            raise PluginError(f"{type(error).__name__}: {error}") from error
        match verdict:
            case None:
                return Signature(Kind.SUCCESS)
            case str():
                return Signature(Kind.PLUGIN, f"{self.plugin.name}: {verdict}")
            case Signature():
                return verdict
        raise PluginError(f"judge returned {verdict!r}; expected None, a str, or a Signature")


@dataclass(frozen=True)
class Plugin:
    """A loaded plugin instance. `files` are the files that its results depend on."""

    name: str
    spec: str
    judge: PluginJudge
    files: tuple[Path, ...] = ()


def plugin_names() -> list[str]:
    """The names of the installed oracles."""
    from importlib.metadata import entry_points  # takes longer than all else at the start

    return sorted({entry.name for entry in entry_points(group=GROUP)})


def load_plugin(spec: str) -> Plugin:
    """The oracle for `NAME` or `NAME:ARGUMENT`.

    Raises:
        PluginError: it does not exist, cannot be loaded, or rejects its argument.
    """
    name, _, argument = spec.partition(":")
    from importlib.metadata import entry_points

    entry = next(iter(entry_points(group=GROUP, name=name)), None)
    if entry is None:
        known = ", ".join(plugin_names()) or "none"
        raise PluginError(
            f"no such oracle: '{name}'; installed: {known} (to add one, see docs/custom-oracle.md)"
        )
    try:
        factory = entry.load()
        judge = factory(argument)
    except Exception as error:
        raise PluginError(
            f"cannot create the oracle '{name}' ({entry.value}): {type(error).__name__}: {error}"
        ) from error
    if not callable(getattr(judge, "judge", None)):
        raise PluginError(f"the oracle '{name}' ({entry.value}) has no judge method")
    return Plugin(name, spec, judge, tuple(_file_of(factory)))


def _file_of(factory: object) -> list[Path]:
    """The file that defines a class."""
    module = sys.modules.get(getattr(factory, "__module__", "") or "")
    file = getattr(module, "__file__", None)
    return [Path(file)] if file else []


@dataclass(frozen=True)
class _Words:
    command: Command
    executable: Path

    def of(self, source: Path, output: Path, flags: Sequence[str]) -> list[str]:
        words = self.command.expand(source, output)
        return [*self.command.run_with(self.executable.absolute(), words), *flags]


class _Ended(BaseException):
    """A run was ended by a limit or by the caller; plugin classes should not catch this."""
