"""An oracle that looks for text or an exit code instead of classifying failures.

For defects that show only in the output of a pass on this machine, such as wrong code for a device
that is not available.
"""

import re
import threading
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import ClassVar

from oracles.base import Capabilities, NamedOracle, outcome_of_process
from oracles.compilers.command import Command
from oracles.compilers.compiler import DISCARD, CompilerOracle
from oracles.compilers.flag_spelling import not_given
from oracles.run.capture import plain_output
from oracles.run.run_process import End, Limits, ProcessResult
from oracles.signature.classify import STARVED, signal_code
from oracles.signature.diagnostics import Diagnostic, parse_diagnostics
from oracles.signature.kind import Kind
from oracles.signature.outcome import Outcome, Signature

_WINDOW = 64 << 10
"""The characters before new text in which a match that spans lines may start."""

_DENIES = re.compile(r"\(\?<?!|\\[AZ]")

# 3.13: IR Dump After CanonicalizerPass: canonicalize{top-down=true} //----- //
# 3.4:  IR Dump After Canonicalizer (canonicalize) //----- //
_DUMP = re.compile(
    r"^// -----// IR Dump (?:After|Before) \S+?(?: Failed)?(?:: (?P<name>[\w.-]+)|"
    r"\s*\((?P<old_name>[^)\n]*)\)|\s).*$",
    re.M,
)


def decides_early(pattern: re.Pattern[str]) -> bool:
    """Whether a match remains a match whatever is printed later.

    False for a pattern that requires the *absence* of text, or refers to the ends of the whole
    text.
    """
    return not _DENIES.search(pattern.pattern)


