"""Find the failing part of a large module with as little compiler work as possible.

There are two methods, cheapest first. With a hint (ops that a diagnostic points to), try growing
windows and backward slices around it: a wrong hint costs a few runs of tiny modules. Without a
hint, halve the module: stubs make each half valid, so all runs together cost about as much as two
full runs, whereas bisecting prefixes would cost half of a full run each time.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from reducer.ir import NONE, Module
from reducer.ir.flow import backward_slice, ops_between
from reducer.search.candidate import Candidate
from reducer.search.conditions import Refused
from reducer.search.plan import Answer, Next, Once, Plan, Proposal, later
from reducer.search.state import SearchState
from reducer.search.walk import walk
from reducer.transformations import BodyOps, BoundaryTypes, carve, lift

_RADII = (0, 2, 8, 32, 128)
_DEPTHS = (1, 2, 4)
SET_DEPTHS = (0, *_DEPTHS)
"""How many steps away from ops that belong together their producers are taken at first."""

_MAX_SEEDS = 3
_SMALL = 16  # body ops; below this, deleting single ops is as cheap as windows…
_TINY = 6  # …and below this, as cheap as half of the results that no op uses
_LARGE = 150  # body ops; from here on, halves are tried with their producers as well…
_FEEDING = 4  # …up to this many steps away…
_FED = (0.52, 0.75)  # …if they have any to speak of, and something is removed
_WORTHWHILE = 0.8  # of the ops; a part that keeps more, for what it uses, is not worth a run


def grow_around(state: SearchState[Module], boundary: BoundaryTypes, seeds: Sequence[int]) -> bool:
    """Try growing neighborhoods of the ops that diagnostics point to, smallest first.

    An op in a body is tried alone, without what it is in, before anything else.

    Returns:
        Whether a candidate was accepted.
    """
    body = BodyOps.of(state.document)
    origin = "carve around the diagnosed op"
    seeds = seeds[:_MAX_SEEDS]
    alone = (partial(lift, body.module, [seed], boundary) for seed in seeds)
    kept = sorted(_neighbourhoods(body, seeds), key=len)
    return walk(CarvingPlan(state, boundary, body.module, [*alone, *kept], origin), state)


def grow_set(
    state: SearchState[Module],
    boundary: BoundaryTypes,
    seeds: Sequence[int],
    depths: Sequence[int] = SET_DEPTHS,
    origin: str = "carve the failing dispatch",
) -> bool:
    """Try ops that belong together, such as those of a dispatch, with ever more of their producers.

    Unlike the seeds of `grow_around`, which are alternatives, these are kept together.

    Args:
        depths: how many steps away from the ops the producers may be.

    Returns:
        Whether a candidate was accepted.
    """
    body = BodyOps.of(state.document)
    sets = sets_around(body, boundary, seeds, depths)
    return walk(CarvingPlan(state, boundary, body.module, sets, origin), state)


def take_apart(state: SearchState[Module], boundary: BoundaryTypes, seeds: Sequence[int]) -> bool:
    """Try some of these ops, none of which computes with the result of another, then the others.

    Returns:
        Whether a candidate was accepted.
    """
    body = BodyOps.of(state.document)
    inside = {body_op for seed in seeds if (body_op := body.body_op_of(seed)) != NONE}
    apart: tuple[set[int], set[int]] = (set(), set())
    for op in sorted(inside):
        producers = set(backward_slice(body.module, [op], 1)) - {op}
        for part in apart:
            if not part & producers:
                part.add(op)
                break
    parts = [frozenset(part) for part in apart if part]
    return walk(
        CarvingPlan(state, boundary, body.module, parts, "carve ops of the failing dispatch"), state
    )


def sets_around(
    body: BodyOps, boundary: BoundaryTypes, seeds: Sequence[int], depths: Sequence[int]
) -> list[frozenset[int]]:
    """The sets that `grow_set` tries, smallest first."""
    inside = {body_op for seed in seeds if (body_op := body.body_op_of(seed)) != NONE}
    # What lies on the way from one to another was fused, too, even if no location says so.
    inside = set(ops_between(body.module, inside)).intersection(body.function_of)
    parts: dict[frozenset[int], None] = {}
    for depth in depths:
        around = backward_slice(body.module, sorted(inside), depth)
        around += _said_about(body, boundary, around)
        parts.setdefault(frozenset(around).intersection(body.function_of))
    return [part for part in parts if part and 2 * len(part) <= len(body.ops)]


def _said_about(body: BodyOps, boundary: BoundaryTypes, ops: Sequence[int]) -> list[int]:
    """Ops without results about one tensor that these ops use or make: they may bound its sizes."""
    module = body.module
    values = {value for op in ops for value in (*module.captured(op), *module.results(op))}
    tensors = {value for value in values if boundary.is_shaped(module.type_of(value))}
    users = {user for value in tensors for user, _ in module.uses[value]}
    return sorted(op for op in users if op in body.function_of and _is_remark(module, boundary, op))


def _is_remark(module: Module, boundary: BoundaryTypes, op: int) -> bool:
    if op in module.t.regions or module.t.num_results[op] or module.own_symbol_refs(op):
        return False
    operands = [value for value in module.t.operands[op] if value != NONE]
    return sum(boundary.is_shaped(module.type_of(value)) for value in operands) == 1


def halve(
    state: SearchState[Module],
    boundary: BoundaryTypes,
    after: Next[Module] = lambda module: None,
) -> bool:
    """Replace the module with one of its halves or its middle, as long as one still fails.

    Where only a half with its producers failed, those are tried first the next time.

    Args:
        after: what will be asked about a module no part of which fails.

    Returns:
        Whether a candidate was accepted.
    """
    return walk(halving(state, boundary, state.document, after), state)


def halving(
    state: SearchState[Module],
    boundary: BoundaryTypes,
    module: Module,
    after: Next[Module] = lambda module: None,
    *,
    fed: bool | None = None,
    last: bool = False,
) -> Plan[Module]:
    """The parts of a module, the parts of those, and so on.

    Args:
        fed: with their producers; by default, these come first in a single small function.
        last: the parts without them (or with them, if not `fed`) have been tried before.
    """
    body = BodyOps.of(module)
    is_small, is_single = len(body.ops) < _LARGE, len(body.functions) == 1
    fed = is_small and is_single if fed is None else fed
    again = partial(halving, state, boundary, after=after)
    others = partial(later, following=after) if last else partial(again, fed=not fed, last=True)
    if len(body.ops) <= (_TINY if fed else _SMALL) or (fed and is_small and not is_single):
        return others(module)
    parts = Once(_fed(body) if fed else _halves(body))
    variant = f"fed {fed}, last {last}"
    then, most = partial(again, fed=fed), _WORTHWHILE
    return CarvingPlan(state, boundary, body.module, parts, "halve", then, others, variant, most)


def _neighbourhoods(body: BodyOps, seeds: Sequence[int]) -> Iterator[frozenset[int]]:
    order = body.ops
    place = {body_op: index for index, body_op in enumerate(order)}
    seen: set[frozenset[int]] = set()
    for seed in seeds:
        body_op = body.body_op_of(seed)
        if body_op not in place:
            continue
        at = place[body_op]
        windows = [frozenset(order[max(0, at - r) : at + r + 1]) for r in _RADII]
        slices = [frozenset(backward_slice(body.module, [body_op], depth)) for depth in _DEPTHS]
        for found in (*windows, *slices):
            found = frozenset(found & body.function_of.keys())
            if found not in seen and 2 * len(found) <= len(order):
                seen.add(found)
                yield found


def _halves(body: BodyOps) -> Iterator[frozenset[int]]:
    """Both halves, then the middle, since the failing ops may straddle the cut.

    A function that calls into the other half would bring along its callees as a whole, so each part
    is preceded by a variant without such functions.
    """
    for part in _parts(body):
        whole = frozenset(part)
        closed = _closed(body, whole)
        if closed and closed != whole:
            yield closed
        yield whole


def _fed(body: BodyOps) -> Iterator[frozenset[int]]:
    """The same with the producers of their ops.

    Models load their parameters at the top and use them far below. A small function is halved by
    the results that no op uses: what was put together of kinds of ops has some, and one matters.
    """
    if len(body.ops) < _LARGE:
        module = body.module
        used = {module.t.def_op[value] for op in body.ops for value in module.captured(op)}
        ends = [op for op in body.ops if op not in used and module.t.num_results[op]]
        halves = (ends[len(ends) // 2 :], ends[: len(ends) // 2]) if len(ends) > 1 else ()
        for half in halves:
            around = backward_slice(module, half, len(body.ops))
            yield frozenset(around).intersection(body.function_of)
        return
    least, most = (share * len(body.ops) for share in _FED)
    for part in _parts(body):
        around = backward_slice(body.module, list(part), _FEEDING)
        found = frozenset(around).intersection(body.function_of)
        if least <= len(found) <= most:
            yield found


def _parts(body: BodyOps) -> tuple[Sequence[int], ...]:
    order = body.ops
    half, quarter = len(order) // 2, len(order) // 4
    return order[:half], order[half:], order[quarter : len(order) - quarter]


def _closed(body: BodyOps, part: frozenset[int]) -> frozenset[int]:
    """A part without the functions that refer to functions outside it."""
    left = {body.function_of[body_op] for body_op in part}
    while outside := [
        f for f in left if not all(_is_within(body, g, part, left) for g in body.callees(f))
    ]:
        left.difference_update(outside)
    return frozenset(body_op for body_op in part if body.function_of[body_op] in left)


def _is_within(body: BodyOps, function: int, part: frozenset[int], left: set[int]) -> bool:
    inside = body.ops_in[function]
    return part.issuperset(inside) and (not inside or function in left)


Part = frozenset[int] | Callable[[], str | None]
"""A set of body ops, or a function that gives the text instead."""


@dataclass(frozen=True)
class CarvingPlan(Plan[Module]):
    """Sets of body ops of a module to try in order.

    Attributes:
        parts: what to keep.
        most: the share of the ops that a candidate may have.
        then: what follows if one keeps the failure.
        otherwise: what follows if none does.
    """

    state: SearchState[Module]
    boundary: BoundaryTypes
    document: Module
    parts: Iterable[Part] = field(compare=False)
    origin: str
    then: Next[Module] = field(default=lambda module: None, compare=False)
    otherwise: Next[Module] = field(default=lambda module: None, compare=False)
    variant: str = ""
    most: float = 1

    def candidates(self) -> Iterator[Proposal[Module] | Refused]:
        body, most = BodyOps.of(self.document), self.most * self.document.op_count
        for part in self.parts:
            edit = part if callable(part) else partial(carve, body, part, self.boundary)
            made = self.state.made(edit, self.origin, self.document)
            if isinstance(made, Candidate) and made.document.op_count > most:
                continue
            if made is not None:
                yield Proposal(made) if isinstance(made, Candidate) else made

    def if_accepted(
        self, place: object, candidate: Candidate[Module], refused: Sequence[Answer]
    ) -> Plan[Module] | None:
        return self.then(candidate.document)

    def if_refused(self, refused: Sequence[Answer]) -> Plan[Module] | None:
        return self.otherwise(self.document)
