"""The record of a reduction: its input, its result and its cost.

The driver creates it once. The final table, `--json`, the page, the bug report and triage are based
on it. `to_json` gives the fields of `reduce --json`; `from_json` reads them back, as well as those
of a bug report's `metadata.json`.
"""

from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from oracles import Limits, Oracle, Outcome, Signature
from reducer.driver.best import OnDisk
from reducer.driver.records.figures import (
    Candidates,
    Checks,
    Costs,
    Failure,
    LevelRecord,
    Origin,
    OtherFailureRecord,
    PassRecord,
    program_json,
)
from reducer.driver.records.history import History, Lineage
from reducer.driver.settings import Size
from reducer.errors import InternalError
from reducer.identity.builds.record import HealthRecord
from reducer.identity.degenerate import DegenerateChoice
from reducer.identity.sanity import Flakiness
from reducer.storage.json_values import JsonValues


@dataclass(frozen=True, kw_only=True)
class ReductionRecord:
    """What is known about a reduction. None means unknown or absent.

    `status` is `reduced`, `budget` or `interrupted`. Sizes are those of the programs without the
    comments around them. `on_disk` says whether the result is in `output_path`, or what is there
    instead. `refused` counts the candidates that were not accepted, run or not, by the condition
    that refused them. `flaky` is measured only on request. `also_left_out` counts other failures
    that were too many or too large to keep, `also_from_cutting` those that only cutting a program
    up causes. If the compiled program is at fault, `compile` and `run` show it
    with the compiler's own tools. `health` is where else the result compiles, None if that was not
    asked. `degenerate` is None if the result is not degenerate. `levels` are other programs on
    which the command fails: one in the dialects of the input, if the result is in others. `origin`
    is computed only for a bug report.
    """

    status: str | None = None
    verified: bool | None = None
    failure: Failure | None = None
    input_path: Path | None = None
    input: Size | None = None
    output_path: Path | None = None
    output: Size | None = None
    on_disk: OnDisk | None = None
    costs: Costs | None = None
    candidates: Candidates | None = None
    refused: dict[str, int] | None = None
    checks: Checks | None = None
    wall_seconds: float | None = None
    command: tuple[str, ...] | None = None
    compile: tuple[str, ...] | None = None
    run: tuple[str, ...] | None = None
    one_minimal: bool | None = None
    notes: tuple[str, ...] | None = None
    flaky: Flakiness | None = None
    also_found: tuple[OtherFailureRecord, ...] | None = None
    also_left_out: int | None = None
    also_from_cutting: int | None = None
    health: HealthRecord | None = None
    degenerate: DegenerateChoice | None = None
    pass_level: PassRecord | None = None
    levels: tuple[LevelRecord, ...] | None = None
    origin: tuple[Origin, ...] | None = None

    # ---- subsets ---------------------------------------------------------------------------

    def figures(self) -> "ReductionRecord":
        """Only sizes and costs: nothing that contains names."""
        return ReductionRecord(
            input=self.input,
            costs=self.costs,
            candidates=self.candidates,
            checks=self.checks,
            wall_seconds=self.wall_seconds,
            one_minimal=self.one_minimal,
            degenerate=self.degenerate,
        )

    def updated(self, other: "ReductionRecord") -> "ReductionRecord":
        """The record with every known field of `other`."""
        values = {each.name: getattr(other, each.name) for each in fields(ReductionRecord)}
        return replace(self, **{name: value for name, value in values.items() if value is not None})

    # ---- JSON ------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """The known fields of `reduce --json`, and `origin`."""
        failure = self.failure
        others, origin = self.also_found, self.origin
        values = {
            "status": self.status,
            "verified": self.verified,
            "kind": failure and failure.kind,
            "signature": failure and failure.text,
            "bucket": failure and failure.bucket,
            "input": program_json(self.input_path, self.input) or None,
            "output": program_json(self.output_path, self.output) or None,
            "on_disk": self.on_disk,
            "oracle": _oracle_json(self.costs, self.candidates) or None,
            "refused": self.refused,
            "checks": self.checks and self.checks.to_json(),
            "wall_seconds": None if self.wall_seconds is None else round(self.wall_seconds, 3),
            "command": None if self.command is None else list(self.command),
            "compile": None if self.compile is None else list(self.compile),
            "run": None if self.run is None else list(self.run),
            "one_minimal": self.one_minimal,
            "notes": None if self.notes is None else list(self.notes),
            "flaky": self.flaky and asdict(self.flaky),
            "also_found": None if others is None else [one.to_json() for one in others],
            "also_left_out": self.also_left_out,
            "also_from_cutting": self.also_from_cutting,
            "health": self.health and self.health.to_json(),
            "degenerate": self.degenerate and self.degenerate.to_json(),
            "pass_level": self.pass_level and self.pass_level.to_json(),
            "levels": None if self.levels is None else [one.to_json() for one in self.levels],
            "origin": None if origin is None else [one.to_json() for one in origin],
        }
        # Once the reduction has ended, None means that there are none of these.
        told = ("flaky", "health", "degenerate", "pass_level") if self.status is not None else ()
        return {key: value for key, value in values.items() if value is not None or key in told}

    @classmethod
    def from_json(cls, data: object) -> "ReductionRecord":
        """The inverse of `to_json`. A field that is missing or has the wrong type is unknown."""
        values = JsonValues(data)
        read = values.read(ReductionRecord, costs="oracle", candidates="oracle")
        assert read is not None  # no field must be there
        return replace(
            read,
            failure=Failure.from_json(values),
            input_path=values.part("input").path("path"),
            output_path=values.part("output").path("path"),
        )

    @classmethod
    def from_history(cls, history: History) -> "ReductionRecord":
        """A record with what a journal's history tells, without the command."""
        return ReductionRecord(
            input_path=Path(history.name),
            input=history.input,
            costs=Costs(history.total.calls, history.total.compiler_seconds),
            wall_seconds=history.total.seconds,
            one_minimal=history.one_minimal,
            health=history.health,
        )


