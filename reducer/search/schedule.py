"""What a run of the search has learned: which edits have failed, and which transformations pay.

An edit that failed will most likely fail again as long as nothing has changed where it looks, even
if the module has shrunk elsewhere. Such edits are put off until nothing else makes progress; then
each is tried once more, and that is what makes the result 1-minimal.

Everything is learned from verdicts in their order, never from the clock, so that the number of
workers and a resumed run change nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from oracles.base import outcome_digest
from reducer.ir import NONE, D, Module, PlainText
from reducer.ir.functions import entry_block, is_function, terminator_of
from reducer.transformations import Site, Transformation

Edit = tuple[str, frozenset[str]]
"""A transformation's name and the neighbourhoods in which it acts."""


@dataclass
class _Stats:
    """What came of the candidates of one transformation."""

    judged: int = 0
    gained: int = 0  # characters

    @property
    def gain(self) -> float:
        return self.gained / (self.judged + 1)


class Schedule:
    """The memory of one search to a fixpoint."""

    def __init__(self) -> None:
        self._failed: set[Edit] = set()
        self._records: dict[str, _Stats] = {}

    def order(self, transformations: Sequence[Transformation[D]]) -> list[Transformation[D]]:
        """The transformations, those first that gained most for each candidate so far.

        Where nothing is known yet, or as much, they keep the order given.
        """
        return sorted(transformations, key=lambda t: -self._record(t.name).gain)

    def has_failed(self, edit: Edit) -> bool:
        """Whether this was tried, and failed, in the same neighbourhoods."""
        return edit in self._failed

    def learn(self, name: str, failed: Sequence[Edit], gained: int | None) -> None:
        """Edits that failed one after the other, and then perhaps one that gained characters."""
        self._failed.update(failed)
        record = self._record(name)
        record.judged += len(failed) + (gained is not None)
        record.gained += gained or 0

    def _record(self, name: str) -> _Stats:
        return self._records.setdefault(name, _Stats())


def edit_of(transformation: Transformation[D], document: D, sites: Sequence[Site]) -> Edit:
    """What acting at these sites is remembered by.

    Text that is no module has no neighbourhoods: there the whole counts. A hash stands for it, and
    one for all the sites, since there may be as many edits as there are lines.
    """
    if isinstance(document, PlainText):
        return transformation.name, frozenset([outcome_digest(f"{list(sites)} {document.digest}")])
    assert isinstance(document, Module)
    return transformation.name, frozenset(_neighbourhood(document, site) for site in sites)


def _neighbourhood(document: Module, site: Site) -> str:
    """All that an edit at a site depends on, as far as it is likely to matter."""
    if is_function(document, site.op):
        return _at_function(document, site)
    t = document.t
    own = document.text[t.start[site.op] : t.end[site.op]]
    around = [_producer(document, value) for value in t.operands[site.op]]
    around.append("used by")
    around += [user for value in document.results(site.op) for user in _users(document, value)]
    return "\0".join([str(site.number), site.name, own, *around])


def _at_function(module: Module, site: Site) -> str:
    """Only the argument and the result that a number means: all else changes all the time."""
    block, terminator = entry_block(module, site.op), terminator_of(module, site.op)
    arguments = [] if block is None else list(module.block_args(block))
    returned = () if terminator is None else module.t.operands[terminator]
    around = [module.symbol_name(site.op) or "", site.name]
    if site.number < len(arguments):
        value = arguments[site.number]
        around += [module.t.token[value], module.type_of(value), *_users(module, value)]
    if site.number < len(returned) and returned[site.number] != NONE:
        value = returned[site.number]
        around += ["returned", module.t.token[value], _producer(module, value)]
    return "\0".join(around)


def _producer(module: Module, value: int) -> str:
    if value == NONE:
        return "undeclared"
    op = module.t.def_op[value]
    return "argument" if op == NONE else module.t.name[op]


def _users(module: Module, value: int) -> list[str]:
    return [f"{module.t.name[user]} {number}" for user, number in module.uses[value]]


class FailedValues:
    """The memory of all descents of one search.

    A value that has failed will most likely fail again while nothing has changed around the places
    that have it. Such values are put off as long as anything else makes progress; where
    `everything` is wanted, they are tried once more.
    """

    def __init__(self) -> None:
        self.everything = False
        self.deferred = 0
        self._failed: set[tuple[str, str, str]] = set()

    def record_failure(self, tuning: str, where: str, value: object) -> None:
        """Remembers a value that has failed; '' stands for surroundings that nobody knows."""
        if where:
            self._failed.add((tuning, where, str(value)))

    def is_deferred(self, tuning: str, where: str, value: object) -> bool:
        """Whether a value need not be tried now; counted if so."""
        if self.everything or (tuning, where, str(value)) not in self._failed:
            return False
        self.deferred += 1
        return True