def dumps_of(text: str, pass_name: str) -> list[str]:
    """The parts of a compiler's output that show the IR after one pass, given by argument name."""
    heads = list(_DUMP.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return [
        text[head.end() : end]
        for head, end in zip(heads, ends, strict=False)
        if (head["name"] or head["old_name"]) == pass_name
    ]


class Scanner:
    """Reads complete lines of each stream as they arrive; `found` is whether there was a match.

    With `pass_name`, only the IR printed after that pass counts. With `stops`, the program is ended
    at the first match.
    """

    def __init__(
        self, pattern: re.Pattern[str], *, pass_name: str | None = None, stops: bool = True
    ) -> None:
        self._pattern = pattern
        self._pass_name = pass_name
        self._stops = stops
        self.restart()

    def restart(self) -> None:
        """Discard everything read so far."""
        self.found = False
        self._partial = {"stdout": b"", "stderr": b""}
        self._window = {"stdout": "", "stderr": ""}
        self._inside = self._pass_name is None

    def __call__(self, stream: str, chunk: bytes) -> bool:
        lines, newline, rest = (self._partial[stream] + chunk).rpartition(b"\n")
        self._partial[stream] = rest
        if newline and not self.found:
            self._read(stream, plain_output(lines + newline))
        return self.found and self._stops

    def _read(self, stream: str, text: str) -> None:
        if self._pass_name is not None:
            text = self._of_pass(text)
        if not text:
            return
        window = self._window[stream] + text
        self.found = self._pattern.search(window) is not None
        start = max(0, len(window) - _WINDOW)
        line_start = window.rfind("\n", 0, start) + 1  # so that ^ matches at line starts only
        self._window[stream] = window[line_start:]

    def _of_pass(self, text: str) -> str:
        """The part of new lines that belongs to dumps of the pass."""
        kept, position = [], 0
        for head in _DUMP.finditer(text):
            if self._inside:
                kept.append(text[position : head.start()])
            self._inside = (head["name"] or head["old_name"]) == self._pass_name
            position = head.end()
        if self._inside:
            kept.append(text[position:])
        return "".join(kept)


@dataclass(frozen=True, eq=False)
class PatternOracle(NamedOracle):
    """A candidate is interesting if its output matches `regex`, it exits with `exit_code`, or both.

    Both must hold if both are given. Any other outcome is a success. The compiler is ended at the
    first match unless its exit code matters. With `pass_name`, only the IR printed after that pass
    is searched (see `ir_after`).

    Raises:
        ValueError: neither is given, or the pattern is invalid.

    Attributes:
        kinds: the kinds of outcome that are interesting.
    """

    kinds: ClassVar = frozenset({Kind.MATCH, Kind.EXIT_CODE})

    inner: CompilerOracle
    _: KW_ONLY
    regex: str | None = None
    exit_code: int | None = None
    pass_name: str | None = None

    def __post_init__(self) -> None:
        if self.regex is None and self.exit_code is None:
            raise ValueError("give a pattern, an exit code, or both")
        if self.exit_code is not None:
            object.__setattr__(self, "exit_code", signal_code(self.exit_code))
        try:
            self._pattern  # noqa: B018
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}") from error

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        return None if self.regex is None else re.compile(self.regex, re.M)

    @property
    def capabilities(self) -> Capabilities:
        """Those of a compiler whose output counts."""
        return Capabilities(self.inner.executable, compiler=self.inner, output=self)

    @property
    def limits(self) -> Limits:
        """The limits of the compiler oracle."""
        return self.inner.limits

    @property
    def key(self) -> str:
        """The key of the inner oracle, with the pattern and exit code."""
        return f"pattern {self.regex!r} {self.exit_code} {self.pass_name} {self.inner.key}"

    def shortened(self) -> "list[PatternOracle]":
        """The same search for commands that stop after each phase."""
        return [replace(self, inner=inner) for inner in self.inner.shortened()]

    @property
    def command(self) -> Command:
        """The compiler command."""
        return self.inner.command

    def with_command(self, command: Command) -> "PatternOracle":
        """The same search for another command."""
        return replace(self, inner=self.inner.with_command(command))

    def wants(self, outcome: Outcome) -> bool:
        """Whether the outcome is a match."""
        return outcome.kind in self.kinds

    def named(self, name: str) -> "PatternOracle":
        """The same for the printed command."""
        return replace(self, inner=replace(self.inner, name=name, output=DISCARD))

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
        """Run the compiler, until the first match if that is enough, and search its output."""
        scanner = self._scanner()
        result = self.inner.execute(
            text, cancel=cancel, limits=limits, reader=scanner, symbolize=True
        )
        exited = result.end is End.EXITED
        signature = self._judge(result, scanner is not None and scanner.found)
        return outcome_of_process(
            result,
            signature,
            exit_code=signal_code(result.exit_code) if exited else None,
            diagnostics=(*parse_diagnostics(result.stderr), *self._remarks(result, signature)),
        )

    def _scanner(self) -> Scanner | None:
        """A scanner, if later output cannot undo a match; else None."""
        if self._pattern is None or not decides_early(self._pattern):
            return None
        return Scanner(self._pattern, pass_name=self.pass_name, stops=self.exit_code is None)

    def _judge(self, result: ProcessResult, matches: bool) -> Signature:
        if result.end not in (End.EXITED, End.STOPPED):
            return Signature(Kind(str(result.end)))
        if result.starved:
            return Signature(Kind.MEMORY, STARVED)
        code_holds = self.exit_code in (None, signal_code(result.exit_code))
        pattern = self._pattern
        if pattern is None:
            asked = Signature(Kind.EXIT_CODE, f"exit code {self.exit_code}")
            return asked if code_holds else Signature(Kind.SUCCESS)
        if code_holds and (matches or any(map(pattern.search, self._texts(result)))):
            wanted = "" if self.exit_code is None else f" and exit code {self.exit_code}"
            after = "" if self.pass_name is None else f" after {self.pass_name}"
            return Signature(Kind.MATCH, f"/{pattern.pattern}/{after}{wanted}")
        return Signature(Kind.SUCCESS)

    def _texts(self, result: ProcessResult) -> list[str]:
        """The texts in which a match counts."""
        texts = [result.stderr, result.stdout]
        if self.pass_name is None:
            return texts
        return [dump for text in texts for dump in dumps_of(text, self.pass_name)]

    def _remarks(self, result: ProcessResult, signature: Signature) -> list[Diagnostic]:
        """What a run without a match lacks: the pass, the text or the exit code."""
        if result.end is not End.EXITED or signature.kind is not Kind.SUCCESS:
            return []
        missing = self._missing_pass(result)
        # Only a pass that did not run leaves it open whether the failure would be there.
        severity = "remark" if missing else "note"
        return [Diagnostic("", 0, 0, severity, missing or self._difference(result))]

    def _missing_pass(self, result: ProcessResult) -> str:
        """A remark about the name of a pass that never ran."""
        if self.pass_name is None or self._texts(result):
            return ""
        unknown = f"Cannot find option named '{self.pass_name}'" in result.stderr
        return f"{self.pass_name}: {'no such pass' if unknown else 'this pass did not run'}"

    def _difference(self, result: ProcessResult) -> str:
        code = signal_code(result.exit_code)
        if self.exit_code not in (None, code):
            return f"the exit code is {code}, not {self.exit_code}"
        return f"nothing in the output matches '{self.regex}'"


_PRINT = "--mlir-print-ir-after"
_OTHERS = ("--mlir-disable-threading", "--mlir-elide-elementsattrs-if-larger=64")
"""Threads would mix the lines of several functions, and large constants would flood the output."""


def ir_after(inner: CompilerOracle, pass_name: str, regex: str) -> PatternOracle:
    """An oracle for a match of `regex` in the IR after the pass with that argument name.

    The compiler is ended at the first match.

    Raises:
        ValueError: the pattern is invalid.
    """
    own = inner.command.flags
    flags = [*own, f"{_PRINT}={pass_name}", *not_given(_OTHERS, own)]
    command = inner.command.with_flags(flags)
    return PatternOracle(inner.with_command(command), regex=regex, pass_name=pass_name)
