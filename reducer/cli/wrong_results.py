"""The options of `--wrong-results`, and the comparison built from them."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from oracles import Command, Limits
from oracles.compilers.command import verifying_tool
from oracles.values import (
    CommandDisplay,
    Comparison,
    CompilerConfig,
    Implementation,
    PythonReference,
    ValuesOracle,
)
from oracles.values.references import device_of
from reducer.cli.call_options import CallOptions, CallSpec, read_call
from reducer.cli.pipelines import pipeline_comparison
from reducer.cli.references import (
    audit_of,
    default_reference,
    front_ends_beside,
    is_fixed,
    outside,
    reference_of,
    releases_beside,
    siblings_of,
    without_runtime,
    witnesses_of,
)
from reducer.cli.status import print_status
from reducer.evaluator.reference import EvaluatorReference
from reducer.toolchain import runtime_of


@dataclass(frozen=True)
class WrongResults:
    """What to compare, as given by the user."""

    references: tuple[str, ...] = ()
    tolerance: float | None = None
    python: str | None = None
    call: CallOptions = field(default_factory=CallOptions)
    signs: bool | None = None
    """Whether a zero with the other sign is wrong; None if that depends on the command."""

    def oracle(
        self,
        command: Command,
        executable: Path,
        text: str,
        *,
        limits: Limits,
        display: CommandDisplay,
    ) -> ValuesOracle:
        """The oracle for one command.

        Raises:
            UsageError: a reference or an input has invalid syntax.
            ToolchainError: a version or its runtime cannot be installed.
        """
        call = read_call(self.call)
        if call.ignored:
            print_status(f"ignored flags of --flagfile: {' '.join(call.ignored)}")
        chosen = self._comparison(command, executable, call)
        if self.signs is not None:
            chosen = _with_signs(chosen, self.signs)
        comparison = replace(
            chosen,
            function=call.function,
            given=call.given,
            expected=call.expected,
            tolerance=self.tolerance,
            audit=audit_of(executable),
        )
        return ValuesOracle(comparison, text, limits=limits, display=display)

    def _comparison(self, command: Command, executable: Path, call: CallSpec) -> Comparison:
        """What the command is compared with."""
        if verifying_tool(executable) == executable:
            return pipeline_comparison(command, executable, self.references, self.python)
        candidate = CompilerConfig(
            "the command",
            command,
            executable,
            runtime_of(executable, progress=print_status),
            call.device or device_of(command),
            call.parameters,
        )
        chosen = [reference_of(name, candidate, self.python) for name in self.references]
        fixed = tuple(side for side in chosen if isinstance(side, PythonReference))
        named = [side for side in chosen if not isinstance(side, PythonReference)]
        sides = named or [reference_of(default_reference(command), candidate)]
        return Comparison(
            candidate,
            sides[0],
            required=tuple(sides[1:]),
            witnesses=tuple(witnesses_of(sides[0], candidate)),
            releases=tuple(releases_beside(candidate)),
            siblings=tuple(siblings_of(candidate)),
            untried=without_runtime(candidate),
            outside=tuple(outside(candidate)),
            evaluator=EvaluatorReference(candidate),
            front_ends=tuple(front_ends_beside(candidate)),
            fixed=fixed,
            named=bool(named),
        )

    def words(self) -> list[str]:
        """The command line options that produce this value."""
        words = ["--wrong-results"]
        for name in self.references:
            words += ["--reference", _absolute(name)]
        for option, value in (("--tolerance", self.tolerance), ("--python", self.python)):
            words += [] if value is None else [option, str(value)]
        if self.signs is not None:
            words.append("--signed-zeros" if self.signs else "--no-signed-zeros")
        return [*words, *self.call.words()]

    @property
    def for_candidates(self) -> "WrongResults":
        """Without what is known of the input alone."""
        moving = tuple(name for name in self.references if not is_fixed(name))
        return replace(self, references=moving, call=replace(self.call, expected=()))


def _with_signs(comparison: Comparison, signs: bool) -> Comparison:
    """The comparison with or without regard to the sign of a zero."""

    def told(side: Implementation) -> Implementation:
        return replace(side, signs=signs) if isinstance(side, EvaluatorReference) else side

    evaluator = comparison.evaluator
    return replace(
        comparison,
        reference=told(comparison.reference),
        required=tuple(map(told, comparison.required)),
        evaluator=evaluator and told(evaluator),
        signs=signs,
    )


def _absolute(name: str) -> str:
    kind, _, rest = name.partition(":")
    if kind != "python":
        return name
    file, _, function = rest.rpartition(":")
    return f"python:{Path(file).absolute()}:{function}"
