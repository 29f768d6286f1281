"""Known failures, asked again on other compilers: what each does now. Nothing is reduced."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import PurePath

from oracles import Command, Outcome
from oracles.compilers.command import INPUT, split_launcher
from oracles.compilers.flag_spelling import refused_flags
from oracles.run.reaper_client import FIXED_ADDRESSES
from oracles.signature.stage import INPUT as INPUT_STAGE
from reducer.errors import ReducerError, UsageError
from reducer.intake.allowed import allowed, known_flags
from reducer.toolchain import Toolchain, ToolchainError, resolve_executable
from reducer.triage.configurations import Compiler, find_compiler
from reducer.triage.inputs import content_digest, printable
from reducer.triage.run_matrix import RunMatrix
from reducer.triage.running import CompileJob
from reducer.triage.store import Store


class BacklogVerdict(StrEnum):
    """What a compiler does with a known failure; what changed comes first."""

    COMPILES = "compiles"
    OTHERWISE = "fails otherwise"
    CANNOT_TELL = "cannot tell"
    ALIKE = "still fails alike"

    @property
    def rank(self) -> int:
        return list(BacklogVerdict).index(self)


@dataclass(frozen=True)
class BacklogEntry:
    """A failure that a result, a report or an issue shows.

    Attributes:
        place: its file.
        commands: those that may show it, the program first and `{}` for the input.
        is_alike: whether a failure is that one; None if that is unknown.
        is_own: whether the user made the command, so that all of its flags may run.
        problem: why it cannot be asked; '' if it can.
    """

    place: str
    text: str = ""
    commands: tuple[tuple[str, ...], ...] = ()
    is_alike: Callable[[Outcome], bool | None] = lambda outcome: None
    is_own: bool = False
    problem: str = ""

    @property
    def data(self) -> bytes:
        return self.text.encode(errors="surrogateescape")


@dataclass(frozen=True)
class BacklogAnswer:
    """What one compiler does with one entry, and what it says or why that is unknown."""

    place: str
    compiler: str
    verdict: BacklogVerdict
    says: str


@dataclass(frozen=True)
class BacklogQuestion:
    """An entry on a compiler: a job for each command, or why there is none."""

    entry: BacklogEntry
    compiler: Compiler
    jobs: tuple[CompileJob, ...] = ()
    problem: str = ""

    def answer(self, store: Store, problems: dict[CompileJob, str]) -> BacklogAnswer:
        """What is known by now. Of several commands, one that fails alike decides; all compile."""
        found = [(BacklogVerdict.CANNOT_TELL, self.problem)] if self.problem else []
        for job in self.jobs:
            outcome = store.outcome(job.digest, store.configuration(job.configuration))
            if outcome is None:
                found.append((BacklogVerdict.CANNOT_TELL, problems.get(job, "it was not run")))
            else:
                found.append((_verdict(self.entry, outcome), outcome.signature.text))
        verdict, says = max(found, key=lambda one: one[0].rank)
        return BacklogAnswer(self.entry.place, self.compiler.name, verdict, printable(says))


def questions(entries: Sequence[BacklogEntry], matrix: RunMatrix) -> Iterator[BacklogQuestion]:
    """Each entry on each compiler."""
    for entry in entries:
        for compiler in matrix.compilers:
            problem, commands = entry.problem, () if entry.problem else entry.commands
            try:
                jobs = tuple(_job(entry, words, compiler, matrix) for words in commands)
            except (ReducerError, ToolchainError, ValueError) as error:
                jobs, problem = (), str(error)
            yield BacklogQuestion(entry, compiler, jobs, problem)


def _job(
    entry: BacklogEntry, words: tuple[str, ...], compiler: Compiler, matrix: RunMatrix
) -> CompileJob:
    """A run of a command on a compiler.

    Raises:
        UsageError: the command is for something else, or from a file and asks for too much.
        ToolchainError: the release lacks its program.
    """
    if "|" in words:
        raise UsageError("its command runs several programs")
    launcher, rest = split_launcher(words)
    if tuple(launcher) == FIXED_ADDRESSES:  # as whatever we start
        words = tuple(rest)
    name, own = PurePath(words[0]).name, PurePath(compiler.program).name
    if _without_release(name) != _without_release(own):
        if compiler.version is None or not Toolchain.provides(name):
            raise UsageError(f"its command runs {name}, not {own}")
        compiler = find_compiler(name, compiler.version)
    if not entry.is_own:
        words = Command.parse(words).argv
        executable = resolve_executable(compiler.program, compiler.version)
        taken = allowed(words, known_flags(executable))
        if taken.left_out:  # it is another command without that
            raise UsageError(f"a command from a file may not run with {taken.left_out[0]}")
    configuration = matrix.configuration(compiler, [word for word in words[1:] if word != INPUT])
    load = partial(getattr, entry, "data")
    return CompileJob(content_digest(entry.data), configuration, load, bug=False)


def _verdict(entry: BacklogEntry, outcome: Outcome) -> BacklogVerdict:
    if outcome.succeeded:
        return BacklogVerdict.COMPILES
    if alike := entry.is_alike(outcome):
        return BacklogVerdict.ALIKE
    traits, stage = outcome.kind.traits, outcome.signature.stage
    early = traits.rejected or traits.costly or stage == INPUT_STAGE
    if alike is None or early or refused_flags(outcome.stderr):  # it has not come to the place
        return BacklogVerdict.CANNOT_TELL
    return BacklogVerdict.OTHERWISE


def _without_release(name: str) -> str:
    """mlir-opt-19 -> mlir-opt"""
    return name.rstrip("0123456789").rstrip("-")
