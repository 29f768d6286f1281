"""What is found out about a wrong result: the phase, the dispatch, the ops, and the evidence."""

from dataclasses import asdict, dataclass, field
from typing import Any

from oracles import Outcome
from reducer.asking import Cost
from reducer.explain.locator import SuspectOp
from reducer.locate.blame import Blame, Certainty
from reducer.locate.blamed import BlamedRewrite
from reducer.miscompile.oracle.mismatch import Mismatch

CODE_GENERATION = "code generation"
BETWEEN_DISPATCHES = "between dispatches"
"""Two phases that no compiler lists."""


@dataclass(frozen=True)
class WrongDispatch:
    """A dispatch as a program of its own, and what is wrong with its results.

    `reference` judged it on what it read; `verdict` is who says that the program is wrong, too.
    """

    name: str
    call: int
    text: str
    inputs: tuple[str, ...]
    difference: str
    reference: str
    confirmed: bool
    verdict: str = ""


@dataclass
class WrongResultLocation:
    """The findings.

    Attributes:
        mismatch: the wrong results of the input.
        outcome: the same as the outcome of a run.
        judged_by_all: whether all references were asked about the input, or the evaluator alone.
        dispute: why the results of the input may be right after all; '' if they are wrong.
        phase: the phase that is wrong; '' if unknown.
        how: the evidence; `sure` is set if a run confirmed it.
        rewrite: the rewrite of the wrong pass that is at fault, if it is known.
        dispatch: the wrong dispatch, and `suspects` the ops of the input that it was made of.
        dispatches, judged: the number of calls of dispatches, and of executions that were judged.
        also_wrong: further dispatches whose results differ.
        unjudged: dispatches that nobody could judge.
    """

    mismatch: Mismatch
    outcome: Outcome
    judged_by_all: bool = True
    dispute: str = ""
    phase: str = ""
    how: str = "nothing tells where it comes from"
    sure: bool = False
    rewrite: BlamedRewrite | None = None
    dispatch: WrongDispatch | None = None
    suspects: list[SuspectOp] = field(default_factory=list)
    dispatches: int = 0
    judged: int = 0
    also_wrong: list[str] = field(default_factory=list)
    unjudged: list[str] = field(default_factory=list)
    compilations: int = 0
    executions: int = 0
    cost: Cost = field(default_factory=Cost)
    full_runs: float = 0.0

    @property
    def blames(self) -> list[Blame]:
        """The phase, the dispatch and the rewrite, as far as they are known."""
        shown, last = Certainty.SHOWN, Certainty.LAST_SEEN
        phase = shown if self.sure else last if self.phase else Certainty.UNKNOWN
        blames = [Blame("phase", self.phase, phase, self.how)]
        if self.dispatch:
            dispatch = shown if self.dispatch.confirmed else last
            blames.append(Blame("dispatch", self.dispatch.name, dispatch))
        return blames + ([self.rewrite.blame] if self.rewrite else [])

    def to_json(self, program: str) -> dict[str, Any]:
        """The fields of `locate --json` about a program of this name."""
        signature = self.outcome.signature
        return {
            "kind": str(signature.kind),
            "signature": signature.text,
            "bucket": signature.bucket,
            "result": self.mismatch.text,
            "function": self.mismatch.function.name,
            "phase": self.phase or None,
            "dispatch": self.dispatch.name if self.dispatch else None,
            "program": asdict(self.dispatch) if self.dispatch else None,
            "also_wrong": self.also_wrong,
            "sure": self.sure,
            "dispute": self.dispute or None,
            "how": self.how,
            "culprits": [suspect.to_json(program) for suspect in self.suspects],
            "rewrite": self.rewrite and self.rewrite.to_json(),
            "blames": [blame.to_json() for blame in self.blames],
            "dispatches": self.dispatches,
            "judged": self.judged,
            "unjudged": self.unjudged,
            "compilations": self.compilations,
            "calls": self.cost.calls,
            **self.cost.times(),
            "full_runs": round(self.full_runs, 2),
        }

    def clear(self, phase: str) -> None:
        """Blame this phase instead of a dispatch that is not confirmed."""
        self.phase, self.dispatch = phase, None
        self.suspects, self.also_wrong = [], []