@dataclass(frozen=True, kw_only=True)
class Report(ReductionRecord):
    """The record of a reduction that has just ended, with all fields known, and in-memory data.

    `text` is the result without the comments around it, and `reported` its outcome in the form in
    which the bug report runs it, if that was run ahead. `charged` counts the calls charged to the
    budget, the same for any number of workers; `cached` the verdicts that took no call.
    `enough` are limits that tell a hang from a slow run for programs as small as the result.
    `also_found_folder` is None if other failures are not on disk. `lineage` is also in the journal.
    `oracle` judges the result, with the command that is left. `lacks_room` says that the journal
    could not be written, and `problems` what else could not; `internal_errors` are bugs of ours.
    """

    # Fields of the record; `field()` makes them required.
    status: str = field()
    verified: bool = field()
    failure: Failure = field()
    input_path: Path = field()
    input: Size = field()
    output_path: Path = field()
    output: Size = field()
    on_disk: OnDisk = field()
    costs: Costs = field()
    candidates: Candidates = field()
    refused: dict[str, int] = field()
    checks: Checks = field()
    wall_seconds: float = field()
    command: tuple[str, ...] = field()
    one_minimal: bool = field()
    notes: tuple[str, ...] = field()
    also_found: tuple[OtherFailureRecord, ...] = field()
    also_left_out: int = field()
    also_from_cutting: int = field()
    levels: tuple[LevelRecord, ...] = field()

    # In memory only.
    signature: Signature
    text: str
    reported: Outcome | None
    charged: int
    cached: int
    enough: Limits | None
    also_found_folder: Path | None
    lineage: Lineage
    oracle: Oracle
    lacks_room: bool
    problems: tuple[str, ...] = ()
    internal_errors: tuple[InternalError, ...] = ()

    def in_all(self) -> "Report":
        """The report with what earlier, interrupted runs of the same reduction cost as well."""
        total = self.lineage.history.total
        costs = Costs(total.calls, total.compiler_seconds)
        return replace(self, costs=costs, wall_seconds=total.seconds)


def _oracle_json(costs: Costs | None, candidates: Candidates | None) -> dict[str, Any]:
    calls = {} if costs is None else costs.to_json()
    if candidates is None:
        return calls
    runs = round(candidates.full_run_equivalents, 3)
    judged = {"by_verdict": candidates.by_verdict, "full_run_equivalents": runs}
    order = ("calls", "by_verdict", "cpu_seconds", "full_run_equivalents", "compiler_seconds")
    both = {**calls, **judged}
    if "cpu_seconds" in both:
        both["compiler_seconds"] = both["cpu_seconds"]  # its former name, which scripts read
    return {key: both[key] for key in order if key in both}
