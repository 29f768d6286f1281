"""What is asked of every release."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from oracles import CompilerOracle, Kind, Oracle, Outcome
from reducer.session.errors import UsageError
from reducer.toolchain import Toolchain

MakeOracle = Callable[[str, Sequence[str], str], Oracle]
"""The oracle for a version, the words of a command and a text. Raises ToolchainError."""


@dataclass(frozen=True)
class Question:
    """A text, a command (its program first), and what is looked for.

    `identity` changes with whatever else decides an outcome: patterns, references, limits. `kinds`
    are the kinds of outcome that may be kept, any failure where it is None. `timeout` is in
    seconds. Raises UsageError where no release brings the program.
    """

    text: str
    words: tuple[str, ...]
    make_oracle: MakeOracle
    identity: str = ""
    kinds: frozenset[Kind] | None = None
    timeout: float | None = None

    def __post_init__(self) -> None:
        if not self.words:
            raise UsageError(
                "no command to run; put the one that fails after two dashes: "
                "INPUT -- iree-compile --its-flags"
            )
        if not Toolchain.provides(self.tool):
            raise UsageError(
                f"'{self.words[0]}' is no program of a published release: give iree-compile or "
                "iree-opt, which are then run in many versions"
            )

    @property
    def tool(self) -> str:
        """The name of the program."""
        return PurePath(self.words[0]).name

    def keeps(self, outcome: Outcome) -> bool:
        """Whether an outcome is a failure to look for."""
        return outcome.failed and (self.kinds is None or outcome.kind in self.kinds)


def compiler_of(oracle: Oracle) -> CompilerOracle | None:
    """The oracle that only compiles and classifies, inside one that asks for something else."""
    inner = oracle if isinstance(oracle, CompilerOracle) else getattr(oracle, "inner", None)
    return inner if isinstance(inner, CompilerOracle) else None
