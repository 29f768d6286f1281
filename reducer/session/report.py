"""What a reduction has to show in the end."""

from dataclasses import dataclass, field
from pathlib import Path

from oracles import Signature
from reducer.session.also_found import AlsoFound
from reducer.session.best import OnDisk
from reducer.session.sanity import Flakiness
from reducer.session.settings import Size


@dataclass
class Report:
    """The figures of one reduction. `status` is `reduced`, `budget` or `interrupted`.

    `text` is the result without the comments around it; the sizes are those of this text.
    `compiler_seconds` is CPU time, user and system, of every compiler and helper process;
    `full_run_equivalents` the sum of the ops of all candidates over the ops of the input. `checks`
    are runs of a tool that only parses and verifies; they turned away `turned_away` candidates, and
    their `check_seconds` are part of `compiler_seconds`, but they are no `calls`. `also_found` are
    other failures met on the way, under `also_found_folder`; `also_left_out` counts those that were
    too many or too large to keep. `flaky` is measured only where it was asked for. `on_disk` says
    whether the result is in `output_path`, or what is there in its place. `charged` are the `calls`
    that count against a budget, the same for any number of workers.
    """

    status: str
    verified: bool
    signature: Signature
    input: Size
    output: Size
    output_path: Path
    text: str
    calls: int
    cached: int
    by_verdict: dict[str, int]
    compiler_seconds: float
    full_run_equivalents: float
    wall_seconds: float
    command: list[str]
    one_minimal: bool
    checks: int = 0
    check_seconds: float = 0.0
    turned_away: int = 0
    notes: list[str] = field(default_factory=list)
    also_found: list[AlsoFound] = field(default_factory=list)
    also_found_folder: Path | None = None
    also_left_out: int = 0
    flaky: Flakiness | None = None
    input_path: Path = Path()
    on_disk: OnDisk = OnDisk.RESULT
    charged: int = 0

    @property
    def kind(self) -> str:
        return str(self.signature.kind)

    @property
    def bucket(self) -> str:
        return self.signature.bucket
