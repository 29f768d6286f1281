"""The oracle that runs a compiler."""

import os
import re
import shlex
import shutil
import threading
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

from oracles.base import (
    CANDIDATE,
    CandidateFile,
    Capabilities,
    candidate_name,
    file_identity,
    outcome_of_process,
    write_candidate,
)
from oracles.compilers.command import INPUT, Command, resolve_binary, tool_behind, verifying_tool
from oracles.compilers.flag_spelling import not_given, run_with
from oracles.compilers.probes import ExtraRuns, NoRuns
from oracles.profiles import Dispatches, Phases, dispatches_of, phases_of
from oracles.run.limits import End, Limits, ProcessResult, Reader, Runner
from oracles.run.run_process import KILLED, refuse_full_disk, run_process
from oracles.run.scratch import like_working_folder, name_in_working_folder, private_folder
from oracles.signature.abnormal import told_exit_code
from oracles.signature.actions import LOG_ACTIONS, Culprit, logging_actions
from oracles.signature.classify import Classification, classify
from oracles.signature.derive import Level, derive
from oracles.signature.kind import Kind
from oracles.signature.on_stdout import reading_both
from oracles.signature.outcome import Outcome, Signature
from oracles.stacks.crash_stack import CrashStack
from oracles.stacks.symbols import SymbolIndex, load_index

DISCARD = "/dev/null"
_TO_PRINT_A_STACK = 2 << 30
"""The bytes that a compiler may use to say where it fails, for lack of memory that it allocates."""

CLASSIFIER_VERSION = 48
"""Incremented whenever the same text gets a new signature: a journal must not mix the two."""

NAME_PASS = (
    "--mlir-print-ir-after-failure",
    "--mlir-disable-threading",
    "--mlir-elide-elementsattrs-if-larger=16",
    "--mlir-print-op-generic",
)
"""Flags that make the compiler name the pass that failed and print its IR, in generic form."""
UNTHREADED = ("--mlir-disable-threading",)
"""Flags that make the compiler use one thread."""
_MAX_IR = 64 << 20
"""The bytes kept of that IR."""
_SYSTEM_LIBRARIES = (
    Path("/usr/lib", f"{os.uname().machine}-linux-gnu"),
    Path("/usr/lib64"),
    Path("/usr/lib"),
)
_READS_OTHERWISE = (
    "mlir-very-unsafe-disable-verifier",
    "no-implicit-module",
    "split-input-file",
    "verify-diagnostics",
)


_UNKNOWN_SECONDS = 10.0
_STAMP = re.compile(r"^\d{4}-\d\d-\d\dT[\d:.]+Z ", re.M)
"""What some CI services begin each line of a log with."""


def _printed(text: str, code: int | None) -> ProcessResult:
    """A run known only by what it printed, and perhaps by how it ended."""
    return ProcessResult(End.EXITED, code or 1, _UNKNOWN_SECONDS, _UNKNOWN_SECONDS, 0, "", text)


@dataclass
class Expectation:
    """How the failures of candidates are asked about, as the first run has shown."""

    name_pass: bool = False
    asks_again: bool = True
    has_stacks: bool = True


