"""Whether a run that fails in several ways has a certain failure among them.

The signature of a run is that of one failure. A program with two bugs shows both on one release and
one of them on another, so there the other signature says nothing about the first bug.
"""

from dataclasses import replace

from oracles.signature.classify import kind_of_message
from oracles.signature.comparison import Across, difference
from oracles.signature.diagnostics import first_errors, operation_of, says_nothing
from oracles.signature.outcome import PIPELINE, Outcome, Signature
from oracles.signature.stage import INPUT
from oracles.signature.templates import template_of

AMONG = "among other failures"
"""How an outcome differs that has the failure, but is known by another one."""


def match_any_error(target: Signature, outcome: Outcome) -> tuple[str | None, Outcome]:
    """How the failure of an outcome in another build differs from a target; None if it is another.

    Returns:
        The difference, and the outcome; if the target is among several failures, that of it alone.
    """
    how = difference(target, outcome.signature, Across.BUILDS)
    if how is not None or not _may_be_among(target, outcome):
        return how, outcome
    for error in first_errors(outcome.diagnostics):
        signature = Signature(
            kind_of_message(error.message),
            template_of(error.message),
            operation_of(error),
            PIPELINE,
        )
        how = difference(target, signature, Across.BUILDS)
        if how is not None:
            alone = replace(outcome, kind=signature.kind, signature=signature, diagnostics=(error,))
            return AMONG, alone
    return None, outcome


def _may_be_among(target: Signature, outcome: Outcome) -> bool:
    """Whether the failure is one that an error in a pass tells of completely."""
    told = target.template and not says_nothing(target.template) and not target.frames
    in_pass = target.stage.partition(" ")[0] == PIPELINE and outcome.signature.stage != INPUT
    return bool(told) and in_pass and outcome.failed and target.level == "normal"
