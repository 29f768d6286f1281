"""What a reduction hands over in the end."""

from dataclasses import dataclass, field
from pathlib import Path

from oracles import Signature
from reducer.session.best import OnDisk
from reducer.session.history import Lineage
from reducer.session.record import (
    Candidates,
    Checks,
    Costs,
    Failure,
    OtherFailureRecord,
    ReductionRecord,
)
from reducer.session.settings import Size


@dataclass(frozen=True, kw_only=True)
class Report(ReductionRecord):
    """The record of a reduction that has just ended, so all of it is known; and what is in memory.

    `text` is the result without the comments around it. `charged` are the calls that count against
    a budget, the same for any number of workers; `cached` the verdicts that took no call.
    `also_found_folder` is None where other failures are not on disk. `lineage` is what the journal
    holds too.
    """

    # Of the record; `field()` makes them required.
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
    checks: Checks = field()
    wall_seconds: float = field()
    command: tuple[str, ...] = field()
    one_minimal: bool = field()
    notes: tuple[str, ...] = field()
    also_found: tuple[OtherFailureRecord, ...] = field()
    also_left_out: int = field()

    # In memory only.
    signature: Signature
    text: str
    charged: int
    cached: int
    also_found_folder: Path | None
    lineage: Lineage