@dataclass(frozen=True, eq=False)
class CompilerOracle:
    """Runs `command` with `executable` on each candidate and classifies the result.

    `name` is the candidate's file name in the private folder of each run, `output` the file name of
    the compiler's output. `runner` runs programs: `run_process` or a faster equivalent. `level` is
    the strictness of the signatures. See `on_file` about `file`, `printed` about `allowed`, and
    `expect` about `expected`, of which each oracle has its own.
    """

    command: Command
    executable: Path
    _: KW_ONLY
    name: str = CANDIDATE
    output: str = "output.bin"
    limits: Limits = field(default_factory=Limits)
    runner: Runner = run_process
    level: Level = Level.NORMAL
    file: Path | None = None
    allowed: tuple[int, Signature] | None = None
    expected: Expectation = field(default_factory=Expectation)

    def __post_init__(self) -> None:
        object.__setattr__(self, "expected", replace(self.expected))

    @property
    def capabilities(self) -> Capabilities:
        """Those of a compiler whose failures count."""
        return Capabilities(self.executable, compiler=self, failures=self)

    @cached_property
    def _verifier(self) -> Path | None:
        return verifying_tool(resolve_binary(self.executable))

    @cached_property
    def key(self) -> str:
        """The command, the program, its libraries, and the files that it reads by its flags."""
        libraries = sorted(self.executable.resolve().parent.glob("lib*.so*"))
        behind = {tool_behind(self.executable)} - {resolve_binary(self.executable)}
        files = [self.executable, *behind, *libraries, *self.command.inputs()]
        identities = " ".join(file_identity(path) for path in files)
        level = "" if self.level is Level.NORMAL else f"{self.level} "
        words = self.command.words(self.name)
        return f"compiler {CLASSIFIER_VERSION} {level}{self.name} {words} {identities}"

    def on_file(self, file: Path) -> "CompilerOracle":
        """The same oracle, which runs the command as where the user stands, on a file of that name.

        What it is given to run must be the text of that file. Further runs that say more about a
        failure have a file of their own, and so has a shell's script with a name to be quoted.
        """
        inside = any(INPUT in word and word != INPUT for word in self.command.argv)
        is_quoted = inside and shlex.quote(str(file)) != str(file)
        return replace(self, file=None if is_quoted else file)

    def wants(self, outcome: Outcome) -> bool:
        """Whether the outcome is a failure of any kind."""
        return outcome.failed

    def display(self, input_name: str, output: str = DISCARD) -> list[str]:
        """The user's own command on `input_name`, with its output discarded or in a file.

        The program is spelled as the user typed it if a shell would find the same program by that
        name.
        """
        shown = f"./{input_name}" if input_name.startswith("-") else input_name
        words = self.printed.words(shown, output)
        found = shutil.which(self.command.program)
        same = found is not None and resolve_binary(Path(found)).samefile(self.executable)
        return words if same else self.printed.run_with(self.executable, words)

    @property
    def printed(self) -> Command:
        """The command with the limit of memory that its failure needs, if it needs one.

        `allowed` are the bytes that may be allocated, and the failure if there are no more.
        """
        if self.allowed is None:
            return self.command
        words = ("prlimit", f"--data={self.allowed[0]}", *self.command.launcher)
        return replace(self.command, launcher=words)

    def culprit(
        self, text: str | bytes, outcome: Outcome, cancel: threading.Event | None = None
    ) -> Culprit:
        """The pass and the pattern that crash, if the compiler can tell; takes another run."""
        if not outcome.stack and not outcome.kind.traits.known_by_stack:
            return Culprit()
        with private_folder() as place:
            path = write_candidate(place, self.name, text)
            limits = replace(self.limits, output=max(self.limits.output, _MAX_IR))
            runner = reading_both(self.runner, text, path)
            run = partial(runner, cwd=place, limits=limits, cancel=cancel)
            naming = partial(self._run_naming, run)
            return ExtraRuns(self, run, run, naming).culprit(CrashStack(outcome.stack))

    def confirm(
        self,
        text: str | bytes,
        input_name: str,
        *,
        limits: Limits,
        cancel: threading.Event | None = None,
    ) -> Outcome:
        """Run the command from `display`, with the program that a shell would find."""
        limits = replace(limits, layout=None)
        shown = self.display(input_name)
        program = Path(shutil.which(shown[len(self.printed.launcher)]) or self.executable)
        fresh = CompilerOracle(
            self.printed, program, name=input_name, output=DISCARD, level=self.level
        )
        if self.allowed is None:
            return fresh.run(text, limits=limits, cancel=cancel)
        limits = replace(limits, memory=self.allowed[0] + _TO_PRINT_A_STACK)
        outcome = fresh.run(text, limits=limits, cancel=cancel)
        if not outcome.failed or outcome.cancelled:
            return outcome
        # Few programs check each allocation, so how it ends says no more than that.
        return replace(outcome, kind=Kind.MEMORY, signature=self.allowed[1], exit_code=None)

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        """Compile one candidate; short extra runs find the failing stage if necessary.

        The outcome's time includes theirs.

        Raises:
            OSError: there is no space for files, be it for the candidate or those of the program.
        """
        limits = replace(limits or self.limits, ask=True)
        with private_folder() as place:
            candidate = CandidateFile.write(place, self.name, text)
            runner = reading_both(self.runner, text, candidate.path)
            run = partial(runner, cwd=place, limits=limits, cancel=cancel)
            at_length = partial(run, limits=replace(limits, output=max(limits.output, _MAX_IR)))
            naming = partial(self._run_naming, at_length)
            probes = ExtraRuns(self, run, at_length, naming)
            whole = naming if self.expected.name_pass else partial(run, self._argv())
            if self.file is not None and not self.expected.name_pass:
                like = place / "like"
                name = like_working_folder(like, self.file)
                (like / name).hardlink_to(candidate.path)
                words = self._words(_as_argument(name), str(place / self.output))
                whole = partial(run, words, cwd=like)
            result = refuse_full_disk(whole())
            classification = self._classified(result)
            if self.expected.asks_again and classification.is_unplaced:
                probes.count(result, "that printed no stack")
                result = whole()
                classification = self._classified(result)
            doubtful = classification.crash.cut or classification.lent
            if doubtful and self.expected.has_stacks and not self.expected.name_pass:
                result, classification = self._on_one_thread(run, result, classification, probes)
            signature = derive(
                classification,
                self.level,
                probes,
                names_pass=self.expected.name_pass,
                is_input=lambda file: candidate.is_meant_by(file, self.command),
            )
            if not self.name.startswith(candidate_name("")):
                classification = replace(  # it is shown, with its own name
                    classification, diagnostics=classify(result, self.symbols).diagnostics
                )
            return probes.added(
                outcome_of_process(
                    result,
                    signature,
                    exit_code=classification.exit_code,
                    diagnostics=classification.diagnostics,
                    passes=classification.passes,
                    stack=classification.crash.frames,
                )
            )

    def reported(self, text: str, log: str) -> tuple[Outcome, bool] | None:
        """The outcome of a run that somebody else has made on a text, by what its log says.

        Nothing is compiled. How long the run took is not known: it counts as just not cheap.

        Returns:
            The outcome, and whether its signature is that of a run: if not, it is what is `said`.
            None if the log does not say what failed.
        """
        code = told_exit_code(log)
        result = _printed(_STAMP.sub("", log), code)
        one = self._classified(result)
        says_nothing = one.kind is Kind.OTHER_ERROR and one.primary is None
        if one.kind.traits.costly or says_nothing:
            return None
        with private_folder() as place:
            runner = reading_both(self.runner, text, write_candidate(place, self.name, text))
            run = partial(runner, cwd=place, limits=replace(self.limits, ask=True))
            own = {d.file for d in one.diagnostics if Path(d.file).name not in text}
            probes = NoRuns(ExtraRuns(self, run, run, partial(run, ())).verify)
            signature = derive(one, self.level, probes, is_input=own.__contains__)
        ends_somehow = code is None and one.kind.traits.known_by_stack
        is_complete = not probes.is_missed and not ends_somehow
        named = (replace(d, file=self.name) if d.file in own else d for d in one.diagnostics)
        outcome = outcome_of_process(
            result, signature, exit_code=code, diagnostics=(*named,), stack=one.crash.frames
        )
        if not is_complete:
            outcome = replace(outcome, signature=self.said(outcome, code))
        return (outcome, is_complete) if outcome.kind.traits.is_bug else None

    def said(self, outcome: Outcome, code: int | None) -> Signature:
        """The signature of a failure by its output alone, and by an exit code if one is known."""
        if not outcome.kind.traits.tells or outcome.succeeded:
            return outcome.signature
        return derive(self._classified(_printed(outcome.stderr, code)), self.level, NoRuns())

    def _on_one_thread(
        self,
        run: Callable[[Sequence[str]], ProcessResult],
        result: ProcessResult,
        classification: Classification,
        probes: ExtraRuns,
    ) -> tuple[ProcessResult, Classification]:
        """What the crash is if no other thread crashes or reports an error before it is printed."""
        if result.exit_code in KILLED or not not_given(UNTHREADED, self.command.flags):
            return result, classification  # who is killed never prints a stack
        alone = run_with(self.executable, UNTHREADED, lambda flags: run(self._argv(flags)))
        again = self._classified(alone)
        says_more = again.kind is classification.kind and not again.crash.cut
        why = "on all threads" if says_more else "on one thread"
        probes.count(result if says_more else alone, why)
        if says_more:
            return alone, again
        return result, self._classified(result, lends=not classification.lent)

    def _classified(self, result: ProcessResult, *, lends: bool = True) -> Classification:
        """What a result is, whatever the file is called that the compiler has read."""
        text = result.stderr
        for name in self._names:
            text = re.sub(rf"(?<![\w./-]){re.escape(name)}(?![\w-]|\.\w)", CANDIDATE, text)
        return classify(replace(result, stderr=text), self.symbols, lends=lends)

    @cached_property
    def _names(self) -> list[str]:
        """How a compiler may call what it reads, if that is not known as a file by its suffix."""
        names = set() if self.name.endswith(".mlir") else {_as_argument(Path(self.name))}
        if self.file is not None:
            names |= {_as_argument(name_in_working_folder(self.file)), self.file.name}
        return sorted((one for one in names if set("./") & set(one)), key=len, reverse=True)

    def expect(self, outcome: Outcome) -> None:
        """Expect failures like this one from now on; no other run may be in progress.

        If it took an extra run to learn the failing pass, every later run asks for it directly.
        Later outcomes do not change that setting: with it, the compiler uses one thread and may
        report a different one of several failing dispatches first.

        A compiler that is stopped at a limit is asked where it is, and on a busy machine it may not
        answer in time. Then it is run again, unless this one did not answer, either. Nor is a crash
        without a stack repeated on one thread if this one has no stack, either.
        """
        self.expected.name_pass = outcome.pass_asked
        self.expected.asks_again = bool(outcome.passes) or not outcome.kind.traits.costly
        self.expected.has_stacks = bool(outcome.stack or outcome.signature.stage)

    def verifying_command(self) -> list[str] | None:
        """A program and flags that only parse and verify an input, in the way the command reads it.

        None if there is no such tool, or if the command reads its input in a special way.
        """
        own = any(flag.lstrip("-").startswith(_READS_OTHERWISE) for flag in self.command.flags)
        return None if own else self._verifying

    def shortened(self) -> "list[CompilerOracle]":
        """The same command stopped after each phase, earliest phase first."""
        phases = self.phases
        if phases is None:
            return []
        return [self.with_extra_flags([f"{phases.stop_flag}={name}"]) for name in phases.names]

    @property
    def phases(self) -> Phases | None:
        """The phases after which the command can be stopped; None if there are none."""
        return phases_of(self.executable.name, self.command.flags)

    @property
    def dispatches(self) -> Dispatches | None:
        """How to compile the dispatches of an input alone; None if that is not possible."""
        return dispatches_of(self.executable.name, self.command.flags)

    def with_extra_flags(self, flags: Sequence[str]) -> "CompilerOracle":
        """The same oracle with additional flags."""
        return self.with_command(self.command.with_flags([*self.command.flags, *flags]))

    def with_command(self, command: Command) -> "CompilerOracle":
        """The same program, limits and expectation with another command."""
        return replace(self, command=command)

    def execute(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
        reader: Reader | None = None,
        symbolize: bool = False,
    ) -> ProcessResult:
        """Run the compiler without classification. `run_process` has the other parameters."""
        with private_folder() as place:
            write_candidate(place, self.name, text)
            return self.runner(
                self._argv(),
                cwd=place,
                limits=limits or self.limits,
                cancel=cancel,
                reader=reader,
                symbolize=symbolize,
            )

    def _argv(self, extra: Sequence[str] = ()) -> list[str]:
        words = self._words(_as_argument(Path(self.name)), self.output)
        return [*words, *not_given(extra, words)]

    def _words(self, name: str, output: str) -> list[str]:
        words = self.command.expand(name, output)
        return self.command.run_with(self.executable.absolute(), words)

    def symbols(self, module: str) -> SymbolIndex | None:
        """The symbols of a library of the compiler or the system; `module` is a bare file name.

        That of the compiler itself is the one that it was started by, which may be a link's.
        """
        binary = tool_behind(self.executable)
        if module in (binary.name, self.executable.name):
            return load_index(binary)
        folder = binary.resolve().parent
        name = "LD_LIBRARY_PATH="
        own = [word for word in self.command.launcher if word.startswith(name)]
        told = map(Path, (own or [os.environ.get(name[:-1], "")])[-1].removeprefix(name).split(":"))
        for place in (folder, folder.parent / "lib", *told, *_SYSTEM_LIBRARIES):
            path = place / Path(module).name
            if path.is_file():
                return load_index(path)
        return None

    def verifying(self, flags: Sequence[str]) -> list[str] | None:
        """The `-opt` command that verifies the candidate; None if there is no such tool."""
        command = self._verifying
        if command is None:
            return None
        program, *lenient = command
        return [program, self.name, *flags, *lenient, "-o", "verified.mlir"]

    def _run_naming(self, run: Callable[[Sequence[str]], ProcessResult]) -> ProcessResult:
        """Run the command with flags that also make the compiler name the failing pass."""
        return run_with(self.executable, NAME_PASS, lambda flags: run(self._argv(flags)))

    def with_actions(self) -> list[str]:
        """The command with flags that also make the compiler log its actions."""
        return logging_actions(self._argv(LOG_ACTIONS))

    @property
    def _verifying(self) -> list[str] | None:
        if self._verifier is None:
            return None
        # A compiler accepts unregistered operations; an `-opt` tool only with a flag.
        lenient = any("allow-unregistered-dialect" in flag for flag in self.command.flags)
        if lenient or self._verifier != self.executable:
            return [str(self._verifier.absolute()), "--allow-unregistered-dialect"]
        return [str(self._verifier.absolute())]


def _as_argument(file: Path) -> str:
    """A file as the argument of a command, but no flag and no mere word."""
    name = str(file)
    return name if set("./") & set(name) and not name.startswith("-") else f"./{name}"
