"""The oracle that runs a compiler."""

import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from oracles.base import file_identity, outcome_of, write_candidate
from oracles.classify import Finding, classify
from oracles.command import Command, verifying_tool
from oracles.kind import Kind
from oracles.outcome import Outcome
from oracles.process import End, Limits, ProcessResult, run_process
from oracles.signature import Signature
from oracles.stage import failing_pass, input_stage
from oracles.symbols import SymbolIndex, load_index

_PASS_FLAGS = ("--mlir-print-ir-after-failure",)


class CompilerOracle:
    """Runs `command` with `executable` on each candidate and classifies what happens.

    `name` is the candidate's file name inside the private folder of each run.
    """

    def __init__(
        self,
        command: Command,
        executable: Path,
        *,
        name: str = "input.mlir",
        limits: Limits | None = None,
    ) -> None:
        self.command = command
        self.executable = executable
        self.name = name
        self.limits = limits or Limits()
        self._verifier = verifying_tool(executable)

    @property
    def key(self) -> str:
        """Command, program, its libraries and the files that its flags name."""
        libraries = sorted(self.executable.resolve().parent.glob("lib*.so*"))
        files = [self.executable, *libraries, *self.command.files()]
        identities = " ".join(file_identity(path) for path in files)
        return f"compiler {self.name} {self.command.words(self.name)} {identities}"

    def display(self, input_name: str) -> list[str]:
        """The user's own command on `input_name`."""
        return self.command.words(input_name)

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        """Compiles one candidate; where needed, short extra runs find the failing stage.

        Their time is part of the outcome's.
        """
        limits = limits or self.limits
        with tempfile.TemporaryDirectory(prefix="oracle-", ignore_cleanup_errors=True) as folder:
            place = Path(folder)
            write_candidate(place, self.name, text)
            probe = partial(run_process, cwd=place, limits=limits, cancel=cancel)
            result = probe(self._argv())
            finding = classify(result, self._symbols)
            outcome = outcome_of(
                result,
                _signature(finding),
                exit_code=finding.exit_code,
                diagnostics=finding.diagnostics,
            )
            if finding.primary is None:
                return outcome
            return self._with_stage(outcome, finding, _Costed(probe))

    def execute(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> ProcessResult:
        """Only the compiler run, unclassified."""
        with tempfile.TemporaryDirectory(prefix="oracle-", ignore_cleanup_errors=True) as folder:
            write_candidate(Path(folder), self.name, text)
            return run_process(
                self._argv(), cwd=Path(folder), limits=limits or self.limits, cancel=cancel
            )

    def _argv(self, extra: Sequence[str] = ()) -> list[str]:
        words = self.command.expand(self.name, "output.bin")
        return [str(self.executable.absolute()), *words[1:], *extra]

    def _symbols(self, module: str) -> SymbolIndex | None:
        """Symbols of a library that lies with the compiler; `module` is a bare file name."""
        folder = self.executable.resolve().parent
        for place in (folder, folder.parent / "lib"):
            path = place / Path(module).name
            if path.is_file():
                return load_index(path)
        return None

    def _with_stage(self, outcome: Outcome, finding: Finding, probe: "_Costed") -> Outcome:
        if finding.nameless:
            result = probe(self._argv(_PASS_FLAGS))
            stage = " ".join(filter(None, ("pipeline", failing_pass(result.stderr))))
            kind = finding.kind
        elif finding.settled:
            stage, kind = "pipeline", finding.kind
        else:
            stage, kind = input_stage(finding, partial(self._verify, probe))
        signature = replace(outcome.signature, kind=kind, stage=stage)
        if probe.cancelled:
            signature = Signature(Kind.CANCELLED)
        return replace(
            outcome,
            kind=signature.kind,
            signature=signature,
            seconds=outcome.seconds + probe.seconds,
            cpu_seconds=outcome.cpu_seconds + probe.cpu_seconds,
            peak_memory=max(outcome.peak_memory, probe.peak_memory),
        )

    def _verify(self, probe: "_Costed", flags: Sequence[str]) -> ProcessResult | None:
        if self._verifier is None:
            return None
        # A compiler takes unregistered operations; an `-opt` tool only where it is told to.
        lenient = any("allow-unregistered-dialect" in flag for flag in self.command.flags)
        if lenient or self._verifier != self.executable:
            flags = [*flags, "--allow-unregistered-dialect"]
        argv = [str(self._verifier.absolute()), self.name, *flags, "-o", "verified.mlir"]
        return probe(argv)


class _Costed:
    """Runs probes and adds up what they cost."""

    def __init__(self, run: Callable[[Sequence[str]], ProcessResult]) -> None:
        self._run = run
        self.seconds = 0.0
        self.cpu_seconds = 0.0
        self.peak_memory = 0
        self.cancelled = False

    def __call__(self, argv: Sequence[str]) -> ProcessResult:
        result = self._run(argv)
        self.seconds += result.seconds
        self.cpu_seconds += result.cpu_seconds
        self.peak_memory = max(self.peak_memory, result.peak_memory)
        self.cancelled |= result.end is End.CANCELLED
        return result


def _signature(finding: Finding) -> Signature:
    return Signature(finding.kind, finding.template, finding.op, "", finding.frames)
