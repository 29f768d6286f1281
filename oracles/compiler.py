"""The oracle that runs a compiler."""

import shutil
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from oracles.base import file_identity, outcome_of, write_candidate
from oracles.classify import Finding, classify
from oracles.command import Command, resolve_binary, verifying_tool
from oracles.kind import Kind
from oracles.limits import End, Limits, ProcessResult, Runner
from oracles.outcome import Outcome
from oracles.phases import PHASES, STOP_FLAG, may_stop_early
from oracles.process import run_process
from oracles.signature import Signature
from oracles.stage import PIPELINE, failing_pass, input_stage
from oracles.symbols import SymbolIndex, load_index

DISCARD = "/dev/null"

_NAME_PASS = (
    "--mlir-print-ir-after-failure",
    "--mlir-disable-threading",
    "--mlir-elide-elementsattrs-if-larger=16",
)
_READS_OTHERWISE = (
    "mlir-very-unsafe-disable-verifier",
    "no-implicit-module",
    "split-input-file",
    "verify-diagnostics",
)


class CompilerOracle:
    """Runs `command` with `executable` on each candidate and classifies what happens.

    `name` is the candidate's file name inside the private folder of each run, `output` that of
    what the compiler makes. `runner` runs the programs: `run_process`, or one that does the same
    in less time.
    """

    def __init__(
        self,
        command: Command,
        executable: Path,
        *,
        name: str = "input.mlir",
        output: str = "output.bin",
        limits: Limits | None = None,
        runner: Runner = run_process,
    ) -> None:
        self.command = command
        self.executable = executable
        self.name = name
        self.output = output
        self.limits = limits or Limits()
        self.runner = runner
        self._verifier = verifying_tool(resolve_binary(executable))
        self._name_pass = False  # ask for the failing pass at once: an earlier run needed it

    @property
    def key(self) -> str:
        """Command, program, its libraries and the files that its flags name."""
        libraries = sorted(self.executable.resolve().parent.glob("lib*.so*"))
        files = [self.executable, *libraries, *self.command.files()]
        identities = " ".join(file_identity(path) for path in files)
        return f"compiler {self.name} {self.command.words(self.name)} {identities}"

    def wants(self, outcome: Outcome) -> bool:
        """Any failure."""
        return outcome.failed

    def display(self, input_name: str) -> list[str]:
        """The user's own command on `input_name`, its output discarded.

        The program is written as the user did if a shell would find the same one by that name.
        """
        shown = f"./{input_name}" if input_name.startswith("-") else input_name
        words = self.command.words(shown, DISCARD)
        found = shutil.which(words[0])
        same = found is not None and resolve_binary(Path(found)).samefile(self.executable)
        return words if same else [str(self.executable), *words[1:]]

    def confirm(self, text: str | bytes, input_name: str, *, limits: Limits) -> Outcome:
        """Runs what `display` shows, with the program that a shell would find."""
        shown = self.display(input_name)
        program = Path(shutil.which(shown[0]) or self.executable)
        fresh = CompilerOracle(self.command, program, name=input_name, output=DISCARD)
        return fresh.run(text, limits=limits)

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
            probe = partial(self.runner, cwd=place, limits=limits, cancel=cancel)
            named = self._name_pass
            result = probe(self._argv(_NAME_PASS if named else ()))
            finding = classify(result, self._symbols)
            outcome = outcome_of(
                result,
                _signature(finding),
                exit_code=finding.exit_code,
                diagnostics=finding.diagnostics,
            )
            if finding.nameless:
                known = result if named else None
                return self._with_pass(outcome, known, _Costed(probe))
            if finding.primary is None:
                return outcome
            return self._with_stage(outcome, finding, _Costed(probe))

    def verifying_command(self) -> list[str] | None:
        """A program and flags that read an input as the command does, and verify it, no more.

        None if there is no such tool, or if the command reads inputs in a way of its own.
        """
        own = any(flag.lstrip("-").startswith(_READS_OTHERWISE) for flag in self.command.flags)
        return None if own else self._verifying

    def shortened(self) -> "list[CompilerOracle]":
        """The same command stopped after each phase, from the earliest to the last."""
        if not may_stop_early(self.executable.name, self.command.flags):
            return []
        return [self._stopping_after(phase) for phase in PHASES]

    def _stopping_after(self, phase: str) -> "CompilerOracle":
        flags = [*self.command.flags, f"{STOP_FLAG}={phase}"]
        return self.with_command(self.command.with_flags(flags))

    def with_command(self, command: Command) -> "CompilerOracle":
        """The same program and limits with another command."""
        return CompilerOracle(
            command,
            self.executable,
            name=self.name,
            output=self.output,
            limits=self.limits,
            runner=self.runner,
        )

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
            return self.runner(
                self._argv(), cwd=Path(folder), limits=limits or self.limits, cancel=cancel
            )

    def _argv(self, extra: Sequence[str] = ()) -> list[str]:
        name = f"./{self.name}" if self.name.startswith("-") else self.name
        words = self.command.expand(name, self.output)
        given = {word.partition("=")[0] for word in words}
        extra = [flag for flag in extra if flag.partition("=")[0] not in given]
        return [str(self.executable.absolute()), *words[1:], *extra]

    def _symbols(self, module: str) -> SymbolIndex | None:
        """Symbols of a library that lies with the compiler; `module` is a bare file name."""
        folder = resolve_binary(self.executable).resolve().parent
        for place in (folder, folder.parent / "lib"):
            path = place / Path(module).name
            if path.is_file():
                return load_index(path)
        return None

    def _with_stage(self, outcome: Outcome, finding: Finding, probe: "_Costed") -> Outcome:
        if finding.settled:
            stage, kind = PIPELINE, finding.kind
        else:
            stage, kind = input_stage(finding, partial(self._verify, probe))
        return probe.added(outcome, replace(outcome.signature, kind=kind, stage=stage))

    def _with_pass(
        self, outcome: Outcome, known: ProcessResult | None, probe: "_Costed"
    ) -> Outcome:
        """Only the pass tells a failure without a message of its own from any other."""
        name = failing_pass((known or probe(self._argv(_NAME_PASS))).stderr)
        self._name_pass = bool(name)  # not where the compiler does not know the flags
        stage = f"{PIPELINE} {name}".rstrip()
        return probe.added(outcome, replace(outcome.signature, stage=stage))

    def _verify(self, probe: "_Costed", flags: Sequence[str]) -> ProcessResult | None:
        command = self._verifying
        if command is None:
            return None
        program, *lenient = command
        return probe([program, self.name, *flags, *lenient, "-o", "verified.mlir"])

    @property
    def _verifying(self) -> list[str] | None:
        if self._verifier is None:
            return None
        # A compiler takes unregistered operations; an `-opt` tool only where it is told to.
        lenient = any("allow-unregistered-dialect" in flag for flag in self.command.flags)
        if lenient or self._verifier != self.executable:
            return [str(self._verifier.absolute()), "--allow-unregistered-dialect"]
        return [str(self._verifier.absolute())]


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

    def added(self, outcome: Outcome, signature: Signature) -> Outcome:
        """The outcome with this signature and the cost of the probes."""
        if self.cancelled:
            signature = Signature(Kind.CANCELLED)
        return replace(
            outcome,
            kind=signature.kind,
            signature=signature,
            seconds=outcome.seconds + self.seconds,
            cpu_seconds=outcome.cpu_seconds + self.cpu_seconds,
            peak_memory=max(outcome.peak_memory, self.peak_memory),
        )


def _signature(finding: Finding) -> Signature:
    return Signature(finding.kind, finding.template, finding.op, "", finding.frames)
