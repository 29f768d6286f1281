"""Find a bug that another failure masks: a run that fails in several ways has one signature."""

from oracles import Outcome
from oracles.signature.match_any_error import AMONG, match_any_error
from oracles.stored import parsed, tried, unpacked
from reducer.triage.buckets import Group
from reducer.triage.database import Database


def masked_failure(group: Group, outcome: Outcome) -> Outcome | None:
    """The failure of a bug alone, if an outcome that is known by another has it as well.

    Where bugs print the same text, the text does not tell which of them it is.
    """
    for member in group.members:
        if member.ops is None:
            how, alone = match_any_error(member.signature, outcome)
            if how == AMONG:
                return alone
    return None


def stored_outcome(database: Database, digest: str, configuration: int) -> Outcome | None:
    """The full outcome of an input in a configuration, or None."""
    blob = database.value(
        "SELECT outcome FROM results WHERE input = ? AND configuration = ?", digest, configuration
    )
    return tried(lambda blob: Outcome.from_json(parsed(unpacked(blob))), blob)
