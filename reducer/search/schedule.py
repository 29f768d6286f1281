"""What the search has learned: which edits have failed, and which transformations are effective.

A failed edit will probably fail again as long as its neighborhood is unchanged, even if the module
has shrunk elsewhere. Such edits are deferred until nothing else makes progress; then each is tried
once more, which makes the result 1-minimal.

Only verdicts and their order count, never the clock, so the result depends neither on the number of
workers nor on interruptions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from oracles.base import outcome_digest
from reducer.ir import NONE, D, Module, PlainText
from reducer.ir.functions import entry_block, is_function, terminator_of
from reducer.transformations import Site, Transformation

_LONG = 4096  # characters; a longer text is remembered by a hash

SAME_AGAIN = 0.03
"""The chance that an edit or a value works that has failed in the same surroundings."""

Edit = tuple[str, frozenset[str]]
"""A transformation's name and the neighborhoods of the sites at which it is applied."""


@dataclass
class _Stats:
    """The number of judged candidates of a transformation, and the characters they saved."""

    judged: int = 0
    gained: int = 0  # characters

    @property
    def gain(self) -> float:
        return self.gained / (self.judged + 1)


class Schedule:
    """The memory of a search for a fixpoint."""

    def __init__(self) -> None:
        self._failed: set[Edit] = set()
        self._records: dict[str, _Stats] = {}

    def order(self, transformations: Sequence[Transformation[D]]) -> list[Transformation[D]]:
        """The transformations sorted by characters saved per candidate so far, best first.

        The sort is stable, so ties and unknown transformations keep the given order.
        """
        return sorted(transformations, key=lambda t: -self._record(t.name).gain)

    def has_failed(self, edit: Edit) -> bool:
        """Whether this transformation has failed before in the same neighborhoods."""
        return edit in self._failed

    def learn(self, name: str, failed: Sequence[Edit], gained: int | None) -> None:
        """Record a sequence of failed edits and, unless `gained` is None, a successful last one.

        Args:
            gained: the number of characters that the successful edit saved.
        """
        self._failed.update(failed)
        record = self._record(name)
        record.judged += len(failed) + (gained is not None)
        record.gained += gained or 0

    def _record(self, name: str) -> _Stats:
        return self._records.setdefault(name, _Stats())


def edit_of(transformation: Transformation[D], document: D, sites: Sequence[Site]) -> Edit:
    """The key under which an edit at these sites is remembered.

    Plain text has no neighborhoods, so the entire text counts. A single hash stands for the text
    and the sites, since there may be as many edits as lines.
    """
    if isinstance(document, PlainText):
        return transformation.name, frozenset([outcome_digest(f"{list(sites)} {document.digest}")])
    assert isinstance(document, Module)
    return transformation.name, frozenset(_neighbourhood(document, site) for site in sites)


def _neighbourhood(document: Module, site: Site) -> str:
    """The text of everything near a site that is likely to affect an edit there."""
    if site.op == NONE:
        return f"{site.number}\0{site.name}"
    if is_function(document, site.op):
        return _at_function(document, site)
    t = document.t
    own = document.text[t.start[site.op] : t.end[site.op]]
    if len(own) > _LONG:  # those of all ops around one another would fill the memory
        own = outcome_digest(own)
    around = [_producer(document, value) for value in t.operands[site.op]]
    around.append("used by")
    around += [user for value in document.results(site.op) for user in _users(document, value)]
    return "\0".join([str(site.number), site.name, own, *around])


def _at_function(module: Module, site: Site) -> str:
    """The neighborhood of a function site: the argument and the result with the site's number.

    Everything else in a function changes all the time.
    """
    argument, returned = _argument(module, site), _returned(module, site)
    around = [module.symbol_name(site.op) or "", site.name]
    if argument != NONE:
        around += [module.tokens[argument], module.type_of(argument), *_users(module, argument)]
    if returned != NONE:
        around += ["returned", module.tokens[returned], _producer(module, returned)]
    return "\0".join(around)


def at_signature(module: Module, site: Site) -> tuple[str, ...]:
    """The names of a function, and of its argument and its result with the site's number."""
    values = (_argument(module, site), _returned(module, site))
    names = ("" if value == NONE else module.tokens[value] for value in values)
    return module.symbol_name(site.op) or "", *names


def _argument(module: Module, site: Site) -> int:
    """The argument with the number of a function site; NONE if there is none."""
    block = entry_block(module, site.op)
    arguments = [] if block is None else list(module.block_args(block))
    return arguments[site.number] if site.number < len(arguments) else NONE


def _returned(module: Module, site: Site) -> int:
    terminator = terminator_of(module, site.op)
    returned = () if terminator is None else module.t.operands[terminator]
    return returned[site.number] if site.number < len(returned) else NONE


def _producer(module: Module, value: int) -> str:
    if value == NONE:
        return "undeclared"
    op = module.t.def_op[value]
    return "argument" if op == NONE else module.t.name[op]


def _users(module: Module, value: int) -> list[str]:
    return [f"{module.t.name[user]} {number}" for user, number in module.uses[value]]


class FailedValues:
    """The memory of all descents of a search.

    A failed value will probably fail again while the surroundings of its parameter are unchanged.
    """

    def __init__(self) -> None:
        self._failed: set[tuple[str, str, str]] = set()

    def record_failure(self, tuning: str, where: str, value: object) -> None:
        """Remember a failed value, unless `where`, its surroundings, is '' (unknown)."""
        if where:
            self._failed.add((tuning, where, str(value)))

    def has_failed(self, tuning: str, where: str, value: object) -> bool:
        """Whether a value has failed in these surroundings."""
        return (tuning, where, str(value)) in self._failed
