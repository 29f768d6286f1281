"""From what a compiler run printed to its signature, with a few short further runs where needed."""

from collections.abc import Sequence
from typing import Protocol

from oracles.classify import Finding
from oracles.kind import Kind
from oracles.level import Level, signature_at
from oracles.passes import failing_pass
from oracles.process import ProcessResult
from oracles.signature import Signature
from oracles.stage import PIPELINE, input_stage


class Probes(Protocol):
    """Further runs on the same candidate."""

    def verify(self, flags: Sequence[str]) -> ProcessResult | None:
        """The `-opt` tool, which runs no pass; None where there is no such tool."""
        ...

    def name_pass(self) -> ProcessResult:
        """The compiler once more, told to name the pass that fails."""
        ...


def derive(finding: Finding, level: Level, probes: Probes, *, told: bool = False) -> Signature:
    """The signature of a run at a level. `told`: that run was already told to name the pass.

    At `normal`, the pass counts where the user's own flags make the compiler name it, or where
    nothing else names the bug. Whether we told it must not show, or an earlier failure of another
    kind would change a signature.
    """
    kind, stage = finding.kind, ""
    if finding.primary is not None and not finding.nameless:
        stage, kind = PIPELINE, finding.kind
        if not finding.settled:
            stage, kind = input_stage(finding, probes.verify)
        known = "" if told and level is Level.NORMAL else finding.pass_name
        if level is Level.STRICT and stage == PIPELINE and not told:
            known = known or failing_pass(probes.name_pass().stderr)
        if known and kind is not Kind.INVALID_INPUT and stage in (PIPELINE, ""):
            stage = f"{PIPELINE} {known}"
    elif finding.nameless:
        name = finding.pass_name
        if not name and not told:
            name = failing_pass(probes.name_pass().stderr)
        stage = f"{PIPELINE} {name}".rstrip()
    return signature_at(level, finding, kind, stage)
