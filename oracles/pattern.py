"""The oracle that looks for a text or an exit code instead of classifying."""

import re
import threading

from oracles.base import outcome_of
from oracles.classify import signal_code
from oracles.command import Command
from oracles.compiler import DISCARD, CompilerOracle
from oracles.diagnostics import parse_diagnostics
from oracles.kind import Kind
from oracles.outcome import Outcome
from oracles.process import End, Limits, ProcessResult
from oracles.signature import Signature


class PatternOracle:
    """Interesting is what prints a match of `regex`, ends with `exit_code`, or both if both are
    given. Anything else is a success: it is not what was asked for.

    Raises ValueError where neither is given or the pattern is wrong.
    """

    def __init__(
        self, inner: CompilerOracle, *, regex: str | None = None, exit_code: int | None = None
    ) -> None:
        if regex is None and exit_code is None:
            raise ValueError("give a pattern, an exit code, or both")
        try:
            self._pattern = None if regex is None else re.compile(regex, re.M)
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}") from error
        self.inner = inner
        self._regex = regex
        self.exit_code = None if exit_code is None else signal_code(exit_code)

    @property
    def limits(self) -> Limits:
        """Those of the compiler oracle."""
        return self.inner.limits

    @limits.setter
    def limits(self, limits: Limits) -> None:
        self.inner.limits = limits

    @property
    def key(self) -> str:
        """The inner oracle and what is looked for."""
        pattern = None if self._pattern is None else self._pattern.pattern
        return f"pattern {pattern!r} {self.exit_code} {self.inner.key}"

    def shortened(self) -> "list[PatternOracle]":
        """The same question about commands that stop after each phase."""
        return [
            PatternOracle(inner, regex=self._regex, exit_code=self.exit_code)
            for inner in self.inner.shortened()
        ]

    @property
    def command(self) -> Command:
        """The compiler's."""
        return self.inner.command

    def with_command(self, command: Command) -> "PatternOracle":
        """Looks for the same in what another command prints."""
        inner = self.inner.with_command(command)
        return PatternOracle(inner, regex=self._regex, exit_code=self.exit_code)

    def wants(self, outcome: Outcome) -> bool:
        """Only what was asked for."""
        return outcome.kind in (Kind.MATCH, Kind.EXIT_CODE)

    def confirm(self, text: str | bytes, input_name: str, *, limits: Limits) -> Outcome:
        """Runs the compiler's printed command and looks once more."""
        inner = CompilerOracle(
            self.inner.command, self.inner.executable, name=input_name, output=DISCARD
        )
        fresh = PatternOracle(inner, regex=self._regex, exit_code=self.exit_code)
        return fresh.run(text, limits=limits)

    def display(self, input_name: str) -> list[str]:
        """The compiler's command on `input_name`."""
        return self.inner.display(input_name)

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        """Runs the compiler once and looks."""
        result = self.inner.execute(text, cancel=cancel, limits=limits)
        exited = result.end is End.EXITED
        return outcome_of(
            result,
            self._judge(result),
            exit_code=signal_code(result.exit_code) if exited else None,
            diagnostics=parse_diagnostics(result.stderr),
        )

    def _judge(self, result: ProcessResult) -> Signature:
        if result.end is not End.EXITED:
            return Signature(Kind(str(result.end)))
        code_holds = self.exit_code in (None, signal_code(result.exit_code))
        pattern = self._pattern
        if pattern is None:
            found = Signature(Kind.EXIT_CODE, f"exit code {self.exit_code}")
            return found if code_holds else Signature(Kind.SUCCESS)
        text_holds = pattern.search(result.stderr) or pattern.search(result.stdout)
        if code_holds and text_holds:
            wanted = "" if self.exit_code is None else f" and exit code {self.exit_code}"
            return Signature(Kind.MATCH, f"/{pattern.pattern}/{wanted}")
        return Signature(Kind.SUCCESS)
