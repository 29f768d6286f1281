"""The oracle that looks for a text or an exit code instead of classifying."""

import re
import threading

from oracles.base import outcome_of
from oracles.classify import STARVED, signal_code
from oracles.command import Command
from oracles.compiler import DISCARD, CompilerOracle
from oracles.diagnostics import Diagnostic, parse_diagnostics
from oracles.kind import Kind
from oracles.outcome import Outcome
from oracles.process import End, Limits, ProcessResult
from oracles.scan import Scanner, decides_early, dumps_of
from oracles.signature import Signature


class PatternOracle:
    """Interesting is what prints a match of `regex`, ends with `exit_code`, or both if both are
    given. Anything else is a success: it is not what was asked for. The compiler is ended at the
    first match unless its exit code matters. With `pass_name`, only the IR printed after that pass
    is looked at (see `ir_after`).

    Raises ValueError where neither is given or the pattern is wrong.
    """

    def __init__(
        self,
        inner: CompilerOracle,
        *,
        regex: str | None = None,
        exit_code: int | None = None,
        pass_name: str | None = None,
    ) -> None:
        if regex is None and exit_code is None:
            raise ValueError("give a pattern, an exit code, or both")
        try:
            self._pattern = None if regex is None else re.compile(regex, re.M)
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}") from error
        self.inner = inner
        self.regex = regex
        self.pass_name = pass_name
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
        return f"pattern {pattern!r} {self.exit_code} {self.pass_name} {self.inner.key}"

    def shortened(self) -> "list[PatternOracle]":
        """The same question about commands that stop after each phase."""
        return [self._with(inner) for inner in self.inner.shortened()]

    @property
    def command(self) -> Command:
        """The compiler's."""
        return self.inner.command

    def with_command(self, command: Command) -> "PatternOracle":
        """Looks for the same in what another command prints."""
        return self._with(self.inner.with_command(command))

    def _with(self, inner: CompilerOracle) -> "PatternOracle":
        return PatternOracle(
            inner, regex=self.regex, exit_code=self.exit_code, pass_name=self.pass_name
        )

    def wants(self, outcome: Outcome) -> bool:
        """Only what was asked for."""
        return outcome.kind in (Kind.MATCH, Kind.EXIT_CODE)

    def confirm(
        self,
        text: str | bytes,
        input_name: str,
        *,
        limits: Limits,
        cancel: threading.Event | None = None,
    ) -> Outcome:
        """Runs the compiler's printed command and looks once more."""
        inner = CompilerOracle(
            self.inner.command, self.inner.executable, name=input_name, output=DISCARD
        )
        return self._with(inner).run(text, limits=limits, cancel=cancel)

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
        """Runs the compiler, until the first match where that is enough, and looks."""
        scanner = self._scanner()
        result = self.inner.execute(text, cancel=cancel, limits=limits, reader=scanner)
        exited = result.end is End.EXITED
        return outcome_of(
            result,
            self._judge(result, scanner is not None and scanner.found),
            exit_code=signal_code(result.exit_code) if exited else None,
            diagnostics=(*parse_diagnostics(result.stderr), *self._remarks(result)),
        )

    def _scanner(self) -> Scanner | None:
        """Reads along, where what is printed later cannot undo a match."""
        if self._pattern is None or not decides_early(self._pattern):
            return None
        return Scanner(self._pattern, pass_name=self.pass_name, stops=self.exit_code is None)

    def _judge(self, result: ProcessResult, found: bool) -> Signature:
        if result.end not in (End.EXITED, End.STOPPED):
            return Signature(Kind(str(result.end)))
        if result.starved:
            return Signature(Kind.MEMORY, STARVED)
        code_holds = self.exit_code in (None, signal_code(result.exit_code))
        pattern = self._pattern
        if pattern is None:
            asked = Signature(Kind.EXIT_CODE, f"exit code {self.exit_code}")
            return asked if code_holds else Signature(Kind.SUCCESS)
        if code_holds and (found or any(map(pattern.search, self._texts(result)))):
            wanted = "" if self.exit_code is None else f" and exit code {self.exit_code}"
            after = "" if self.pass_name is None else f" after {self.pass_name}"
            return Signature(Kind.MATCH, f"/{pattern.pattern}/{after}{wanted}")
        return Signature(Kind.SUCCESS)

    def _texts(self, result: ProcessResult) -> list[str]:
        """Where a match counts."""
        texts = [result.stderr, result.stdout]
        if self.pass_name is None:
            return texts
        return [dump for text in texts for dump in dumps_of(text, self.pass_name)]

    def _remarks(self, result: ProcessResult) -> list[Diagnostic]:
        """What is wrong with the name of a pass that never ran."""
        if self.pass_name is None or result.end is not End.EXITED or self._texts(result):
            return []
        unknown = f"Cannot find option named '{self.pass_name}'" in result.stderr
        told = "there is no pass with this argument name" if unknown else "this pass did not run"
        return [Diagnostic("", 0, 0, "remark", f"{self.pass_name}: {told}")]
