"""Screen candidates with the parser and verifier of the compiler, many in one process.

The compiler's `…-opt` tool reads a file of several programs with a separator line between them
(`--split-input-file`) as fast as one, since starting it dominates. The line number in an error
identifies the program. Releases differ in how they print it:

    screen.mlir:13:5: error: …                               the line in the whole file
    within split at screen.mlir:10 offset :4:5: error: …     the same in older releases: 10 + 4 - 1
"""

import re
import threading
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from hashlib import sha256
from typing import Protocol

from oracles import CompilerOracle, End, Limits, Oracle, ProcessResult, Signature
from oracles.base import capabilities_of, write_candidate
from oracles.run.scratch import private_folder
from oracles.signature.stage import INPUT

_NAME = "screen.mlir"
_SEPARATOR = "// -----"
_SECONDS = 60.0  # a tool that takes longer has a problem of its own
_OUTPUT = 64 << 20  # bytes; an error may show a whole module
_ERROR = re.compile(
    rf"^(?:within split at {_NAME}:(?P<split>\d+) offset :|{_NAME}:)(?P<line>\d+):\d+: error: "
    r"|^(?P<elsewhere>\S.*?: error: |error: )",
    re.MULTILINE,
)


class VerifierResult(StrEnum):
    """The tool's result for a text. A tool that crashes or hangs gives no result."""

    VALID = "valid"
    INVALID = "invalid"
    UNKNOWN = "unknown"


_ANSWERS = frozenset(VerifierResult)


class Texts(Protocol):
    """A cache for results (the session's journal)."""

    def get_text(self, key: str) -> str | None: ...

    def put_text(self, key: str, text: str) -> None: ...


def screen_for(
    oracle: Oracle, target: Signature, texts: Texts, limits: Limits, stop: threading.Event
) -> "VerifierScreen | None":
    """The screen that finds invalid candidates for this oracle; None if there is none.

    That is the case for scripts, without an `…-opt` tool, and if invalid IR is the target failure.
    """
    can = capabilities_of(oracle)
    if (inner := can.compiler) is None or can.numbers is not None or target.stage == INPUT:
        return None
    command = inner.verifying_command()
    return VerifierScreen(command, inner, texts, limits, stop) if command else None


class VerifierScreen:
    """Runs the tool. `runs`, `seconds` (CPU) and `rejected` (texts) are totals."""

    def __init__(
        self,
        command: Sequence[str],
        oracle: CompilerOracle,
        texts: Texts,
        limits: Limits,
        stop: threading.Event,
    ) -> None:
        self._command = command
        self._oracle = oracle
        self._texts = texts
        self._limits = Limits(_SECONDS, limits.memory, _OUTPUT)
        self._stop = stop
        self.runs = 0
        self.seconds = 0.0
        self.rejected = 0

    def passes(self, texts: Sequence[str], base: str) -> list[bool]:
        """Whether each text is worth a run; all are if the tool rejects `base`."""
        answers = self._answers([base, *texts])
        if answers[0] is not VerifierResult.VALID:
            return [True] * len(texts)
        passed = [answer is not VerifierResult.INVALID for answer in answers[1:]]
        self.rejected += passed.count(False)
        return passed

    def takes(self, text: str, base: str) -> bool:
        """Whether the tool accepts a text, without a crash; True if it does not accept `base`."""
        answers = self._answers([base, text])
        return answers[0] is not VerifierResult.VALID or answers[1] is VerifierResult.VALID

    def _answers(self, texts: Sequence[str]) -> list[VerifierResult]:
        keys = [_key(text) for text in texts]
        answers = {key: self._texts.get_text(key) for key in keys}
        new = {
            key: text for key, text in zip(keys, texts, strict=True) if answers[key] not in _ANSWERS
        }
        alone = [key for key, text in new.items() if _SEPARATOR in text]
        together = [key for key in new if key not in alone]
        for group in ([together] if together else []) + [[key] for key in alone]:
            for key, answer in zip(group, self._ask([new[key] for key in group]), strict=True):
                answers[key] = answer
                if not self._stop.is_set():
                    self._texts.put_text(key, answer)
        return [VerifierResult(answers[key] or VerifierResult.UNKNOWN) for key in keys]

    def _ask(self, texts: Sequence[str]) -> list[VerifierResult]:
        """Check all texts in one process; bisect if the errors cannot be attributed to texts."""
        result = self._run(texts)
        if result.end is End.EXITED and result.exit_code == 0:
            return [VerifierResult.VALID] * len(texts)
        diagnosed = result.end is End.EXITED and result.exit_code > 0
        if len(texts) == 1:
            return [VerifierResult.INVALID if diagnosed else VerifierResult.UNKNOWN]
        if self._stop.is_set():
            return [VerifierResult.UNKNOWN] * len(texts)
        invalid = _blamed(result.stderr, texts) if diagnosed else None
        if not invalid:
            half = len(texts) // 2
            return [*self._ask(texts[:half]), *self._ask(texts[half:])]
        return [
            VerifierResult.INVALID if n in invalid else VerifierResult.VALID
            for n in range(len(texts))
        ]

    def _run(self, texts: Sequence[str]) -> ProcessResult:
        program, *flags = self._command
        split = ["--split-input-file"] if len(texts) > 1 else []
        with private_folder() as folder:
            write_candidate(folder, _NAME, _joined(texts))
            result = self._oracle.runner(
                [program, _NAME, *flags, *split, "-o", "/dev/null"],
                cwd=folder,
                limits=self._limits,
                cancel=self._stop,
            )
        self.runs += 1
        self.seconds += result.cpu_seconds
        return result


def _key(text: str) -> str:
    return sha256(f"valid\0{text}".encode(errors="surrogateescape")).hexdigest()


def _joined(texts: Sequence[str]) -> str:
    return f"\n{_SEPARATOR}\n".join(texts)


def _blamed(stderr: str, texts: Sequence[str]) -> set[int] | None:
    """The texts that errors are about; None if an error cannot be attributed to a text."""
    starts = list(_first_lines(texts))
    out: set[int] = set()
    for error in _ERROR.finditer(stderr):
        if error["elsewhere"]:
            return None
        line = int(error["line"]) + (int(error["split"]) - 1 if error["split"] else 0)
        out.add(bisect_right(starts, line) - 1)
    return out


def _first_lines(texts: Sequence[str]) -> Iterator[int]:
    line = 1
    for text in texts:
        yield line
        line += text.count("\n") + 2
