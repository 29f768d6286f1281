"""What a run of triage has to show."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reducer.triage.buckets import Group
from reducer.triage.bugs import Known
from reducer.triage.examining import Cost
from reducer.triage.inputs import Unreadable
from reducer.triage.states import State
from reducer.triage.store import Result


@dataclass(frozen=True)
class Cell:
    """One input in one configuration. `result` is None where there is none; `problem` says why."""

    path: str
    configuration: str
    result: Result | None
    problem: str = ""


@dataclass(frozen=True)
class Bug:
    """One bug: its buckets, its state, what fails in this run, and its reproducer."""

    group: Group
    state: State
    fixed_in: str | None
    cells: tuple[Cell, ...]
    reproducer: Known | None

    @property
    def name(self) -> str:
        return self.group.root.bucket

    @property
    def text(self) -> str:
        return self.group.root.text

    @property
    def paths(self) -> list[str]:
        return sorted({cell.path for cell in self.cells})

    @property
    def configurations(self) -> list[str]:
        return list(dict.fromkeys(cell.configuration for cell in self.cells))

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "bucket": self.name,
            "state": str(self.state),
            "fixed_in": self.fixed_in,
            "kind": self.group.root.kind,
            "signature": self.text,
            "merged": [
                {"bucket": member.bucket, "signature": member.text, "reason": member.reason}
                for member in self.group.members
                if member.merged_into is not None
            ],
            "failures": [
                {"input": cell.path, "configuration": cell.configuration} for cell in self.cells
            ],
            "reproducer": _reproducer(self.reproducer),
        }


@dataclass
class Summary:
    """The whole. `compiler_runs` are compilers started to classify and to compare, `calls` those
    started to reduce, of which `parting` are for telling apart what prints the same; all of them
    only by this process."""

    run: int
    cells: list[Cell] = field(default_factory=list)
    bugs: list[Bug] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    unusable: dict[str, str] = field(default_factory=dict)
    unmatched: list[str] = field(default_factory=list)
    compiler_runs: int = 0
    calls: int = 0
    parting: Cost = field(default_factory=Cost)
    interrupted: bool = False

    @property
    def states(self) -> Mapping[str, State]:
        """The state of each bucket's bug."""
        return {name: bug.state for bug in self.bugs for name in bug.group.names}

    @property
    def roots(self) -> Mapping[str, str]:
        """The name of each bucket's bug."""
        return {name: bug.name for bug in self.bugs for name in bug.group.names}

    def count(self, state: State) -> int:
        """Bugs in this state."""
        return sum(bug.state is state for bug in self.bugs)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "run": self.run,
            "interrupted": self.interrupted,
            "results": len(self.cells),
            "compiler_runs": self.compiler_runs,
            "reduction_calls": self.calls,
            "parting_calls": self.parting.calls,
            "parting_compiler_seconds": round(self.parting.seconds, 3),
            "states": {str(state): self.count(state) for state in State},
            "bugs": [bug.to_json() for bug in self.bugs],
            "unreadable": [
                {"input": one.place.shown, "reason": one.reason} for one in self.unreadable
            ],
            "unusable": [
                {"configuration": name, "reason": reason} for name, reason in self.unusable.items()
            ],
            "without_flags": self.unmatched,
            "problems": [
                {"input": cell.path, "configuration": cell.configuration, "reason": cell.problem}
                for cell in self.cells
                if cell.problem
            ],
        }


def _reproducer(known: Known | None) -> dict[str, Any] | None:
    if known is None:
        return None
    return {
        "status": known.status,
        "verified": known.verified,
        "one_minimal": known.one_minimal,
        "flags": list(known.flags),
        "lines": known.lines,
        "input_ops": known.input_ops,
        "ops": known.ops,
        "bytes": known.bytes,
        "calls": known.calls,
        "note": known.note,
        "text": known.text,
    }
